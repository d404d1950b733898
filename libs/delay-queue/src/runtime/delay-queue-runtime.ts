import type { Subscription } from 'rxjs';
import type { Clock } from '../core/clock.js';
import { ConfigurationError, isStoreError } from '../core/errors.js';
import { newHolderId } from '../core/ids.js';
import type { ResolvedLedgerOptions } from '../options/ledger-options.js';
import type { QueueSettings } from '../options/queue-settings.js';
import type { Mutation, MutationResult } from '../ports/mutation.js';
import type { QueueLogger, QueueObserver } from '../ports/queue-event.js';
import type { TaskLedger } from '../ports/task-ledger.js';
import type { TaskStore } from '../ports/task-store.js';
import type { TaskTracer } from '../ports/task-tracer.js';
import type { WatchedParts } from './activity-watcher.js';
import { Bookkeeper } from './bookkeeping/bookkeeper.js';
import { LedgerEpochs } from './bookkeeping/ledger-epochs.js';
import { LedgerMonitor } from './bookkeeping/ledger-monitor.js';
import { UnledgeredHandler } from './bookkeeping/unledgered-handler.js';
import { Consumer } from './consumer.js';
import { drain } from './drain.js';
import { GuardedLogger } from './guarded-logger.js';
import { HolderBeat } from './holder-beat.js';
import type { Lane } from './lane.js';
import type { Submission } from './mutation-buffer.js';
import { MutationDesk, type SubmitOptions } from './mutation-desk.js';
import { ObserverHub } from './observer-hub.js';
import { Progress } from './progress.js';
import { DOWN_AFTER_MS, type QueueHealth } from './queue-health.js';
import { StoreMonitor } from './store-monitor.js';
import type { TaskHandler } from './task-handler.js';
import { GuardedTracer } from './tracing/guarded-tracer.js';
import { TypeRegistry } from './type-registry.js';

/** Time that mutations under way have at least, when a stop has used up its own. */
const CLOSE_MS = 250;

/** What a runtime is made of. */
export interface RuntimeParts extends WatchedParts {
  readonly store: TaskStore;
  readonly settings: QueueSettings;
  readonly clock: Clock;
  readonly logger: QueueLogger;
  readonly observers: readonly QueueObserver[];
  /** @default no ledger */
  readonly ledger?: RuntimeLedger | null;
  /** @default none */
  readonly tracer?: TaskTracer | null;
}

/** The ledger of a queue, and how it is looked after. */
export interface RuntimeLedger {
  readonly tasks: TaskLedger;
  readonly options: ResolvedLedgerOptions;
  /** Makes the tables before they are used first; null where others do that. */
  readonly migrate: (() => Promise<void>) | null;
}

/**
 * The queue of one process, without any framework: takes mutations, and runs tasks from {@link start} to {@link stop}.
 *
 * ```
 * new ──open──▶ open ──start──▶ started ──stop──▶ stopped ──close──▶ closed
 * ```
 *
 * `stop` is terminal in every state: a `start` that comes after it does nothing.
 */
export class DelayQueueRuntime {
  readonly store: TaskStore;
  /** Null in a queue without a ledger. */
  readonly books: Bookkeeper | null;
  /** Null in a queue that is not traced. */
  readonly tracer: GuardedTracer | null;
  private readonly handlers = new Map<string, TaskHandler>();
  private readonly holder = newHolderId();
  private readonly observer: QueueObserver;
  private readonly monitor: StoreMonitor;
  private readonly types: TypeRegistry;
  private readonly desk: MutationDesk;
  private readonly progress: Progress;
  private readonly beat: HolderBeat;
  private consumers: ReadonlyMap<string, Consumer> = new Map();
  private readonly suspendedTypes = new Set<string>();
  private wakeups: Subscription | null = null;
  private started = false;
  private stopping: Promise<void> | null = null;
  private stopByMs: number | null = null;
  private closing: Promise<void> | null = null;

  private readonly parts: RuntimeParts;

