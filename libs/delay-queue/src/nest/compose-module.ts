import type { DynamicModule, Provider } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { type Clock, systemClock } from '../core/clock.js';
import { QueueSettings } from '../options/queue-settings.js';
import type { QueueLogger } from '../ports/queue-event.js';
import type { TaskStore } from '../ports/task-store.js';
import type { ActivityWatcher } from '../runtime/activity-watcher.js';
import { DelayQueueRuntime, type RuntimeLedger } from '../runtime/delay-queue-runtime.js';
import { createQueueSettings } from './create-queue-settings.js';
import { createTaskStore } from './create-task-store.js';
import { DeadLetterTrimmer } from './dead-letter-trimmer.js';
import { DelayQueueAdmin } from './delay-queue-admin.js';
import { DelayQueueCoreModule } from './delay-queue-core.module.js';
import { DelayQueueEvents } from './delay-queue-events.js';
import { DelayQueueHealth } from './delay-queue-health.js';
import type { DelayQueueModuleOptions } from './delay-queue-module-options.js';
import { DelayQueueProducer } from './delay-queue-producer.js';
import { DelayQueueRunner } from './delay-queue-runner.js';
import { DELAYED_TASK, DELAYED_TASK_PROVIDER } from './enhancers/delayed-task-request.js';
import { HandlerEnhancerReader } from './enhancers/handler-enhancers.js';
import { EventHub } from './event-hub.js';
import { FeatureTypesFinder } from './feature-types-finder.js';
import { getDelayQueueToken } from './get-delay-queue-token.js';
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
import { QueueInstances } from './queue-instances.js';
import { QueueLifecycle } from './queue-lifecycle.js';
import { readQueueName, withQueueName } from './queue-name.js';
import { resolveLedger } from './resolve-ledger.js';
import { type ResolvedModuleOptions, resolveModuleOptions } from './resolve-module-options.js';
import { resolveStorage, type Storage } from './resolve-storage.js';
import { TaskLists } from './task-lists.js';
import {
  ACTIVITY_WATCHER,
  HOUSEKEEPING_EVERY_MS,
  MODULE_OPTIONS,
  QUEUE_CLOCK,
  QUEUE_INSTANCE,
  QUEUE_LEDGER,
  QUEUE_LOGGER,
  QUEUE_NAME,
  RESOLVED_OPTIONS,
  STORAGE,
  TASK_STORE,
} from './tokens.js';

/** Options that concern the module and not the queue; in `forRootAsync` they stand beside the factory. */
export interface ModuleExtras {
  /**
   * Whether the producer, the admin and the events can be injected in every module without importing this one.
   *
   * @default true
   */
  readonly isGlobal?: boolean;
  /**
   * Tells the queue from the other queues of the application: 1 to 100 of `A-Z a-z 0-9 _ . -`. It is not part of the keys.
   *
   * @default 'default'
   */
  readonly name?: string | undefined;
}

/**
 * What users inject. In a queue with a name these have tokens of their own and not their classes: none of them, and no
 * other part, may ask for one of them by its class, for it would get that of the default queue.
 */
const PUBLIC_PARTS = [
  DelayQueueProducer,
  DelayQueueAdmin,
  DelayQueueEvents,
  DelayQueueHealth,
  IdempotencyService,
  DelayQueueRunner,
];

const HANDLER_PROVIDERS: Provider[] = [
  HandlerMetadataAccessor,
  HandlerExplorer,
  HandlerEnhancerReader,
  HandlerFactory,
  IdempotentHandlers,
  HandlerRegistry,
  DELAYED_TASK_PROVIDER,
];

/** Dead letters are bounded by days and thousands; a minute is often enough and costs next to nothing. */
const HOUSEKEEPING_MS = 60_000;

const LIFE_PROVIDERS: Provider[] = [
  { provide: HOUSEKEEPING_EVERY_MS, useValue: HOUSEKEEPING_MS },
  QueueInstances,
  HookOrder,
  DeadLetterTrimmer,
  IntervalRegistryFinder,
  Housekeeping,
  LedgerHousekeeping,
  QueueLifecycle,
  { provide: QUEUE_INSTANCE, useExisting: QueueLifecycle },
];

