import { ConfigurationError } from '../../core/errors.js';
import type { PartitionRef } from '../../core/partition.js';
import type { DueTime, Mutation, MutationResult } from '../../ports/mutation.js';
import type { QueueEvent, QueueObserver } from '../../ports/queue-event.js';
import type { ChangedRow, NewLedgerTask, StageResult, TaskKey } from '../../ports/task-ledger.js';
import type { LedgerConnection } from '../../task/ledger-connection.js';
import type { Submission } from '../mutation-buffer.js';
import type { TaskHandler } from '../task-handler.js';
import type { TypeRegistry } from '../type-registry.js';
import { type BookkeepingContext, partitionFor } from './bookkeeping-context.js';
import { CompensationSweep, type SweepResult } from './compensation-sweep.js';
import { LedgerDesk } from './ledger-desk.js';
import type { LedgerEpochs } from './ledger-epochs.js';
import { LedgerRebuild } from './ledger-rebuild.js';
import { LedgerRelay } from './ledger-relay.js';
import { LedgeredHandler } from './ledgered-handler.js';
import { OwnRowWatch } from './own-row-watch.js';
import { type Placement, RowIndexer } from './row-indexer.js';
import { rowInStore } from './row-in-store.js';
import { StoreFollower } from './store-follower.js';

/** What a bookkeeper is made of, beside the context. */
export interface BookkeeperParts extends BookkeepingContext {
  readonly epochs: LedgerEpochs;
  readonly types: TypeRegistry;
  /** Makes the tables; null where others do that. */
  readonly migrate: (() => Promise<void>) | null;
}

/**
 * Keeps store and ledger in step: what is written in transactions gets to the store, what the store forgets is restored,
 * what ends is noted.
 */
export class Bookkeeper implements QueueObserver {
  private readonly indexer: RowIndexer;
  private readonly watch: OwnRowWatch;
  private readonly rebuilding: LedgerRebuild;
  private readonly relay: LedgerRelay;
  private readonly sweeping: CompensationSweep;
  private readonly follower: StoreFollower;
  private readonly desk: LedgerDesk;

  constructor(private readonly parts: BookkeeperParts) {
    this.indexer = new RowIndexer(parts);
    this.watch = new OwnRowWatch(parts, this.indexer);
    this.rebuilding = new LedgerRebuild(parts, this.indexer);
    this.relay = new LedgerRelay(parts, { indexer: this.indexer, epochs: parts.epochs, rebuild: this.rebuilding });
    this.sweeping = new CompensationSweep(parts, this.indexer);
    this.desk = new LedgerDesk(parts.ledger);
    this.follower = new StoreFollower(parts, { watch: this.watch, desk: this.desk });
  }

  /**
   * Looks whether the ledger can be used; a database that is away is logged, and used when it is back.
   *
   * @throws ConfigurationError when its tables are missing.
   */
  async check(): Promise<void> {
    try {
      await this.parts.migrate?.();
      await this.parts.ledger.check();
    } catch (error) {
      if (error instanceof ConfigurationError) throw error;
      this.parts.monitor.failed(error);
    }
  }

  /** Whether tasks of a type may have rows. */
  covers(type: string): boolean {
    const { types } = this.parts.options;
    return types === null || types.has(type);
  }

  /** Lets a handler run tasks of the ledger by its rules. */
  wrap(handler: TaskHandler): TaskHandler {
    const { ledger, monitor, clock, observer, epochs, settings } = this.parts;
    return new LedgeredHandler(handler, {
      ledger,
      desk: this.desk,
      monitor,
      clock,
      observer,
      isOfLostTime: (run) => epochs.isOfLostTime(partitionFor(settings, run), run.createdAt.getTime()),
    });
  }

  /** Begins to look after rows that nobody looks after. */
  start(): void {
    this.relay.start();
  }

  /** Ends everything but the watch over own rows. */
  async stop(): Promise<void> {
    this.sweeping.stop();
    this.rebuilding.stop();
    await this.relay.stop();
  }

  /** Looks once more at rows whose transactions were open, and ends. */
  async close(): Promise<void> {
    await this.watch.close();
    this.parts.monitor.close();
  }

  /** Writes a task in a transaction, and begins to ask for its commit. */
  async stage(task: NewLedgerTask, tx: LedgerConnection): Promise<StageResult> {
    const result = await this.parts.ledger.stage(task, tx);
    this.watch.add(result.row);
    return result;
  }

  /** Cancels a task in a transaction. */
  async cancel(task: TaskKey, tx: LedgerConnection): Promise<ChangedRow | null> {
    return this.watched(await this.parts.ledger.cancel(task, tx));
  }

  /** Moves a task in a transaction. */
  async reschedule(task: TaskKey, due: DueTime, tx: LedgerConnection): Promise<ChangedRow | null> {
    return this.watched(await this.parts.ledger.reschedule(task, due, tx));
  }

  /** Brings a row to the store at once; null when its transaction has not committed. */
  index(row: string): Promise<Placement | null> {
    return this.watch.lookAt(row);
  }

  /** See `StoreFollower`. */
  follow(type: string, mutation: Mutation, result: MutationResult): Promise<MutationResult> {
    return this.follower.follow(type, mutation, result);
  }

  /** The same for several mutations; one that the ledger fails to follow has its error in place of its result. */
  followMany(
    type: string,
    submissions: readonly Submission[],
    outcomes: readonly (MutationResult | Error)[],
  ): Promise<readonly (MutationResult | Error)[]> {
    return this.follower.followMany(type, submissions, outcomes);
  }

  /** One pass of the compensation sweep. Never rejects. */
  sweep(): Promise<SweepResult> {
    return this.sweeping.pass();
  }

  /**
   * Loads every task of a type again that the ledger has and the store has not.
   *
   * @returns how many rows this process went through.
   * @throws LedgerUnavailableError, StoreUnavailableError, StoreRejectedError
   */
  async rebuild(type: string): Promise<number> {
    const refs = this.parts.types.partitionsOf(type);
    await this.parts.types.ready(type);
    const loaded = await Promise.all(refs.map((ref) => this.rebuildPartition(ref)));
    return loaded.reduce((sum, count) => sum + count, 0);
  }

  /** Ends the rows of tasks that became dead letters elsewhere than in a handler. */
  notify(event: QueueEvent): void {
    if (event.kind === 'buried' && this.covers(event.type)) void this.noteBurial(event);
  }

  private async rebuildPartition(ref: PartitionRef): Promise<number> {
    await this.parts.epochs.renew(ref);
    return this.rebuilding.run(ref);
  }

  private async noteBurial(key: TaskKey): Promise<void> {
    // When it cannot be read, the sweep finds the dead letter.
    const row = await rowInStore(this.parts, key, ['dead']);
    if (row !== null) await this.parts.monitor.attempt(() => this.desk.end(row, 'dead'));
  }

  private watched(changed: ChangedRow | null): ChangedRow | null {
    if (changed !== null) this.watch.add(changed.row, changed.version);
    return changed;
  }
}
