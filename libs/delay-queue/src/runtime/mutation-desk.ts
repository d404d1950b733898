import type { Clock } from '../core/clock.js';
import { QueueClosedError } from '../core/errors.js';
import { type PartitionRef, partitionOf } from '../core/partition.js';
import type { QueueSettings } from '../options/queue-settings.js';
import type { Durability, Mutation, MutationResult } from '../ports/mutation.js';
import type { QueueObserver } from '../ports/queue-event.js';
import type { TaskStore } from '../ports/task-store.js';
import { MutationBuffer, type MutationCaller, type Submission } from './mutation-buffer.js';
import type { StoreMonitor } from './store-monitor.js';
import type { TypeRegistry } from './type-registry.js';

/** What a mutation desk is made of. */
export interface MutationDeskParts {
  readonly store: TaskStore;
  readonly clock: Clock;
  readonly settings: QueueSettings;
  readonly monitor: StoreMonitor;
  readonly observer: QueueObserver;
  readonly types: TypeRegistry;
}

/** Takes mutations of any type, and sends each through the buffer of its partition. */
export class MutationDesk {
  /** By type, and then by partition. */
  private readonly buffers = new Map<string, MutationBuffer[]>();
  private closed = false;

  constructor(private readonly parts: MutationDeskParts) {}

  /**
   * Carries out one mutation, after all those of its partition that were submitted before it.
   *
   * @throws QueueClosedError, StoreUnavailableError, StoreRejectedError, ConfigurationError
   */
  async submit(type: string, mutation: Mutation, durability?: Durability): Promise<MutationResult> {
    return this.bufferOf(type, mutation.id).submit(mutation, durability);
  }

  /**
   * Carries out several mutations, as if each had been submitted in turn.
   *
   * @returns in the same order what each did, or the error that it would have rejected with.
   * @throws QueueClosedError
   */
  async submitMany(type: string, submissions: readonly Submission[]): Promise<readonly (MutationResult | Error)[]> {
    if (submissions.length === 0) return [];
    return new Promise((resolve) => {
      const caller = new CallerOfMany(submissions.length, resolve);
      submissions.forEach((submission, index) => {
        this.bufferOf(type, submission.mutation.id).add(submission, caller, index);
      });
    });
  }

  /** Takes nothing more; resolves when everything that was taken has been answered. */
  async close(): Promise<void> {
    this.closed = true;
    await Promise.all([...this.buffers.values()].flat().map((buffer) => buffer.drained()));
  }

  private bufferOf(type: string, id: string): MutationBuffer {
    if (this.closed) throw new QueueClosedError();
    const buffers = this.buffers.get(type) ?? this.buffersOf(type);
    const buffer = buffers[partitionOf(id, buffers.length)];
    if (buffer === undefined) throw new RangeError(`'${type}' has no partition for '${id}'`);
    return buffer;
  }

  private buffersOf(type: string): MutationBuffer[] {
    const { partitions } = this.parts.settings.forType(type);
    const buffers = Array.from({ length: partitions }, (_, partition) => this.newBuffer({ type, partition }));
    this.buffers.set(type, buffers);
    return buffers;
  }

  private newBuffer(ref: PartitionRef): MutationBuffer {
    const { store, clock, settings, monitor, types } = this.parts;
    return new MutationBuffer({
      store,
      ref,
      clock,
      timeoutMs: settings.queue.storeTimeoutMs,
      prepare: () => (types.isReady(ref.type) ? null : types.ready(ref.type)),
      onCall: (error) => (error === null ? monitor.completed() : monitor.failed(error)),
      onApplied: (mutation, result) => this.report(ref.type, mutation, result),
    });
  }

  private report(type: string, mutation: Mutation, { status, dueAtMs }: MutationResult): void {
    const { kind, id } = mutation;
    this.parts.observer.notify({ kind: 'mutated', type, id, mutation: kind, status, dueAtMs });
  }
}

/** Waits for all mutations of one call; as with promises, the first outcome of each counts. */
class CallerOfMany implements MutationCaller {
  private readonly outcomes: (MutationResult | Error)[];
  private missing: number;

  constructor(
    count: number,
    private readonly done: (outcomes: readonly (MutationResult | Error)[]) => void,
  ) {
    this.outcomes = Array.from({ length: count });
    this.missing = count;
  }

  resolve(result: MutationResult, index: number): void {
    this.settle(result, index);
  }

  reject(error: unknown, index: number): void {
    this.settle(error instanceof Error ? error : new Error(String(error)), index);
  }

  private settle(outcome: MutationResult | Error, index: number): void {
    if (this.outcomes[index] !== undefined) return;
    this.outcomes[index] = outcome;
    if (--this.missing === 0) this.done(this.outcomes);
  }
}
