import { isStoreError, StoreUnavailableError } from '../../core/errors.js';
import { partitionName } from '../../core/partition.js';
import type { Mutation, MutationResult } from '../../ports/mutation.js';
import type { LedgerRow, PostponedRow } from '../../ports/task-ledger.js';
import type { TaskRecord } from '../../ports/task-record.js';
import { errorText } from '../../task/error-text.js';
import { ledgerRowOf, withLedgerCheck } from '../../task/ledger-envelope.js';
import { type BookkeepingContext, partitionFor } from './bookkeeping-context.js';
import { postponement } from './postponement.js';

/** Who brings rows to the store. */
export type IndexedBy = 'watch' | 'relay' | 'sweep' | 'rebuild';

/**
 * What became of a row: the store has its task (`present`: had it before), the row has ended, or it must be looked at
 * again.
 */
export type Placement = 'created' | 'present' | 'ended' | 'waits';

/** Those who bring what the store has lost; the relay what another process has not got to. */
const LOADING: ReadonlySet<IndexedBy> = new Set(['rebuild', 'relay']);

/** Due times of store and ledger that differ by less are the same: clocks differ, and reading takes its time. */
const SAME_DUE_MS = 5_000;

/** What became of rows. */
interface Placed {
  readonly placements: ReadonlyMap<string, Placement>;
  /** Those that wait because the store cannot be reached, which is none of their fault. */
  readonly away: ReadonlySet<string>;
  readonly by: IndexedBy;
}

/** A row that was tried this often goes alone, so that it cannot spoil the calls of others. */
const ALONE_FROM_ATTEMPT = 3;

/**
 * Brings the tasks of rows to the store, whatever the store has under their ids.
 *
 * The store comes first and the row's mark second: whatever is cut off in between is done again, and finds its own task
 * there. No lock is held meanwhile, and no two of these need to know of each other.
 */
export class RowIndexer {
  constructor(private readonly context: BookkeepingContext) {}

  /** Places rows, and takes note of it in the ledger. Rejects when the ledger fails; then all is done again later. */
  async place(rows: readonly LedgerRow[], by: IndexedBy): Promise<ReadonlyMap<string, Placement>> {
    const placements = new Map<string, Placement>();
    const away = new Set<string>();
    const awayPartitions = new Set<string>();
    const noteAway = (row: LedgerRow): void => {
      away.add(row.row);
      awayPartitions.add(partitionName(row));
    };
    const placeOne = async (row: LedgerRow): Promise<void> => {
      const placement = await this.placeSafely(row, by);
      if (placement === 'away') noteAway(row);
      else placements.set(row.row, placement);
    };
    await Promise.all(rows.filter(({ attempts }) => attempts < ALONE_FROM_ATTEMPT).map(placeOne));
    for (const row of rows.filter(({ attempts }) => attempts >= ALONE_FROM_ATTEMPT)) {
      // Each of them would wait for the time limit of a store that does not answer.
      if (awayPartitions.has(partitionName(row))) noteAway(row);
      else await placeOne(row);
    }
    for (const row of away) placements.set(row, 'waits');
    await this.note(rows, { placements, away, by });
    return placements;
  }

  /** Takes the tasks of ended rows out of the store. */
  async remove(rows: readonly LedgerRow[]): Promise<void> {
    const { ledger } = this.context;
    const removed = await Promise.all(rows.map((row) => this.removeSafely(row)));
    await ledger.markRemoved(rows.filter((_, index) => removed[index]).map(({ row }) => row));
    await ledger.postpone(rows.filter((_, index) => removed[index] === false).map(postponement));
  }

  private async note(rows: readonly LedgerRow[], { placements, away, by }: Placed): Promise<void> {
    const { ledger, options } = this.context;
    const placed = rows.filter(({ row }) => ['created', 'present'].includes(placements.get(row) ?? ''));
    const staged = placed.filter(({ state }) => state === 'staged');
    const marked = await ledger.markIndexed(staged);
    if (marked < staged.length) await this.lookAfterUnmarked(staged);
    const indexed = placed.filter(({ state }) => state === 'indexed');
    await ledger.lookAgain(
      indexed.map(({ row, remainingMs }) => ({ row, delayMs: Math.max(0, remainingMs) + options.sweepEveryMs })),
    );
    // The watch comes back by itself, before anybody else looks.
    if (by === 'watch') return;
    const waiting = rows.filter(({ row }) => placements.get(row) === 'waits');
    const putOff = (row: LedgerRow): PostponedRow =>
      away.has(row.row) ? { row: row.row, delayMs: options.relayEveryMs } : postponement(row);
    await ledger.postpone(waiting.map(putOff));
  }

  /** A row that was cancelled, or done, while its task was on its way to the store must take it back. */
  private async lookAfterUnmarked(rows: readonly LedgerRow[]): Promise<void> {
    const present = await this.context.ledger.read(rows.map(({ row }) => row));
    const over = present.filter(({ state }) => state === 'cancelled' || state === 'done');
    if (over.length > 0) await this.remove(over);
  }

  private async placeSafely(row: LedgerRow, by: IndexedBy): Promise<Placement | 'away'> {
    try {
      const placement = await this.placeRow(row, by);
      if (placement === 'created' && by !== 'watch') this.reportRestored(row, by);
      return placement;
    } catch (error) {
      this.reportFailure(row, error);
      return error instanceof StoreUnavailableError ? 'away' : 'waits';
    }
  }

