import type { QueueLogger } from '../ports/queue-event.js';
import { errorText } from '../task/error-text.js';

/** Logs that something has begun to fail, once, until it succeeds again. */
export class FailureEpisode {
  private failing = false;

  constructor(
    private readonly logger: QueueLogger,
    /** What cannot be done, and what becomes of it: the beginning of the line. */
    private readonly what: string,
  ) {}

  failed(error: unknown): void {
    if (this.failing) return;
    this.failing = true;
    this.logger.warn(`${this.what}: ${errorText(error)}`);
  }

  succeeded(): void {
    this.failing = false;
  }
}
