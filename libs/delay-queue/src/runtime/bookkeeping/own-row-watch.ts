import type { LedgerRow } from '../../ports/task-ledger.js';
import { WakeTimer } from '../wake-timer.js';
import { type BookkeepingContext, ROWS_AT_ONCE } from './bookkeeping-context.js';
import type { Placement, RowIndexer } from './row-indexer.js';

/** First look at a row after it was written; each further one comes after twice the time. */
const FIRST_LOOK_MS = 25;

interface Watched {
  /** The row as it will be once the transaction has committed; an older version is what was there before. */
  readonly version: number;
  readonly sinceMs: number;
  /** Time since then at which it is looked at next. */
  nextMs: number;
}

/**
 * Finds out whether the transactions of this process have committed: no driver tells, so the rows are asked for on the
 * ledger's own connection until they can be seen.
 *
 * One query asks for all of them, at 25, 50, 100 ms … after each was written. A row that is not seen by the time of the
 * relay was rolled back, or its transaction is long: the relay sees to it from then on.
 */
export class OwnRowWatch {
  private readonly watched = new Map<string, Watched>();
  /** Rows on their way to the store, by name and version: who asks for one meanwhile waits for it. */
  private readonly placing = new Map<string, Promise<ReadonlyMap<string, Placement>>>();
  private readonly timer: WakeTimer;
  private looking = false;

  constructor(
    private readonly context: BookkeepingContext,
    private readonly indexer: RowIndexer,
  ) {
    this.timer = new WakeTimer(context.clock, () => void this.look());
  }

  /** Rows whose transactions may still be open. */
  get size(): number {
    return this.watched.size;
  }

  /** Begins to ask for a row that was written, or changed to a version, in a transaction. */
  add(row: string, version = 0): void {
    const sinceMs = this.context.clock.monotonicMs();
    this.watched.set(row, { version, sinceMs, nextMs: FIRST_LOOK_MS });
    this.timer.fireBy(sinceMs + FIRST_LOOK_MS);
    this.context.watcher?.rowsWritten(() => this.lookNow());
  }

  /** Looks at a row now; null when it cannot be seen. */
  async lookAt(row: string): Promise<Placement | null> {
    const before = new Map(this.watched);
    const [found] = await this.context.ledger.read([row]);
    if (found === undefined) return null;
    const placement = (await this.settle([found])).get(row) ?? placementOf(found);
    this.forget(found, { before, placement });
    return placement;
  }

  /** Looks at everything now; tells how many rows cannot be seen. Never rejects. */
  async lookNow(): Promise<number> {
    if (this.watched.size > 0) await this.lookAtAll([...this.watched.keys()]);
    return this.watched.size;
  }

  /** Looks once more at everything, and no more after that. */
  async close(): Promise<void> {
    this.timer.reset(null);
    await this.lookAtAll([...this.watched.keys()]);
    this.watched.clear();
    this.timer.reset(null);
  }

  private async look(): Promise<void> {
    // Whoever looks now sets the timer again.
    if (this.looking) return;
    this.looking = true;
    await this.lookAtAll([...this.watched.keys()]);
    this.looking = false;
    this.advance();
  }

  private async lookAtAll(rows: readonly string[]): Promise<void> {
    if (rows.length === 0) return;
    await this.context.monitor.attempt(async () => {
      for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
        const before = new Map(this.watched);
        const found = await this.context.ledger.read(rows.slice(from, from + ROWS_AT_ONCE));
        const placements = await this.settle(found);
        for (const row of found) this.forget(row, { before, placement: placements.get(row.row) });
      }
    });
  }

  /** Watches no longer, unless the change is still to be seen, or another one was made while this one was looked at. */
  private forget(
    { row, version }: LedgerRow,
    { before, placement }: { before: ReadonlyMap<string, Watched>; placement: Placement | undefined },
  ): void {
    const watched = this.watched.get(row);
    if (watched === undefined || watched !== before.get(row)) return;
    if (version >= watched.version && placement !== 'waits') this.watched.delete(row);
  }

  private async settle(found: readonly LedgerRow[]): Promise<ReadonlyMap<string, Placement>> {
    const cancelled = found.filter(({ state, pending }) => state === 'cancelled' && pending);
    // Before what may be staged under the same ids.
    if (cancelled.length > 0) await this.indexer.remove(cancelled);
    return this.place(found.filter(({ state }) => state === 'staged'));
  }

  /** Twice at once could bring back a task that has run in between. */
  private async place(staged: readonly LedgerRow[]): Promise<ReadonlyMap<string, Placement>> {
    const others = staged.flatMap((row) => this.placing.get(nameOf(row)) ?? []);
    const own = staged.filter((row) => !this.placing.has(nameOf(row)));
    const placements = own.length === 0 ? new Map<string, Placement>() : await this.placeOwn(own);
    const all = [placements, ...(await Promise.all(others))];
    return new Map(all.flatMap((each) => [...each]));
  }

  private async placeOwn(rows: readonly LedgerRow[]): Promise<ReadonlyMap<string, Placement>> {
    const placing = this.indexer.place(rows, 'watch');
    for (const row of rows) this.placing.set(nameOf(row), placing);
    try {
      return await placing;
    } finally {
      for (const row of rows) this.placing.delete(nameOf(row));
    }
  }

  private advance(): void {
    const nowMs = this.context.clock.monotonicMs();
    for (const [row, watched] of this.watched) {
      while (watched.sinceMs + watched.nextMs <= nowMs) watched.nextMs *= 2;
      if (watched.nextMs > this.context.options.relayEveryMs) this.watched.delete(row);
      else this.timer.fireBy(watched.sinceMs + watched.nextMs);
    }
  }
}

function nameOf({ row, version }: LedgerRow): string {
  return `${row}|${version}`;
}

function placementOf({ state }: LedgerRow): Placement {
  return state === 'indexed' ? 'present' : 'ended';
}