  constructor(given: RuntimeParts) {
    const parts = { ...given, logger: new GuardedLogger(given.logger) };
    const { store, clock, logger, settings, observers } = parts;
    this.parts = parts;
    this.store = store;
    const { tracer = null } = given;
    this.tracer = tracer && new GuardedTracer({ tracer, queue: settings.queue.prefix, clock, logger });
    // The last, so that the others hear of everything in its order.
    const bookkeeping: QueueObserver = { notify: (event) => this.books?.notify(event) };
    this.observer = new ObserverHub([...observers, bookkeeping], logger);
    this.monitor = new StoreMonitor(clock, this.observer, logger);
    const { observer, monitor } = this;
    const ledger = given.ledger ?? null;
    const ledgerParts = ledger && {
      ...ledger,
      ledger: ledger.tasks,
      monitor: new LedgerMonitor(clock, observer, logger, given.watcher),
    };
    const register = (type: string): Promise<void> => this.types.register(type);
    const epochs = ledgerParts && new LedgerEpochs({ ...ledgerParts, store, logger, register });
    this.types = new TypeRegistry({ store, settings, logger, monitor, epochs });
    const { types } = this;
    this.desk = new MutationDesk({ ...parts, monitor, observer, types });
    const { desk } = this;
    this.books = epochs && new Bookkeeper({ ...parts, ...ledgerParts, observer, types, desk, epochs });
    this.progress = new Progress(clock);
    this.beat = new HolderBeat({ ...parts, holder: this.holder, monitor: this.monitor, lanes: () => this.lanes });
  }

  /** How this process's part of the queue is. */
  get health(): QueueHealth {
    const { down, sinceCompletedMs, error } = this.monitor.health;
    // Who holds an arm looks at the store every few seconds: its silence says something even when no call has failed.
    const isExpectedToCall = !this.store.reliableWakeups && this.lanes.some(({ armed }) => armed);
    return {
      status: (down || isExpectedToCall) && sinceCompletedMs >= DOWN_AFTER_MS ? 'down' : 'up',
      sinceCompletedMs,
      error,
      running: this.lanes.reduce((sum, lane) => sum + lane.running, 0),
      stuck: this.lanes.flatMap(({ stuck }) => stuck),
      warnings: this.types.warnings,
    };
  }

  /**
   * Adds the handler of a type; before {@link start}.
   *
   * @throws ConfigurationError when the type has one already.
   */
  addHandler(handler: TaskHandler): void {
    const other = this.handlers.get(handler.type);
    if (other !== undefined) {
      throw new ConfigurationError(handler.type, `has two handlers, ${other.name} and ${handler.name}; one is allowed`);
    }
    const wrapped = this.books?.wrap(handler) ?? new UnledgeredHandler(handler, this.parts.logger);
    this.handlers.set(handler.type, wrapped);
  }

  /**
   * Opens the store and makes the types of the options ready; a store that is away is logged, and tried again later.
   *
   * @throws ConfigurationError
   */
  async open(): Promise<void> {
    const { settings } = this.parts;
    try {
      await this.books?.check();
      await this.types.open();
      await Promise.all(settings.namedTypes.map((type) => this.types.ready(type)));
    } catch (error) {
      if (!isStoreError(error)) throw error;
      this.monitor.failed(error);
    }
  }

  /** Resolves when the store is open; opens it, if that has not begun. Rejects when it cannot be reached. */
  opened(): Promise<void> {
    return this.types.open();
  }

  /** Resolves when a type can be used: the store is open, and agrees with this process about the type's settings. */
  ready(type: string): Promise<void> {
    return this.types.ready(type);
  }

  /**
   * Begins to run tasks.
   *
   * @throws ConfigurationError
   */
  async start(): Promise<void> {
    if (this.started || this.stopping !== null) return;
    this.started = true;
    this.consumers = new Map([...this.handlers].map(([type, handler]) => [type, this.consumerOf(handler)]));
    for (const type of this.suspendedTypes) this.consumers.get(type)?.suspend();
    this.wakeups = this.store.wakeups$.subscribe((wakeup) => {
      for (const consumer of this.consumers.values()) consumer.heard(wakeup);
    });
    this.beat.start();
    this.books?.start();
    await Promise.all([...this.consumers.values()].map((consumer) => consumer.start()));
  }

  /** Task types that this process has a handler for. */
  get handledTypes(): readonly string[] {
    return [...this.handlers.keys()];
  }

