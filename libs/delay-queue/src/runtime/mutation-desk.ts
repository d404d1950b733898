import type { Clock } from '../core/clock.js';
import { QueueClosedError } from '../core/errors.js';
import { type PartitionRef, partitionOf } from '../core/partition.js';
import type { QueueSettings } from '../options/queue-settings.js';
import type { Durability, Mutation, MutationResult } from '../ports/mutation.js';
import type { QueueObserver } from '../ports/queue-event.js';
import type { TaskStore } from '../ports/task-store.js';
import { CallOrder } from './call-order.js';
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

/** What a caller may say about a mutation. */
export interface SubmitOptions {
  readonly durability?: Durability | undefined;
  /** The mutation is sent when this resolves, and not at all when it rejects; later ones for the task wait for it. */
  readonly after?: Promise<void> | null;
}

/** Takes mutations of any type, and sends each through the buffer of its partition. */
export class MutationDesk {
  /** By type, and then by partition. */
  private readonly buffers = new Map<string, MutationBuffer[]>();
  private readonly order = new CallOrder();
  private closed = false;

  constructor(private readonly parts: MutationDeskParts) {}

  /**
   * Carries out one mutation, after all those for its task that were submitted before it.
   *
   * @throws QueueClosedError, StoreUnavailableError, StoreRejectedError, ConfigurationError
   */
  submit(type: string, mutation: Mutation, options: SubmitOptions = {}): Promise<MutationResult> {
    const { durability, after = null } = options;
    if (after === null && this.order.isIdle) return this.send(type, mutation, durability);
    // A type's name has no blank.
    return this.order.send(`${type} ${mutation.id}`, after, () => this.send(type, mutation, durability));
  }

  /**
   * Carries out several mutations, as if each had been submitted in turn.
   *
   * @param after as in {@link SubmitOptions}: when it rejects nothing was sent, and this rejects with the same error.
   * @returns in the same order what each did, or the error that it would have rejected with.
   * @throws QueueClosedError
   */
  async submitMany(
    type: string,
    submissions: readonly Submission[],
    after: Promise<void> | null = null,
  ): Promise<readonly (MutationResult | Error)[]> {
    if (after === null && this.order.isIdle) return this.sendMany(type, submissions);
    const answers = Promise.allSettled(
      submissions.map(({ mutation, durability }) => this.submit(type, mutation, { durability, after })),
    );
    await after;
    const outcomes = (await answers).map(toOutcome);
    if (outcomes[0] !== undefined && outcomes.every((outcome) => outcome instanceof QueueClosedError))
      throw outcomes[0];
    return outcomes;
  }

  /** Takes nothing more; resolves when everything that was taken has been answered. */
  async close(): Promise<void> {
    this.closed = true;
    await Promise.all([...this.buffers.values()].flat().map((buffer) => buffer.drained()));
  }

  /** Not `async`: each promise around the buffer's own shows in what a call costs. */
  private send(type: string, mutation: Mutation, durability?: Durability): Promise<MutationResult> {
    if (this.closed) return Promise.reject(new QueueClosedError());
    return this.bufferOf(type, mutation.id).submit(mutation, durability);
  }

  private async sendMany(
    type: string,
    submissions: readonly Submission[],
  ): Promise<readonly (MutationResult | Error)[]> {
    if (submissions.length === 0) return [];
    if (this.closed) throw new QueueClosedError();
    return new Promise((resolve) => {
      const caller = new CallerOfMany(submissions.length, resolve);
      submissions.forEach((submission, index) => {
        this.bufferOf(type, submission.mutation.id).add(submission, caller, index);
      });
    });
  }

  private bufferOf(type: string, id: string): MutationBuffer {
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

function toOutcome(answer: PromiseSettledResult<MutationResult>): MutationResult | Error {
  if (answer.status === 'fulfilled') return answer.value;
  return answer.reason instanceof Error ? answer.reason : new Error(String(answer.reason));
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
