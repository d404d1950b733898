import { type PartitionRef, partitionName } from '../../core/partition.js';
import type { LedgerRow } from '../../ports/task-ledger.js';
import { type BookkeepingContext, holdMs, ROWS_AT_ONCE } from './bookkeeping-context.js';
import type { Placement, RowIndexer } from './row-indexer.js';

/** Marks of tasks that were on their way while the loss was noted may come so late. */
const STRAGGLERS_MS = 60_000;

const PROGRESS_EVERY_MS = 5_000;

interface Tally {
  readonly startedAtMs: number;
  readonly total: number;
  loaded: number;
  toldAtMs: number;
}

/**
 * Loads again what the store has lost of a partition, the nearest due first, while consumers work.
 *
 * Any number of processes share the work. What one that dies has taken is staged, and the relay brings it.
 */
export class LedgerRebuild {
  private readonly running = new Map<string, Promise<number>>();
  private stopped = false;
  private wakeUp: () => void = () => undefined;

  constructor(
    private readonly context: BookkeepingContext,
    private readonly indexer: RowIndexer,
  ) {}

  /** Loads until nothing is left for this process; answers how many tasks it has loaded. Rejects when the ledger fails. */
  run(ref: PartitionRef): Promise<number> {
    const name = partitionName(ref);
    let run = this.running.get(name);
    if (run === undefined) {
      run = this.load(ref).finally(() => this.running.delete(name));
      this.running.set(name, run);
    }
    return run;
  }

  /** Ends after the rows that are being loaded. */
  stop(): void {
    this.stopped = true;
    this.wakeUp();
  }

  private async load(ref: PartitionRef): Promise<number> {
    const { ledger, clock } = this.context;
    const { epoch } = await ledger.epochOf(ref);
    const startedAtMs = clock.monotonicMs();
    const total = await ledger.countLost(ref);
    if (total > 0) this.tellStart(ref, total);
    const tally = { startedAtMs, total, loaded: 0, toldAtMs: startedAtMs };
    const isComplete = await this.loadAll(ref, tally);
    if (total > 0) this.tellEnd(ref, tally);
    if (isComplete) await ledger.markRebuilt(ref, epoch, STRAGGLERS_MS);
    return tally.loaded;
  }

  private async loadAll(ref: PartitionRef, tally: Tally): Promise<boolean> {
    const { ledger, clock, options } = this.context;
    const request = { limit: Math.min(ROWS_AT_ONCE, options.rebuildRate), holdMs: holdMs(this.context) };
    while (!this.stopped) {
      const beganAtMs = clock.monotonicMs();
      const rows = await ledger.takeLost(ref, request);
      if (rows.length === 0) return true;
      const placements = await this.indexer.place(rows, 'rebuild');
      tally.loaded += rows.filter((row) => isLoaded(row, placements)).length;
      // The store is away: the relay loads these, and comes back for the rest.
      if (rows.every(({ row }) => placements.get(row) === 'waits')) return false;
      this.tellProgress(ref, tally);
      await this.pause(beganAtMs + (rows.length / options.rebuildRate) * 1_000);
    }
    return false;
  }

  private async pause(untilMs: number): Promise<void> {
    const { clock } = this.context;
    const remainingMs = untilMs - clock.monotonicMs();
    if (remainingMs <= 0 || this.stopped) return;
    await new Promise<void>((resolve) => {
      const timer = clock.setTimer(resolve, remainingMs);
      this.wakeUp = () => {
        timer.cancel();
        resolve();
      };
    });
  }

  private tellStart({ type, partition }: PartitionRef, total: number): void {
    this.context.logger.warn(`${total} tasks of partition ${partition} of '${type}' are loaded again from the ledger.`);
  }

  private tellProgress({ type, partition }: PartitionRef, tally: Tally): void {
    const nowMs = this.context.clock.monotonicMs();
    if (nowMs - tally.toldAtMs < PROGRESS_EVERY_MS) return;
    tally.toldAtMs = nowMs;
    this.context.logger.log(
      `${tally.loaded} of ${tally.total} tasks of partition ${partition} of '${type}' are loaded.`,
    );
  }

  private tellEnd({ type, partition }: PartitionRef, { loaded, startedAtMs }: Tally): void {
    const durationMs = this.context.clock.monotonicMs() - startedAtMs;
    const seconds = (durationMs / 1_000).toFixed(1);
    this.context.logger.log(`${loaded} tasks of partition ${partition} of '${type}' were loaded in ${seconds} s.`);
    this.context.observer.notify({ kind: 'rebuilt', type, partition, tasks: loaded, durationMs });
  }
}

function isLoaded({ row }: LedgerRow, placements: ReadonlyMap<string, Placement>): boolean {
  const placement = placements.get(row);
  return placement === 'created' || placement === 'present';
}
