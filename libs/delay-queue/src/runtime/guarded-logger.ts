import type { QueueLogger } from '../ports/queue-event.js';

/** Passes lines on to the user's logger; one that throws costs its line, which then is a warning of the process. */
export class GuardedLogger implements QueueLogger {
  constructor(private readonly logger: QueueLogger) {}

  log(message: string): void {
    this.guard(message, () => this.logger.log(message));
  }

  warn(message: string): void {
    this.guard(message, () => this.logger.warn(message));
  }

  error(message: string, error?: unknown): void {
    this.guard(message, () => this.logger.error(message, error));
  }

  private guard(message: string, write: () => void): void {
    try {
      write();
    } catch (error) {
      process.emitWarning(`The logger threw (${String(error)}) on: ${message}`, 'DelayQueueWarning');
    }
  }
}
