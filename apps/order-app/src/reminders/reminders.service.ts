import { Injectable } from '@nestjs/common';
import { DelayQueueProducer } from 'nestjs-delay-queue';

/** What a user wants to be reminded of, and when. */
export interface Reminder {
  readonly id: string;
  readonly userId: string;
  readonly text: string;
  readonly at: Date;
}

/** Reminds users at a set time. */
@Injectable()
export class RemindersService {
  constructor(private readonly delayQueue: DelayQueueProducer) {}

  /** Sets a reminder; one with the same id that still waits is replaced. */
  async set({ id, userId, text, at }: Reminder): Promise<void> {
    await this.delayQueue.schedule('reminder', { userId, text }, { at, id: taskId(id), onDuplicate: 'replace' });
  }

  /** Moves a reminder; false when it is too late for that, or there is none. */
  async move(id: string, at: Date): Promise<boolean> {
    const { status } = await this.delayQueue.reschedule('reminder', taskId(id), { at });
    return status === 'rescheduled';
  }

  /** Takes a reminder back; false when it is too late for that, or there is none. */
  async remove(id: string): Promise<boolean> {
    const { status } = await this.delayQueue.cancel('reminder', taskId(id));
    return status === 'cancelled';
  }
}

function taskId(reminderId: string): string {
  return `reminder:${reminderId}`;
}