  /** Those of {@link handledTypes} that are suspended. */
  get suspended(): readonly string[] {
    return [...this.suspendedTypes];
  }

  /** Claims no more tasks of a type in this process, until {@link resume}; may be called before {@link start}. */
  suspend(type: string): void {
    this.suspendedTypes.add(type);
    this.consumers.get(type)?.suspend();
  }

  /** Claims tasks of a suspended type again. */
  resume(type: string): void {
    this.suspendedTypes.delete(type);
    this.consumers.get(type)?.resume();
  }

  /** Stops running tasks, within the shutdown time: see `drain`. Never rejects. */
  stop(): Promise<void> {
    this.stopByMs ??= this.parts.clock.monotonicMs() + this.parts.settings.queue.shutdownTimeoutMs;
    if (this.stopping !== null) return this.stopping;
    this.stopping = this.drainLanes();
    this.parts.watcher?.stopping(this.stopping);
    return this.stopping;
  }

  /** Stops, answers the mutations under way, and closes the store. Never rejects. */
  close(): Promise<void> {
    if (this.closing !== null) return this.closing;
    this.closing = this.closeAll();
    this.parts.watcher?.stopping(this.closing);
    return this.closing;
  }

  /** Carries out one mutation, in the order of the calls: see `MutationDesk`. */
  submit(type: string, mutation: Mutation, options?: SubmitOptions): Promise<MutationResult> {
    const answer = this.desk.submit(type, mutation, options);
    const { books } = this;
    return this.watched(books === null ? answer : answer.then((result) => books.follow(type, mutation, result)));
  }

  /** Carries out several mutations of one type: see `MutationDesk`. */
  submitMany(
    type: string,
    submissions: readonly Submission[],
    after?: Promise<void> | null,
  ): Promise<readonly (MutationResult | Error)[]> {
    const answers = this.desk.submitMany(type, submissions, after);
    const { books } = this;
    return this.watched(
      books === null ? answers : answers.then((outcomes) => books.followMany(type, submissions, outcomes)),
    );
  }

  private watched<Answer>(call: Promise<Answer>): Promise<Answer> {
    const { watcher } = this.parts;
    if (watcher === undefined || watcher === null) return call;
    watcher.callBegan();
    return call.finally(() => watcher.callEnded());
  }

  private get lanes(): readonly Lane[] {
    return [...this.consumers.values()].flatMap(({ lanes }) => lanes);
  }

  private consumerOf(handler: TaskHandler): Consumer {
    const { holder, types, monitor, observer, progress, tracer } = this;
    return new Consumer({ ...this.parts, handler, holder, types, monitor, observer, progress, tracer });
  }

  private async drainLanes(): Promise<void> {
    const { clock, logger, settings } = this.parts;
    for (const consumer of this.consumers.values()) consumer.stop();
    void this.books?.stop();
    const { lanes, progress, monitor } = this;
    await drain({ lanes, clock, logger, progress, monitor, timeoutMs: settings.queue.shutdownTimeoutMs });
    this.beat.stop();
    this.wakeups?.unsubscribe();
  }

  private async closeAll(): Promise<void> {
    const { clock, logger, settings } = this.parts;
    await this.stop();
    let answered = false;
    void this.closeBooksAndDesk().then(() => {
      answered = true;
      this.progress.made();
    });
    // Every store call has a time limit, so whatever is under way ends by then; and the stop as a whole has one.
    const nowMs = clock.monotonicMs();
    const leftMs = Math.max(CLOSE_MS, (this.stopByMs ?? nowMs) - nowMs);
    await this.progress.until(() => answered, nowMs + Math.min(settings.queue.storeTimeoutMs, leftMs));
    this.monitor.close();
    try {
      await this.store.close();
    } catch (error) {
      logger.error('The store could not be closed.', error);
    }
    // Closing the store ends its calls; what is still not answered then is answered by its own time limit.
    await this.progress.until(() => answered, clock.monotonicMs() + CLOSE_MS);
  }

  /** What was written in transactions that have committed by now still gets to the store. */
  private async closeBooksAndDesk(): Promise<void> {
    await this.books?.stop();
    await this.books?.close();
    await this.desk.close();
  }
}
