import type { Clock } from '../core/clock.js';
import { ConfigurationError } from '../core/errors.js';
import { type PartitionRef, partitionName } from '../core/partition.js';
import type { QueueSettings } from '../options/queue-settings.js';
import type { QueueLogger, QueueObserver } from '../ports/queue-event.js';
import type { TaskStore } from '../ports/task-store.js';
import type { Wakeup } from '../ports/wakeup.js';
import type { WatchedParts } from './activity-watcher.js';
import { Lane } from './lane.js';
import type { Progress } from './progress.js';
import { RetryPause } from './retry-pause.js';
import type { StoreMonitor } from './store-monitor.js';
import type { TracedParts } from './tracing/guarded-tracer.js';
import type { TaskHandler } from './task-handler.js';
import type { TypeRegistry } from './type-registry.js';
import { TypeSlots } from './type-slots.js';

/** What the consumer of one type is made of. */
export interface ConsumerParts extends WatchedParts, TracedParts {
  readonly handler: TaskHandler;
  readonly holder: string;
  readonly store: TaskStore;
  readonly settings: QueueSettings;
  readonly types: TypeRegistry;
  readonly clock: Clock;
  readonly monitor: StoreMonitor;
  readonly observer: QueueObserver;
  readonly logger: QueueLogger;
  readonly progress: Progress;
}

/** Runs the tasks of one type: one lane a partition, all of them sharing the type's places. */
export class Consumer {
  readonly lanes: readonly Lane[];
  private readonly slots: TypeSlots;
  private readonly byName: ReadonlyMap<string, Lane>;
  private readonly retry: RetryPause;
  private stopped = false;

  constructor(private readonly parts: ConsumerParts) {
    const { handler, settings, types, progress } = parts;
    const typeSettings = settings.forType(handler.type);
    const slots = new TypeSlots(typeSettings.concurrency);
    this.slots = slots;
    this.lanes = types.partitionsOf(handler.type).map(
      (ref) =>
        new Lane({
          ...parts,
          ref,
          slots,
          settings: typeSettings,
          onEpochLost: (lost) => void types.beginEpoch(lost),
          onProgress: progress.made,
        }),
    );
    this.byName = new Map(this.lanes.map((lane) => [partitionName(lane.ref), lane]));
    this.retry = new RetryPause(parts.clock, () => void this.begin());
  }

  /**
   * Starts the lanes; when the store is away, as soon as it is there, and nobody waits for that.
   *
   * @throws ConfigurationError when the type is set up differently elsewhere.
   */
  async start(): Promise<void> {
    if (this.parts.monitor.health.down) {
      void this.begin();
      return;
    }
    try {
      await this.startLanes();
    } catch (error) {
      if (error instanceof ConfigurationError) throw error;
      this.postpone(error);
    }
  }

  /** Claims no tasks until {@link resume}; may be called before {@link start}. */
  suspend(): void {
    this.slots.suspend();
    // Who wants to claim and has no room gives the arm up, and claims as soon as there is room again.
    this.lanes.forEach((lane) => lane.claim({ force: false }));
  }

  /** Claims again. */
  resume(): void {
    this.slots.resume();
    // Signals were of no use meanwhile, so whether somebody watches the due times is not known.
    this.lanes.forEach((lane) => lane.resubscribed());
  }

  /** Begins no lane that has not begun. */
  stop(): void {
    this.stopped = true;
    this.retry.close();
  }

  heard(wakeup: Wakeup): void {
    if (wakeup.kind === 'resubscribed') this.lanes.forEach((lane) => lane.resubscribed());
    else this.byName.get(partitionName(wakeup.ref))?.heard(wakeup);
  }

  private async begin(): Promise<void> {
    try {
      await this.startLanes();
    } catch (error) {
      if (error instanceof ConfigurationError) {
        this.parts.logger.error(`Tasks of '${this.parts.handler.type}' are not run: ${error.message}`, error);
      } else {
        this.postpone(error);
      }
    }
  }

  private async startLanes(): Promise<void> {
    const { types, store, handler } = this.parts;
    const refs: readonly PartitionRef[] = this.lanes.map(({ ref }) => ref);
    await types.ready(handler.type);
    await store.listen(refs);
    if (!this.stopped) this.lanes.forEach((lane) => lane.start());
  }

  private postpone(error: unknown): void {
    this.parts.monitor.failed(error);
    if (!this.stopped) this.retry.failed();
  }
}
