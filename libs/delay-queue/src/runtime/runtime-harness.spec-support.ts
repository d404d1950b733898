import { newLife, newTaskId } from '../core/ids.js';
import { partitionOf } from '../core/partition.js';
import { VirtualClock } from '../core/virtual-clock.js';
import { MemoryTaskStore } from '../memory/memory-task-store.js';
import type { QueueOptions } from '../options/queue-options.js';
import { QueueSettings } from '../options/queue-settings.js';
import type { MutationResult } from '../ports/mutation.js';
import type { QueueEvent, QueueLogger } from '../ports/queue-event.js';
import type { TaskStore } from '../ports/task-store.js';
import type { TaskTracer } from '../ports/task-tracer.js';
import type { DelayedTask } from '../task/delayed-task.js';
import { encodeEnvelope, type TaskOverrides } from '../task/envelope.js';
import { DelayQueueRuntime } from './delay-queue-runtime.js';

/** What a test may set of a {@link RuntimeHarness}. */
export interface HarnessOptions {
  readonly store?: TaskStore;
  readonly clock?: VirtualClock;
  readonly options?: QueueOptions;
  readonly tracer?: TaskTracer;
}

/** A runtime on the memory store and a virtual clock, which remembers its events and log lines. */
export class RuntimeHarness {
  readonly clock: VirtualClock;
  readonly store: TaskStore;
  readonly settings: QueueSettings;
  readonly runtime: DelayQueueRuntime;
  readonly events: QueueEvent[] = [];
  readonly lines: string[] = [];

  constructor({
    clock = new VirtualClock(),
    store = new MemoryTaskStore({ clock }),
    options = {},
    tracer,
  }: HarnessOptions = {}) {
    this.clock = clock;
    this.store = store;
    this.settings = new QueueSettings(options);
    const logger: QueueLogger = {
      log: (message) => void this.lines.push(`log ${message}`),
      warn: (message) => void this.lines.push(`warn ${message}`),
      error: (message) => void this.lines.push(`error ${message}`),
    };
    this.runtime = new DelayQueueRuntime({
      store,
      clock,
      logger,
      settings: this.settings,
      tracer: tracer ?? null,
      observers: [{ notify: (event) => void this.events.push(event) }],
    });
  }

  handle(type: string, run: (task: DelayedTask<string>) => unknown): this {
    this.runtime.addHandler({ type, name: `Test.${type}`, run });
    return this;
  }

  async start(): Promise<void> {
    await this.runtime.open();
    await this.runtime.start();
    await this.clock.advanceMs(0);
  }

  async schedule(
    type: string,
    delayMs: number,
    {
      id = newTaskId(),
      payload = null,
      version = 1,
      overrides = {},
    }: { id?: string; payload?: unknown; version?: number; overrides?: TaskOverrides } = {},
  ): Promise<MutationResult> {
    const life = newLife(this.clock.nowMs());
    const envelope = encodeEnvelope({ payloadJson: JSON.stringify(payload), life, version, overrides });
    const mutation = { kind: 'schedule', id, due: { delayMs }, envelope, onDuplicate: 'keep' } as const;
    return this.runtime.submit(type, mutation);
  }

  stateOf(type: string, id: string) {
    const { partitions } = this.settings.forType(type);
    return this.store.get({ type, partition: partitionOf(id, partitions) }, id);
  }

  eventsOf<Kind extends QueueEvent['kind']>(kind: Kind): Extract<QueueEvent, { kind: Kind }>[] {
    return this.events.filter((event): event is Extract<QueueEvent, { kind: Kind }> => event.kind === kind);
  }
}

/** A promise that a test settles when it wants to. */
export function deferred<T = void>(): {
  promise: Promise<T>;
  resolve: (value: T) => void;
  reject: (error: unknown) => void;
} {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
