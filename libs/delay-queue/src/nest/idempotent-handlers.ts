import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Clock } from '../core/clock.js';
import { QueueSettings } from '../options/queue-settings.js';
import { type ResolvedIdempotency, resolveIdempotency } from '../options/resolved-idempotency.js';
import { retryHorizonMs } from '../options/retry-horizon.js';
import type { QueueLogger } from '../ports/queue-event.js';
import type { TaskStore } from '../ports/task-store.js';
import { FailureEpisode } from '../runtime/failure-episode.js';
import { GuardedLogger } from '../runtime/guarded-logger.js';
import { IdempotentHandler } from '../runtime/idempotent-handler.js';
import type { TaskHandler } from '../runtime/task-handler.js';
import { EventHub } from './event-hub.js';
import { QUEUE_CLOCK, QUEUE_LOGGER, TASK_STORE } from './tokens.js';

/** Puts the guard of `@Idempotent` around handlers. */
@Injectable()
export class IdempotentHandlers implements OnApplicationShutdown {
  private readonly guarded: IdempotentHandler[] = [];
  private readonly logger: QueueLogger;
  private readonly failures: FailureEpisode;

  constructor(
    private readonly settings: QueueSettings,
    private readonly events: EventHub,
    @Inject(TASK_STORE) private readonly store: TaskStore,
    @Inject(QUEUE_CLOCK) private readonly clock: Clock,
    @Inject(QUEUE_LOGGER) logger: QueueLogger,
  ) {
    this.logger = new GuardedLogger(logger);
    this.failures = new FailureEpisode(
      this.logger,
      'Idempotency marks fail; the tasks that need them wait until they do not',
    );
  }

  /**
   * Guards a handler whose type's settings are known.
   *
   * @param options what stands in the decorator.
   * @throws ConfigurationError naming the option.
   */
  guard(handler: TaskHandler, options: unknown): TaskHandler {
    const idempotency = resolveIdempotency(options, handler.name);
    const settings = this.settings.forType(handler.type);
    this.warnOfShortTtl(handler, idempotency);
    const { clock, logger, failures } = this;
    const { idempotency: store } = this.store;
    const parts = { handler, idempotency, settings, store, clock, logger, failures, observer: this.events };
    const guarded = new IdempotentHandler(parts);
    this.guarded.push(guarded);
    return guarded;
  }

  onApplicationShutdown(): void {
    for (const handler of this.guarded) handler.close();
  }

  /** Work that is forgotten while a task for it can still come up again is work that happens twice. */
  private warnOfShortTtl({ type, name }: TaskHandler, { ttlMs }: ResolvedIdempotency): void {
    const horizonMs = retryHorizonMs(this.settings.forType(type));
    if (ttlMs >= horizonMs) return;
    this.logger.warn(
      `${name} remembers for ${ttlMs} ms that work was done (ttl), but with its retries and leases a task of '${type}' ` +
        `may come up again for ${horizonMs} ms: such a task would do the work again.`,
    );
  }
}