  private async placeRow(row: LedgerRow, by: IndexedBy): Promise<Placement> {
    // One that is to replace others must not replace itself, which may have been retried or snoozed since.
    const result = await this.schedule(row, { check: by !== 'watch', onDuplicate: 'keep' });
    return result.status === 'duplicate' ? this.resolveDuplicate(row, { result, by }) : 'created';
  }

  private schedule(
    row: LedgerRow,
    { check, onDuplicate }: { readonly check: boolean; readonly onDuplicate: 'keep' | 'replace' },
  ): Promise<MutationResult> {
    const { id, envelope } = row;
    return this.submit(row, {
      kind: 'schedule',
      id,
      due: { delayMs: remainingMs(row) },
      envelope: check ? withLedgerCheck(envelope) : envelope,
      onDuplicate,
    });
  }

  /** The id is taken: by this very task, by an earlier one of the ledger, or by one that is none of the ledger's. */
  private async resolveDuplicate(
    row: LedgerRow,
    { result, by }: { readonly result: MutationResult; readonly by: IndexedBy },
  ): Promise<Placement> {
    const record = await this.context.store.get(partitionFor(this.context.settings, row), row.id);
    if (record === null) return 'waits';
    if (result.state === 'done' && record.envelope === null) return this.resolveDone(row);
    const other = record.envelope === null ? null : ledgerRowOf(record.envelope);
    if (other === row.row) return this.resolveOwn(row, { record, by });
    return other === null ? this.replaceOrGiveWay(row) : this.follow(row, other, record.state);
  }

  /** The id belongs to a task that is none of the ledger's. */
  private async replaceOrGiveWay(row: LedgerRow): Promise<Placement> {
    if (!row.replaces) return this.supersede(row);
    const result = await this.schedule(row, { check: true, onDuplicate: 'replace' });
    return result.status === 'duplicate' ? this.supersede(row) : 'created';
  }

  private async resolveOwn(
    row: LedgerRow,
    { record, by }: { readonly record: TaskRecord; readonly by: IndexedBy },
  ): Promise<Placement> {
    if (record.state === 'dead') {
      await this.context.ledger.end([row.row], 'dead');
      return 'ended';
    }
    if (record.state === 'waiting' && (row.moved || (LOADING.has(by) && this.hasOldDueTime(row, record)))) {
      await this.submit(row, { kind: 'reschedule', id: row.id, due: { delayMs: remainingMs(row) } });
    }
    return 'present';
  }

  /**
   * A store that has gone back may have forgotten that a task was moved. One that has been claimed before may wait for a
   * retry or a snooze, which the ledger knows nothing of.
   */
  private hasOldDueTime(row: LedgerRow, { deliveries, dueAtMs }: TaskRecord): boolean {
    if (deliveries > 0 || dueAtMs === null) return false;
    const nowMs = this.context.clock.nowMs();
    const differenceMs = nowMs + remainingMs(row) - Math.max(nowMs, dueAtMs);
    return Math.abs(differenceMs) > SAME_DUE_MS;
  }

  /** An indexed task whose id is done was completed by a process without a ledger; a staged one came too late. */
  private async resolveDone(row: LedgerRow): Promise<Placement> {
    if (row.state === 'staged') return this.supersede(row);
    await this.context.ledger.end([row.row], 'done');
    return 'ended';
  }

  /** An earlier row has the id in the store. It has ended in the ledger, so what waits is void, and what runs ends soon. */
  private async follow(row: LedgerRow, other: string, state: string): Promise<Placement> {
    const otherState = (await this.context.ledger.states([other])).get(other);
    if (state === 'running' || otherState === 'staged' || otherState === 'indexed') return 'waits';
    const result = await this.schedule(row, { check: true, onDuplicate: 'replace' });
    return result.status === 'duplicate' ? 'waits' : 'created';
  }

  private async supersede(row: LedgerRow): Promise<Placement> {
    const { ledger, observer, logger } = this.context;
    await ledger.end([row.row], 'cancelled');
    logger.warn(
      `The task '${row.id}' of '${row.type}' is in the store without the ledger; the one of the ledger is cancelled.`,
    );
    observer.notify({ kind: 'superseded', type: row.type, id: row.id });
    return 'ended';
  }

  private async removeSafely(row: LedgerRow): Promise<boolean> {
    try {
      const record = await this.context.store.get(partitionFor(this.context.settings, row), row.id);
      const isOwn = record !== null && record.envelope !== null && ledgerRowOf(record.envelope) === row.row;
      if (isOwn) await this.submit(row, { kind: 'cancel', id: row.id });
      return true;
    } catch (error) {
      this.reportFailure(row, error);
      return false;
    }
  }

  private submit({ type }: LedgerRow, mutation: Mutation): Promise<MutationResult> {
    return this.context.desk.submit(type, mutation);
  }

  private reportRestored({ type, id }: LedgerRow, by: Exclude<IndexedBy, 'watch'>): void {
    this.context.observer.notify({ kind: 'restored', type, id, by });
  }

  /** An outage of the store is told by its own monitor, once; what concerns one row is told here. */
  private reportFailure({ type, id, attempts }: LedgerRow, error: unknown): void {
    if (isStoreError(error)) return;
    if (attempts <= 1)
      this.context.logger.error(`The task '${id}' of '${type}' cannot be brought to the store: ${errorText(error)}`);
  }
}

function remainingMs({ remainingMs: leftMs }: LedgerRow): number {
  return Math.max(0, Math.ceil(leftMs));
}
