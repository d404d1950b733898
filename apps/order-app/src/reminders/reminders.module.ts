import { Module } from '@nestjs/common';
import { PushNotifications } from './push-notifications.js';
import { ReminderHandler } from './reminder.handler.js';
import { RemindersService } from './reminders.service.js';

@Module({
  providers: [RemindersService, ReminderHandler, PushNotifications],
  exports: [RemindersService],
})
export class RemindersModule {}
