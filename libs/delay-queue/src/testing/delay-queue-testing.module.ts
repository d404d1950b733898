import type {
  DynamicModule,
  FactoryProvider,
  INestApplicationContext,
  InjectionToken,
  Provider,
  ValueProvider,
} from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { DelayQueueAdmin } from '../nest/delay-queue-admin.js';
import type { DelayQueueModuleOptions } from '../nest/delay-queue-module-options.js';
import { DelayQueueModule, type DelayQueueRootOptions } from '../nest/delay-queue.module.js';
import { getDelayQueueToken } from '../nest/get-delay-queue-token.js';
import { QueueInstances } from '../nest/queue-instances.js';
import { DEFAULT_QUEUE } from '../nest/queue-name.js';
import { resolveLedger } from '../nest/resolve-ledger.js';
import {
  ACTIVITY_WATCHER,
  HOUSEKEEPING_EVERY_MS,
  MODULE_OPTIONS,
  QUEUE_CLOCK,
  QUEUE_LEDGER,
  STORAGE,
} from '../nest/tokens.js';
import { QueueSettings } from '../options/queue-settings.js';
import { DelayQueueTestClock } from './delay-queue-test-clock.js';
import { DelayQueueTestTasks } from './delay-queue-test-tasks.js';
import { ledgerOnTestClock } from './ledger-on-test-clock.js';
import { QueueWatch } from './queue-watch.js';

/** A month has 43,200 minutes: at the usual pace, housekeeping would be most of what a long test does. */
const HOUSEKEEPING_MS = 3_600_000;

/** What a test may set. */
export interface DelayQueueTestingOptions {
  /** The clock of the queue; several queues, or several applications, may share one. @default a new one */
  readonly clock?: DelayQueueTestClock;
}

/** Options of a queue that is made for a test. */
export type DelayQueueTestingRootOptions = Omit<DelayQueueRootOptions, 'connection' | 'embedded'> &
  DelayQueueTestingOptions;

/** What a test holds of a queue. */
export interface DelayQueueTesting {
  /** Moves the time. */
  readonly clock: DelayQueueTestClock;
  /** Shows what is scheduled, and what has run. */
  readonly tasks: DelayQueueTestTasks;
}

/** A part of a queue that tests replace. */
type Replacement = ValueProvider | FactoryProvider;

/** What is used of Nest's `TestingModuleBuilder`, so that `@nestjs/testing` need not be installed for the types. */
interface Overridable {
  overrideProvider(token: unknown): {
    useValue(value: unknown): unknown;
    useFactory(options: { factory: FactoryProvider['useFactory']; inject: InjectionToken[] }): unknown;
  };
}

/**
 * Puts queues under test: their tasks are kept in memory, without Redis, and the time is the test's own. A ledger stays what
 * it is, rows in the application's database, and goes by the test's clock.
 *
 * It works with every test runner. Close the application at the end of a test, and nothing is left.
 *
 * @example
 * const builder = Test.createTestingModule({ imports: [AppModule] });
 * const app = await DelayQueueTestingModule.override(builder).compile();
 * await app.init();
 * const { clock, tasks } = DelayQueueTestingModule.of(app);
 *
 * await app.get(OrdersService).place('42');
 * await tasks.expectScheduled('order_timeout', { id: 'order:42', in: '30m' });
 * await clock.advance('30m');
 * await app.close();
 */
export class DelayQueueTestingModule {
  /**
   * Replaces store and clock of every queue of an application, which keeps all its other options; no `connection` is
   * needed, and none is used.
   *
   * @param builder as `Test.createTestingModule` returns it.
   * @returns the same builder.
   */
  static override<Builder extends Overridable>(builder: Builder, options: DelayQueueTestingOptions = {}): Builder {
    const { clock = new DelayQueueTestClock() } = options;
    for (const replacement of replacements(clock)) {
      const override = builder.overrideProvider(replacement.provide);
      if ('useValue' in replacement) override.useValue(replacement.useValue);
      else
        override.useFactory({ factory: replacement.useFactory, inject: [...(replacement.inject ?? [])] as symbol[] });
    }
    return builder;
  }

  /**
   * Makes a queue for the test of a single module, to be imported in the place of `DelayQueueModule.forRoot`.
   *
   * @throws ConfigurationError when the options are not acceptable; most of them are checked at boot.
   * @example
   * Test.createTestingModule({ imports: [DelayQueueTestingModule.forRoot(), RemindersModule] })
   */
  static forRoot(options: DelayQueueTestingRootOptions = {}): DynamicModule {
    const { clock = new DelayQueueTestClock(), ...queue } = options;
    return withProviders(DelayQueueModule.forRoot({ ...queue, embedded: true }), replacements(clock));
  }

  /**
   * Gives the clock and the tasks of a queue in an application, from when it is compiled.
   *
   * @param name of the queue, where the application has several.
   * @throws Error when there is no such queue, or it is not under test.
   */
  static of(app: INestApplicationContext, name: string = DEFAULT_QUEUE): DelayQueueTesting {
    const core = new QueueInstances(app.get(ModulesContainer)).coreOf(name);
    if (core === undefined) throw new Error(`This application has no queue '${name}'.`);
    const clock: unknown = core.providers.get(QUEUE_CLOCK)?.instance;
    const watch: unknown = core.providers.get(ACTIVITY_WATCHER)?.instance;
    if (!(clock instanceof DelayQueueTestClock) || !(watch instanceof QueueWatch)) {
      throw new Error(
        `The queue '${name}' is not under test: use DelayQueueTestingModule.override, or its forRoot instead of that of ` +
          'DelayQueueModule.',
      );
    }
    const admin = app.get<DelayQueueAdmin>(getDelayQueueToken(name, DelayQueueAdmin), { strict: false });
    return { clock, tasks: new DelayQueueTestTasks({ admin, clock, watch }) };
  }
}

/** What a queue under test has in the place of its own parts. */
function replacements(clock: DelayQueueTestClock): readonly Replacement[] {
  return [
    { provide: QUEUE_CLOCK, useValue: clock },
    { provide: STORAGE, useValue: { kind: 'embedded' } },
    { provide: HOUSEKEEPING_EVERY_MS, useValue: HOUSEKEEPING_MS },
    { provide: ACTIVITY_WATCHER, useFactory: () => clock.watch() },
    {
      provide: QUEUE_LEDGER,
      useFactory: (options: DelayQueueModuleOptions, settings: QueueSettings) => {
        const ledger = resolveLedger(options, settings);
        return ledger && ledgerOnTestClock(ledger, clock);
      },
      inject: [MODULE_OPTIONS, QueueSettings],
    },
  ];
}

/** Puts providers into the module that holds the queue, where the last one for a token counts. */
function withProviders(queue: DynamicModule, providers: readonly Provider[]): DynamicModule {
  const [core] = (queue.imports ?? []) as readonly DynamicModule[];
  if (core === undefined) throw new Error('The queue has no module of its own.');
  const replaced: DynamicModule = { ...core, providers: [...(core.providers ?? []), ...providers] };
  return { ...queue, imports: [replaced], exports: [replaced] };
}
