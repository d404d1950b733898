import { Injectable } from '@nestjs/common';
import { DelayQueueRuntime } from '../runtime/delay-queue-runtime.js';
import type { QueueHealth } from '../runtime/queue-health.js';

/**
 * Tells how this process's part of the queue is, without asking the store: it is judged by the calls that have completed.
 *
 * For `@nestjs/terminus` there is an indicator under `nestjs-delay-queue/terminus`.
 *
 * @example
 * const { status, stuck } = this.delayQueueHealth.check();
 */
@Injectable()
export class DelayQueueHealth {
  /** @internal Made by the module. */
  constructor(private readonly runtime: DelayQueueRuntime) {}

  check(): QueueHealth {
    return this.runtime.health;
  }
}
