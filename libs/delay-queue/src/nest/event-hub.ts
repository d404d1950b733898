import { Injectable } from '@nestjs/common';
import { Subject } from 'rxjs';
import type { QueueEvent, QueueObserver } from '../ports/queue-event.js';

/** Passes what the runtime observes on to `DelayQueueEvents`, until the application has shut down. */
@Injectable()
export class EventHub implements QueueObserver {
  private readonly subject = new Subject<QueueEvent>();

  readonly events$ = this.subject.asObservable();

  notify(event: QueueEvent): void {
    this.subject.next(event);
  }

  complete(): void {
    this.subject.complete();
  }
}
