import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DelayQueueModule } from 'nestjs-delay-queue';
import { StockModule } from '../stock/stock.module.js';
import { OrderRecords } from './order-records.js';
import { ORDER_TIMEOUT, orderTimeoutTask } from './order-timeout-task.js';
import { OrderTimeoutHandler } from './order-timeout.handler.js';
import { Order } from './order.entity.js';
import { OrdersController } from './orders.controller.js';
import { OrdersService } from './orders.service.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([Order]),
    DelayQueueModule.forFeature({ types: { [ORDER_TIMEOUT]: orderTimeoutTask } }),
    StockModule,
  ],
  controllers: [OrdersController],
  providers: [OrdersService, OrderRecords, OrderTimeoutHandler],
})
export class OrdersModule {}
