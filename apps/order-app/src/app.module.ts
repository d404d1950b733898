import { Module, ValidationPipe } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { APP_PIPE } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { DelayQueueModule } from 'nestjs-delay-queue';
import { DataSource } from 'typeorm';
import { shopConfig } from './config/shop-config.js';
import { DatabaseModule } from './database/database.module.js';
import { delayQueueOptions } from './delay-queue-options.js';
import { DevicesModule } from './devices/devices.module.js';
import { OrdersModule } from './orders/orders.module.js';
import { RateLimiterModule } from './rate-limiter/rate-limiter.module.js';
import { RemindersModule } from './reminders/reminders.module.js';
import { StockModule } from './stock/stock.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';

@Module({
  imports: [
    ConfigModule.forRoot({ isGlobal: true, load: [shopConfig] }),
    ScheduleModule.forRoot(),
    DatabaseModule,
    DelayQueueModule.forRootAsync({ inject: [shopConfig.KEY, DataSource], useFactory: delayQueueOptions }),
    StockModule,
    OrdersModule,
    RemindersModule,
    WebhooksModule,
    RateLimiterModule,
    DevicesModule,
  ],
  providers: [
    {
      provide: APP_PIPE,
      useFactory: () => new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true, transform: true }),
    },
  ],
})
export class AppModule {}
