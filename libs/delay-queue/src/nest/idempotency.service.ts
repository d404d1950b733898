import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Clock } from '../core/clock.js';
import { InvalidArgumentError } from '../core/errors.js';
import { assertTaskId } from '../core/ids.js';
import type { QueueLogger } from '../ports/queue-event.js';
import { DelayQueueRuntime } from '../runtime/delay-queue-runtime.js';
import { FailureEpisode } from '../runtime/failure-episode.js';
import { GuardedLogger } from '../runtime/guarded-logger.js';
import { OnceRunner, type OnceResult } from '../runtime/once-runner.js';
import { type OnceOptions, readOnceOptions } from './once-options.js';
import { QUEUE_CLOCK, QUEUE_LOGGER } from './tokens.js';

/** Largest result that is kept, as the default limit of payloads. */
const MAX_RESULT_BYTES = 256 * 1024;

/**
 * Does work once under an idempotency key, outside handlers: in a controller, a cron job, a consumer of another queue.
 *
 * Keys are those of `@Idempotent({ key })`: what a task has done is not done again here, and the other way round.
 */
@Injectable()
export class IdempotencyService implements OnApplicationShutdown {
  private readonly runner: OnceRunner;

  /** @internal Made by the module. */
  constructor(
    private readonly runtime: DelayQueueRuntime,
    @Inject(QUEUE_CLOCK) clock: Clock,
    @Inject(QUEUE_LOGGER) given: QueueLogger,
  ) {
    const logger = new GuardedLogger(given);
    const failures = new FailureEpisode(logger, 'Idempotency marks of calls of once() fail');
    const { idempotency: store } = runtime.store;
    this.runner = new OnceRunner({ store, clock, logger, failures, maxResultBytes: MAX_RESULT_BYTES });
  }

  /**
   * Does the work, unless it was done before; waits while somebody else is at it.
   *
   * When the work throws, nothing is remembered, and the error is the caller's. A process that crashes at work keeps the
   * key for 30 s, and then the next caller works: so the work may happen twice, if the crash came after its effect.
   *
   * @param key 1 to 512 bytes of UTF-8.
   * @throws InvalidArgumentError naming the argument.
   * @throws IdempotencyInProgressError when somebody else is at it for longer than `wait`.
   * @throws StoreUnavailableError, StoreRejectedError, QueueClosedError when the work was not begun.
   * @example
   * const { status, result } = await idempotency.once(`charge:${orderId}`, () => payments.charge(orderId), {
   *   ttl: '7d',
   *   keepResult: true,
   * });
   */
  async once<T>(key: string, work: () => T | Promise<T>, options: OnceOptions = {}): Promise<OnceResult<T>> {
    assertTaskId(key, 'key');
    if (typeof work !== 'function') throw new InvalidArgumentError('work', 'must be a function');
    const settings = readOnceOptions(options);
    await this.runtime.opened();
    return this.runner.run({ key, work }, settings);
  }

  onApplicationShutdown(): void {
    this.runner.close();
  }
}
