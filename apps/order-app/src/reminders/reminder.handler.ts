import { Injectable } from '@nestjs/common';
import { type DelayedTask, OnDelayedTask } from 'nestjs-delay-queue';
import { PushNotifications } from './push-notifications.js';

/** Runs when the time of a reminder has come. */
@Injectable()
export class ReminderHandler {
  constructor(private readonly notifications: PushNotifications) {}

  @OnDelayedTask('reminder', { maxRetries: 10 })
  async push(
    { userId, text }: { readonly userId: string; readonly text: string },
    task: DelayedTask<'reminder'>,
  ): Promise<void> {
    // The life tells a reminder from an earlier one with its id; it stays the same through retries.
    await this.notifications.send({ userId, text, key: `${task.id}:${task.life}` });
  }
}
