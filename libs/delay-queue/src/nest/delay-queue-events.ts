import { Injectable } from '@nestjs/common';
import { filter, type Observable } from 'rxjs';
import type { QueueEvent } from '../ports/queue-event.js';
import { EventHub } from './event-hub.js';

/** Name of a kind of {@link QueueEvent}. */
export type QueueEventKind = QueueEvent['kind'];

/** The events of one kind. */
export type QueueEventOf<Kind extends QueueEventKind> = Extract<QueueEvent, { kind: Kind }>;

/**
 * Tells what this process did and noticed; what other processes do is not seen here.
 *
 * Its observables complete when the application has shut down. As with every observable, an error that a subscriber
 * throws is an uncaught exception of the process.
 *
 * @example
 * events.of('buried').subscribe(({ type, id, reason }) => alertOperators(`${type} ${id}: ${reason}`));
 */
@Injectable()
export class DelayQueueEvents {
  /** Everything, as it happens. */
  readonly events$: Observable<QueueEvent>;

  /** @internal Made by the module. */
  constructor(hub: EventHub) {
    this.events$ = hub.events$;
  }

  /** The events of one kind, with the fields of that kind. */
  of<Kind extends QueueEventKind>(kind: Kind): Observable<QueueEventOf<Kind>> {
    return this.events$.pipe(filter((event): event is QueueEventOf<Kind> => event.kind === kind));
  }
}
