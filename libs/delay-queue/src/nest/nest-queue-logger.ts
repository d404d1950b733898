import { Injectable, Logger } from '@nestjs/common';
import type { QueueLogger } from '../ports/queue-event.js';
import { errorText } from '../task/error-text.js';

/** Writes what an operator should read to the logger of the application, under the context `DelayQueue`. */
@Injectable()
export class NestQueueLogger implements QueueLogger {
  private readonly logger = new Logger('DelayQueue');

  log(message: string): void {
    this.logger.log(message);
  }

  warn(message: string): void {
    this.logger.warn(message);
  }

  error(message: string, error?: unknown): void {
    if (error === undefined) this.logger.error(message);
    else this.logger.error(message, errorText(error));
  }
}
