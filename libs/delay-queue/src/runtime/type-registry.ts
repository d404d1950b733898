import { ConfigurationError } from '../core/errors.js';
import type { PartitionRef } from '../core/partition.js';
import type { QueueSettings } from '../options/queue-settings.js';
import type { QueueLogger } from '../ports/queue-event.js';
import type { TaskStore } from '../ports/task-store.js';
import type { LedgerEpochs } from './bookkeeping/ledger-epochs.js';
import type { StoreMonitor } from './store-monitor.js';

/** What a type registry is made of. */
export interface TypeRegistryParts {
  readonly store: TaskStore;
  readonly settings: QueueSettings;
  readonly monitor: StoreMonitor;
  readonly logger: QueueLogger;
  /** Begins epochs in a queue with a ledger, where what was lost is loaded again. */
  readonly epochs: LedgerEpochs | null;
}

/**
 * Makes the store ready for a type before its first use: opened, the type's settings compared, its partitions begun.
 *
 * What has succeeded is not done again; what has failed is tried again by the next caller.
 */
export class TypeRegistry {
  private opening: Promise<void> | null = null;
  private readonly types = new Map<string, Promise<void>>();
  private readonly readyTypes = new Set<string>();
  private storeWarnings: readonly string[] = [];

  constructor(private readonly parts: TypeRegistryParts) {}

  /** What the store said of its server's settings when it was opened. */
  get warnings(): readonly string[] {
    return this.storeWarnings;
  }

  /** The type can be used without waiting. */
  isReady(type: string): boolean {
    return this.readyTypes.has(type);
  }

  /** Opens the store, once. */
  open(): Promise<void> {
    this.opening ??= this.openStore().catch((error: unknown) => {
      this.opening = null;
      throw error;
    });
    return this.opening;
  }

  /**
   * Makes a type ready, once.
   *
   * @throws ConfigurationError when producers and consumers of the type are set up differently.
   * @throws StoreUnavailableError, StoreRejectedError when the store is away.
   */
  ready(type: string): Promise<void> {
    let pending = this.types.get(type);
    if (pending === undefined) {
      pending = this.prepare(type).catch((error: unknown) => {
        this.types.delete(type);
        throw error;
      });
      this.types.set(type, pending);
    }
    return pending;
  }

  /** Begins a new epoch in a partition whose keys have vanished. */
  async beginEpoch(ref: PartitionRef): Promise<void> {
    const { epochs } = this.parts;
    if (epochs !== null) return epochs.lost(ref);
    try {
      await this.register(ref.type);
      await this.parts.store.init(ref);
    } catch (error) {
      if (error instanceof ConfigurationError) this.parts.logger.error(error.message, error);
      else this.parts.monitor.failed(error);
    }
  }

  /** The partitions of a type. */
  partitionsOf(type: string): readonly PartitionRef[] {
    const { partitions } = this.parts.settings.forType(type);
    return Array.from({ length: partitions }, (_, partition) => ({ type, partition }));
  }

  /**
   * Compares a type's settings with those in the store.
   *
   * @throws ConfigurationError
   */
  register(type: string): Promise<void> {
    const { partitions, dedupeForMs } = this.parts.settings.forType(type);
    return this.parts.store.register({ type, partitions, dedupeForMs });
  }

  private async openStore(): Promise<void> {
    this.storeWarnings = await this.parts.store.open();
    for (const warning of this.storeWarnings) this.parts.logger.warn(warning);
    this.parts.monitor.completed();
  }

  private async prepare(type: string): Promise<void> {
    await this.open();
    await this.register(type);
    const { epochs, store } = this.parts;
    const begin = (ref: PartitionRef): Promise<unknown> => (epochs === null ? store.init(ref) : epochs.begin(ref));
    await Promise.all(this.partitionsOf(type).map(begin));
    this.readyTypes.add(type);
  }
}
