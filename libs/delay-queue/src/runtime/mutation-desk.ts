import type { Clock } from '../core/clock.js';
import { QueueClosedError } from '../core/errors.js';
import { type PartitionRef, partitionName, partitionOf } from '../core/partition.js';
import type { QueueSettings } from '../options/queue-settings.js';
import type { Durability, Mutation, MutationResult } from '../ports/mutation.js';
import type { QueueObserver } from '../ports/queue-event.js';
import type { TaskStore } from '../ports/task-store.js';
import { MutationBuffer } from './mutation-buffer.js';
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
  private readonly buffers = new Map<string, MutationBuffer>();
  private closed = false;

  constructor(private readonly parts: MutationDeskParts) {}

  /**
   * Carries out one mutation, after all those of its partition that were submitted before it.
   *
   * @throws QueueClosedError, StoreUnavailableError, StoreRejectedError, ConfigurationError
   */
  async submit(type: string, mutation: Mutation, durability?: Durability): Promise<MutationResult> {
    if (this.closed) throw new QueueClosedError();
    const { partitions } = this.parts.settings.forType(type);
    const buffer = this.bufferOf({ type, partition: partitionOf(mutation.id, partitions) });
    const result = await buffer.submit(mutation, durability);
    this.report(type, mutation, result);
    return result;
  }

  /** Takes nothing more; resolves when everything that was taken has been answered. */
  async close(): Promise<void> {
    this.closed = true;
    await Promise.all([...this.buffers.values()].map((buffer) => buffer.drained()));
  }

  private bufferOf(ref: PartitionRef): MutationBuffer {
    const name = partitionName(ref);
    let buffer = this.buffers.get(name);
    if (buffer === undefined) {
      buffer = this.newBuffer(ref);
      this.buffers.set(name, buffer);
    }
    return buffer;
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
    });
  }

  private report(type: string, mutation: Mutation, { status, dueAtMs }: MutationResult): void {
    const { kind, id } = mutation;
    this.parts.observer.notify({ kind: 'mutated', type, id, mutation: kind, status, dueAtMs });
  }
}
