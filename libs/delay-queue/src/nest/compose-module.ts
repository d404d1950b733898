import type { DynamicModule, Provider } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { type Clock, systemClock } from '../core/clock.js';
import { QueueSettings } from '../options/queue-settings.js';
import type { QueueLogger } from '../ports/queue-event.js';
import type { TaskStore } from '../ports/task-store.js';
import { DelayQueueRuntime, type RuntimeLedger } from '../runtime/delay-queue-runtime.js';
import { createTaskStore } from './create-task-store.js';
import { DeadLetterTrimmer } from './dead-letter-trimmer.js';
import { DelayQueueAdmin } from './delay-queue-admin.js';
import { DelayQueueCoreModule } from './delay-queue-core.module.js';
import { DelayQueueEvents } from './delay-queue-events.js';
import { DelayQueueHealth } from './delay-queue-health.js';
import { DelayQueueProducer } from './delay-queue-producer.js';
import { DELAYED_TASK, DELAYED_TASK_PROVIDER } from './enhancers/delayed-task-request.js';
import { HandlerEnhancerReader } from './enhancers/handler-enhancers.js';
import { EventHub } from './event-hub.js';
import { HandlerExplorer } from './handler-explorer.js';
import { HandlerFactory } from './handler-factory.js';
import { HandlerMetadataAccessor } from './handler-metadata-accessor.js';
import { HandlerRegistry } from './handler-registry.js';
import { HookOrder } from './hook-order.js';
import { IdempotencyService } from './idempotency.service.js';
import { IdempotentHandlers } from './idempotent-handlers.js';
import { Housekeeping } from './housekeeping.js';
import { IntervalRegistryFinder } from './interval-registry.js';
import { LedgerHousekeeping } from './ledger-housekeeping.js';
import { LedgerScheduling } from './ledger-scheduling.js';
import { NestQueueLogger } from './nest-queue-logger.js';
import { QueueLifecycle } from './queue-lifecycle.js';
import { resolveLedger } from './resolve-ledger.js';
import { type ResolvedModuleOptions, resolveModuleOptions } from './resolve-module-options.js';
import { TaskLists } from './task-lists.js';
import { MODULE_OPTIONS, QUEUE_CLOCK, QUEUE_LEDGER, QUEUE_LOGGER, RESOLVED_OPTIONS, TASK_STORE } from './tokens.js';

/** Options that concern the module and not the queue; in `forRootAsync` they stand beside the factory. */
export interface ModuleExtras {
  /**
   * Whether the producer, the admin and the events can be injected in every module without importing this one.
   *
   * @default true
   */
  readonly isGlobal?: boolean;
}

const PUBLIC_PROVIDERS = [DelayQueueProducer, DelayQueueAdmin, DelayQueueEvents, DelayQueueHealth, IdempotencyService];

const HANDLER_PROVIDERS: Provider[] = [
  HandlerMetadataAccessor,
  HandlerExplorer,
  HandlerEnhancerReader,
  HandlerFactory,
  IdempotentHandlers,
  HandlerRegistry,
  DELAYED_TASK_PROVIDER,
];

const LIFE_PROVIDERS: Provider[] = [
  HookOrder,
  DeadLetterTrimmer,
  IntervalRegistryFinder,
  Housekeeping,
  LedgerHousekeeping,
  QueueLifecycle,
];

const QUEUE_PROVIDERS: Provider[] = [
  { provide: RESOLVED_OPTIONS, useFactory: resolveModuleOptions, inject: [MODULE_OPTIONS] },
  { provide: QUEUE_CLOCK, useValue: systemClock },
  { provide: QUEUE_LOGGER, useClass: NestQueueLogger },
  EventHub,
  {
    provide: QueueSettings,
    useFactory: ({ settings }: ResolvedModuleOptions) => settings,
    inject: [RESOLVED_OPTIONS],
  },
  { provide: TASK_STORE, useFactory: createTaskStore, inject: [RESOLVED_OPTIONS, QUEUE_CLOCK, QUEUE_LOGGER] },
  {
    provide: DelayQueueRuntime,
    useFactory: (
      store: TaskStore,
      settings: QueueSettings,
      clock: Clock,
      logger: QueueLogger,
      events: EventHub,
      ledger: RuntimeLedger | null,
    ) => new DelayQueueRuntime({ store, settings, clock, logger, observers: [events], ledger }),
    inject: [TASK_STORE, QueueSettings, QUEUE_CLOCK, QUEUE_LOGGER, EventHub, QUEUE_LEDGER],
  },
  { provide: QUEUE_LEDGER, useFactory: resolveLedger, inject: [MODULE_OPTIONS, QueueSettings] },
  LedgerScheduling,
  TaskLists,
];

/**
 * Puts the parts of a queue together.
 *
 * All of them live in one module that is not global, for the sake of its hooks; what users inject is exported through the
 * outer module, which may be global.
 *
 * @param definition what Nest's builder made of the user's options.
 */
export function composeModule(definition: DynamicModule, { isGlobal = true }: ModuleExtras): DynamicModule {
  const core: DynamicModule = {
    module: DelayQueueCoreModule,
    imports: [DiscoveryModule, ...(definition.imports ?? [])],
    providers: [
      ...(definition.providers ?? []),
      ...QUEUE_PROVIDERS,
      ...PUBLIC_PROVIDERS,
      ...HANDLER_PROVIDERS,
      ...LIFE_PROVIDERS,
    ],
    exports: [...PUBLIC_PROVIDERS, DELAYED_TASK],
  };
  return { module: definition.module, global: isGlobal, imports: [core], exports: [core] };
}