const QUEUE_PROVIDERS: Provider[] = [
  {
    provide: RESOLVED_OPTIONS,
    useFactory: (name: string, options: DelayQueueModuleOptions) => inQueue(name, () => resolveModuleOptions(options)),
    inject: [QUEUE_NAME, MODULE_OPTIONS],
  },
  {
    provide: STORAGE,
    useFactory: (name: string, options: DelayQueueModuleOptions) => inQueue(name, () => resolveStorage(options)),
    // The last, so that what are no options at all has been refused before.
    inject: [QUEUE_NAME, MODULE_OPTIONS, RESOLVED_OPTIONS],
  },
  { provide: QUEUE_CLOCK, useValue: systemClock },
  { provide: QUEUE_LOGGER, useClass: NestQueueLogger },
  // A factory, because a test's own factory would not be called by Nest 11 in the place of a value.
  { provide: ACTIVITY_WATCHER, useFactory: () => null },
  EventHub,
  FeatureTypesFinder,
  {
    provide: QueueSettings,
    useFactory: (name: string, resolved: ResolvedModuleOptions, features: FeatureTypesFinder) =>
      createQueueSettings(resolved, features).catch((error: unknown) => {
        throw withQueueName(error, name);
      }),
    inject: [QUEUE_NAME, RESOLVED_OPTIONS, FeatureTypesFinder],
  },
  {
    provide: TASK_STORE,
    useFactory: (name: string, storage: Storage, settings: QueueSettings, clock: Clock, logger: QueueLogger) =>
      inQueue(name, () => createTaskStore({ storage, options: settings.queue, clock, logger })),
    inject: [QUEUE_NAME, STORAGE, QueueSettings, QUEUE_CLOCK, QUEUE_LOGGER],
  },
  {
    provide: DelayQueueRuntime,
    useFactory: (
      store: TaskStore,
      settings: QueueSettings,
      clock: Clock,
      logger: QueueLogger,
      events: EventHub,
      watcher: ActivityWatcher | null,
      ledger: RuntimeLedger | null,
      { tracer }: ResolvedModuleOptions,
    ) => new DelayQueueRuntime({ store, settings, clock, logger, observers: [events], watcher, ledger, tracer }),
    inject: [
      TASK_STORE,
      QueueSettings,
      QUEUE_CLOCK,
      QUEUE_LOGGER,
      EventHub,
      ACTIVITY_WATCHER,
      QUEUE_LEDGER,
      RESOLVED_OPTIONS,
    ],
  },
  {
    provide: QUEUE_LEDGER,
    useFactory: (name: string, options: DelayQueueModuleOptions, settings: QueueSettings) =>
      inQueue(name, () => resolveLedger(options, settings)),
    inject: [QUEUE_NAME, MODULE_OPTIONS, QueueSettings],
  },
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
 * @throws ConfigurationError when the name cannot be one.
 */
export function composeModule(
  definition: DynamicModule,
  { isGlobal = true, name: givenName }: ModuleExtras,
): DynamicModule {
  const name = readQueueName(givenName);
  const publicParts = PUBLIC_PARTS.map((part) => ({ provide: getDelayQueueToken<object>(name, part), useClass: part }));
  const core: DynamicModule = {
    module: DelayQueueCoreModule,
    imports: [DiscoveryModule, ...(definition.imports ?? [])],
    providers: [
      ...(definition.providers ?? []),
      { provide: QUEUE_NAME, useValue: name },
      ...QUEUE_PROVIDERS,
      ...publicParts,
      ...HANDLER_PROVIDERS,
      ...LIFE_PROVIDERS,
    ],
    exports: [...publicParts.map(({ provide }) => provide), DELAYED_TASK],
  };
  return { module: definition.module, global: isGlobal, imports: [core], exports: [core] };
}

/** Lets an error of a queue's set-up say which queue it is about. */
function inQueue<Made>(name: string, make: () => Made): Made {
  try {
    return make();
  } catch (error) {
    throw withQueueName(error, name);
  }
}
