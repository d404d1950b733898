import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { QueueClosedError } from '../core/errors.js';
import { QueueSettings } from '../options/queue-settings.js';
import type { QueueLogger } from '../ports/queue-event.js';
import { DelayQueueRuntime } from '../runtime/delay-queue-runtime.js';
import { assertSeparateQueues } from './assert-separate-queues.js';
import { EventHub } from './event-hub.js';
import { HandlerRegistry } from './handler-registry.js';
import { Housekeeping } from './housekeeping.js';
import { LedgerHousekeeping } from './ledger-housekeeping.js';
import { type QueueInstance, QueueInstances } from './queue-instances.js';
import { withQueueName } from './queue-name.js';
import type { ResolvedModuleOptions } from './resolve-module-options.js';
import type { Storage } from './resolve-storage.js';
import { QUEUE_LOGGER, QUEUE_NAME, RESOLVED_OPTIONS, STORAGE } from './tokens.js';

/**
 * Ties the queue to the application's life: opens the store, starts last, drains first, closes.
 *
 * `HookOrder` puts these hooks behind all others on the way up and before all others on the way down. A shutdown that
 * comes while the application still boots is final: the hooks of the way up that Nest calls after it do nothing. The first
 * of several queues whose hook is called stops them all, so that they share one shutdown time.
 */
@Injectable()
export class QueueLifecycle
  implements QueueInstance, OnModuleInit, OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown
{
  private stopped = false;
  private bootstrapped = false;
  private startWanted: boolean;
  private starting: Promise<void> | null = null;

  constructor(
    private readonly instances: QueueInstances,
    private readonly runtime: DelayQueueRuntime,
    private readonly handlers: HandlerRegistry,
    private readonly housekeeping: Housekeeping,
    private readonly ledgerHousekeeping: LedgerHousekeeping,
    private readonly events: EventHub,
    private readonly settings: QueueSettings,
    @Inject(QUEUE_NAME) readonly name: string,
    @Inject(STORAGE) readonly storage: Storage,
    @Inject(QUEUE_LOGGER) private readonly logger: QueueLogger,
    @Inject(RESOLVED_OPTIONS) { autoStart }: ResolvedModuleOptions,
  ) {
    this.startWanted = autoStart;
  }

  get prefix(): string {
    return this.settings.queue.prefix;
  }

  /** Handlers run, as far as this process has any and none of their types is paused. */
  get started(): boolean {
    return this.starting !== null && !this.stopped;
  }

  async onModuleInit(): Promise<void> {
    await this.unlessStopped(async () => {
      assertSeparateQueues(this, this.instances.all);
      this.handlers.register();
      if (this.storage.kind === 'embedded') {
        this.logger.log('Tasks are kept in the memory of this process (embedded: true): nothing survives a restart.');
      }
      await this.runtime.open();
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.unlessStopped(async () => {
      this.bootstrapped = true;
      if (this.startWanted) await this.startOnce();
      else this.logger.log('Handlers wait for DelayQueueRunner.start() (autoStart: false).');
    });
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.instances.all.map((queue) => queue.stop()));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.close();
  }

  /**
   * Begins to run handlers; before the application is up, only notes that they are to start with it.
   *
   * @throws QueueClosedError after the shutdown has begun.
   * @throws ConfigurationError when a type is set up differently elsewhere; no handler runs then.
   */
  async start(): Promise<void> {
    if (this.stopped) throw new QueueClosedError();
    this.startWanted = true;
    if (!this.bootstrapped) return;
    try {
      await this.startOnce();
    } catch (error) {
      await this.stop();
      throw withQueueName(error, this.name);
    }
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.housekeeping.stop();
    this.ledgerHousekeeping.stop();
    await this.runtime.stop();
  }

  async close(): Promise<void> {
    await this.runtime.close();
    this.events.complete();
  }

  private startOnce(): Promise<void> {
    this.starting ??= this.startRuntime();
    return this.starting;
  }

  private async startRuntime(): Promise<void> {
    await this.runtime.start();
    if (this.stopped) return;
    this.housekeeping.start(this.handlers.types);
    this.ledgerHousekeeping.start();
  }

  /** A boot that fails gives back what it took: an application that did not come up is often not closed by anybody. */
  private async unlessStopped(step: () => Promise<void>): Promise<void> {
    if (this.stopped) return;
    try {
      await step();
    } catch (error) {
      const stoppedMeanwhile = this.stopped && error instanceof QueueClosedError;
      await this.onModuleDestroy();
      await Promise.all(this.instances.all.map((queue) => queue.close()));
      if (!stoppedMeanwhile) throw withQueueName(error, this.name);
    }
  }
}
