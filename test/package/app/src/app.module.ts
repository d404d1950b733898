import { Module } from '@nestjs/common';
import { DelayQueueModule } from 'nestjs-delay-queue';
import { RemindersController } from './reminders.controller.js';
import { RemindersHandler } from './reminders.handler.js';

declare module 'nestjs-delay-queue' {
  interface DelayedTasks {
    reminder: { text: string };
  }
}

@Module({
  imports: [
    DelayQueueModule.forRootAsync({
      useFactory: () => ({ connection: process.env['REDIS_URL'], prefix: process.env['QUEUE_PREFIX'] ?? 'app' }),
    }),
  ],
  controllers: [RemindersController],
  providers: [RemindersHandler],
})
export class AppModule {}
