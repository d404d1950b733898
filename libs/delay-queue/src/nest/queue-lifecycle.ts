import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { QueueClosedError } from '../core/errors.js';
import type { QueueLogger } from '../ports/queue-event.js';
import { DelayQueueRuntime } from '../runtime/delay-queue-runtime.js';
import { EventHub } from './event-hub.js';
import { HandlerRegistry } from './handler-registry.js';
import { Housekeeping } from './housekeeping.js';
import { LedgerHousekeeping } from './ledger-housekeeping.js';
import type { ResolvedModuleOptions } from './resolve-module-options.js';
import { QUEUE_LOGGER, RESOLVED_OPTIONS } from './tokens.js';

/**
 * Ties the queue to the application's life: opens the store, starts last, drains first, closes.
 *
 * `HookOrder` puts these hooks behind all others on the way up and before all others on the way down. A shutdown that
 * comes while the application still boots is final: the hooks of the way up that Nest calls after it do nothing.
 */
@Injectable()
export class QueueLifecycle implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
  private stopped = false;

  constructor(
    private readonly runtime: DelayQueueRuntime,
    private readonly handlers: HandlerRegistry,
    private readonly housekeeping: Housekeeping,
    private readonly ledgerHousekeeping: LedgerHousekeeping,
    private readonly events: EventHub,
    @Inject(QUEUE_LOGGER) private readonly logger: QueueLogger,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedModuleOptions,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.unlessStopped(async () => {
      this.handlers.register();
      if (this.options.storage.kind === 'embedded') {
        this.logger.log('Tasks are kept in the memory of this process (embedded: true): nothing survives a restart.');
      }
      await this.runtime.open();
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.unlessStopped(async () => {
      await this.runtime.start();
      if (this.stopped) return;
      this.housekeeping.start(this.handlers.types);
      this.ledgerHousekeeping.start();
    });
  }

  async onModuleDestroy(): Promise<void> {
    this.stopped = true;
    this.housekeeping.stop();
    this.ledgerHousekeeping.stop();
    await this.runtime.stop();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.runtime.close();
    this.events.complete();
  }

  /** A boot that fails gives back what it took: an application that did not come up is often not closed by anybody. */
  private async unlessStopped(step: () => Promise<void>): Promise<void> {
    if (this.stopped) return;
    try {
      await step();
    } catch (error) {
      const stoppedMeanwhile = this.stopped && error instanceof QueueClosedError;
      await this.onModuleDestroy();
      await this.onApplicationShutdown();
      if (!stoppedMeanwhile) throw error;
    }
  }
}
