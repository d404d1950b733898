import type { QueueEvent, QueueLogger, QueueObserver } from '../ports/queue-event.js';

/** Passes events on to every observer; one that throws is logged and changes nothing. */
export class ObserverHub implements QueueObserver {
  constructor(
    private readonly observers: readonly QueueObserver[],
    private readonly logger: QueueLogger,
  ) {}

  notify(event: QueueEvent): void {
    for (const observer of this.observers) {
      try {
        observer.notify(event);
      } catch (error) {
        this.logger.error(`An observer threw on '${event.kind}'.`, error);
      }
    }
  }
}
