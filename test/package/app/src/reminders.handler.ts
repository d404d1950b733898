import { Injectable } from '@nestjs/common';
import { type DelayedTask, OnDelayedTask } from 'nestjs-delay-queue';

@Injectable()
export class RemindersHandler {
  readonly reminded: string[] = [];
  private tell: (text: string) => void = () => {};

  /** Resolves with the next reminder. */
  next(): Promise<string> {
    return new Promise((resolve) => {
      this.tell = resolve;
    });
  }

  @OnDelayedTask('reminder', { concurrency: 2 })
  async remind(payload: { text: string }, task: DelayedTask<'reminder'>): Promise<void> {
    if (task.deliveries !== 1) throw new Error(`delivery ${task.deliveries}`);
    this.reminded.push(payload.text);
    this.tell(payload.text);
  }
}
