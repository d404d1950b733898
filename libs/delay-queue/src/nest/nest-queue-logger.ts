import { Inject, Injectable, Logger } from '@nestjs/common';
import type { QueueLogger } from '../ports/queue-event.js';
import { errorText } from '../task/error-text.js';
import { DEFAULT_QUEUE } from './queue-name.js';
import { QUEUE_NAME } from './tokens.js';

/** Writes what an operator should read to the logger of the application, under `DelayQueue` or `DelayQueue:<name>`. */
@Injectable()
export class NestQueueLogger implements QueueLogger {
  private readonly logger: Logger;

  constructor(@Inject(QUEUE_NAME) name: string) {
    this.logger = new Logger(name === DEFAULT_QUEUE ? 'DelayQueue' : `DelayQueue:${name}`);
  }

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
