import { Injectable } from '@nestjs/common';
import { Observable, type Subscriber } from 'rxjs';
import type { QueueEvent, QueueObserver } from '../ports/queue-event.js';

/**
 * Passes what the runtime observes on to `DelayQueueEvents`, until the application has shut down.
 *
 * Like a `Subject`, without the two closures and the iterator that one makes for each of the events of every task.
 */
@Injectable()
export class EventHub implements QueueObserver {
  /** Replaced, never changed, so that who subscribes or leaves while an event is told disturbs nobody. */
  private subscribers: readonly Subscriber<QueueEvent>[] = [];
  private completed = false;

  readonly events$ = new Observable<QueueEvent>((subscriber) => {
    if (this.completed) {
      subscriber.complete();
      return undefined;
    }
    this.subscribers = [...this.subscribers, subscriber];
    return () => {
      this.subscribers = this.subscribers.filter((other) => other !== subscriber);
    };
  });

  notify(event: QueueEvent): void {
    const { subscribers } = this;
    for (let index = 0; index < subscribers.length; index++) subscribers[index]?.next(event);
  }

  complete(): void {
    const { subscribers } = this;
    this.completed = true;
    for (const subscriber of subscribers) subscriber.complete();
  }
}
