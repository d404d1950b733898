import { type BookkeepingContext, holdMs } from './bookkeeping-context.js';
import type { RowIndexer } from './row-indexer.js';

const ROWS_PER_TAKE = 200;

/** Bounds one pass to 4,000 rows: a backlog is worked off over several. */
const MAX_TAKES_PER_PASS = 20;

const ROWS_PER_DELETION = 500;

/** Bounds one pass to 50,000 rows. */
const MAX_DELETIONS_PER_PASS = 100;

/** What a pass did. */
export interface SweepResult {
  /** Tasks that the store had forgotten, and has again. */
  readonly restored: number;
  /** It has gone through as many rows as a pass may, and others are left. */
  readonly isCut: boolean;
}

/**
 * Looks after tasks that should have run long ago: the store has them still, or has forgotten them and gets them again.
 * Deletes what has been over for long. Every process may have one.
 */
export class CompensationSweep {
  private stopped = false;

  constructor(
    private readonly context: BookkeepingContext,
    private readonly indexer: RowIndexer,
  ) {}

  /** Goes once over what is overdue, and what has been over for long. Never rejects. */
  async pass(): Promise<SweepResult> {
    const { monitor, logger } = this.context;
    const swept = await monitor.attempt(() => this.sweep());
    const areLeft = await monitor.attempt(() => this.deleteEnded());
    const restored = swept?.restored ?? 0;
    if (restored > 0) logger.warn(`${restored} overdue tasks of the ledger were not in the store, and are again.`);
    return { restored, isCut: swept?.isCut === true || areLeft === true };
  }

  /** Ends after the rows that are being looked at. */
  stop(): void {
    this.stopped = true;
  }

  private async sweep(): Promise<SweepResult> {
    const request = { limit: ROWS_PER_TAKE, holdMs: holdMs(this.context) };
    let restored = 0;
    for (let takes = 0; takes < MAX_TAKES_PER_PASS && !this.stopped; takes++) {
      const rows = await this.context.ledger.take('indexed', request);
      const placements = rows.length > 0 ? await this.indexer.place(rows, 'sweep') : new Map<string, string>();
      restored += [...placements.values()].filter((placement) => placement === 'created').length;
      if (rows.length < ROWS_PER_TAKE) return { restored, isCut: false };
    }
    return { restored, isCut: true };
  }

  /** Answers whether more are left. */
  private async deleteEnded(): Promise<boolean> {
    const { ledger, options } = this.context;
    const retention = { doneMs: options.keepDoneMs, deadMs: options.keepDeadMs };
    for (let deletions = 0; deletions < MAX_DELETIONS_PER_PASS && !this.stopped; deletions++) {
      if ((await ledger.deleteEnded(retention, ROWS_PER_DELETION)) < ROWS_PER_DELETION) return false;
    }
    return true;
  }
}
