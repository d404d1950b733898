import type { ClockTimer } from '../../core/clock.js';
import type { LedgerRow, TakeableState } from '../../ports/task-ledger.js';
import { type BookkeepingContext, holdMs, ROWS_AT_ONCE } from './bookkeeping-context.js';
import type { LedgerEpochs } from './ledger-epochs.js';
import type { LedgerRebuild } from './ledger-rebuild.js';
import type { RowIndexer } from './row-indexer.js';

/** Bounds one pass, so that a backlog is worked off over several. */
const MAX_TAKES_PER_PASS = 20;

/** Share of its period by which a pass comes earlier or later, so that processes do not come together. */
const JITTER = 0.2;

/** What a relay is made of, beside the context. */
export interface LedgerRelayParts {
  readonly indexer: RowIndexer;
  readonly epochs: LedgerEpochs;
  readonly rebuild: LedgerRebuild;
}

/**
 * Comes every few seconds for the rows that no living process looks after: committed late, or by a process that has died.
 * It also goes on with what has to be loaded again. Every process may have one.
 */
export class LedgerRelay {
  private timer: ClockTimer | null = null;
  private passing: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(
    private readonly context: BookkeepingContext,
    private readonly parts: LedgerRelayParts,
  ) {}

  start(): void {
    if (this.stopped || this.timer !== null) return;
    this.schedule();
  }

  /** Begins no further pass; resolves when the one that is under way has ended. */
  stop(): Promise<void> {
    this.stopped = true;
    this.timer?.cancel();
    return this.passing;
  }

  /** Goes once over everything. Never rejects. */
  async pass(): Promise<void> {
    await this.context.monitor.attempt(async () => {
      await this.lookAtEpochs();
      await this.takeAll('cancelled', (rows) => this.parts.indexer.remove(rows));
      await this.takeAll('staged', async (rows) => void (await this.parts.indexer.place(rows, 'relay')));
    });
  }

  private schedule(): void {
    const delayMs = this.context.options.relayEveryMs * (1 - JITTER + 2 * JITTER * Math.random());
    this.timer = this.context.clock.setTimer(() => {
      this.passing = this.pass().then(() => {
        if (!this.stopped) this.schedule();
      });
    }, delayMs);
  }

  private async lookAtEpochs(): Promise<void> {
    const { epochs, rebuild } = this.parts;
    await Promise.all(epochs.unsettledLosses.map((ref) => epochs.lost(ref)));
    for (const epoch of await this.context.ledger.epochs()) {
      epochs.learn(epoch);
      // Not waited for: it takes as long as it takes, and the relay has other things to do.
      if (epoch.rebuilding && !this.stopped) void this.context.monitor.attempt(() => rebuild.run(epoch));
    }
  }

  private async takeAll(state: TakeableState, handle: (rows: readonly LedgerRow[]) => Promise<void>): Promise<void> {
    const request = { limit: ROWS_AT_ONCE, holdMs: holdMs(this.context) };
    for (let takes = 0; takes < MAX_TAKES_PER_PASS && !this.stopped; takes++) {
      const rows = await this.context.ledger.take(state, request);
      if (rows.length > 0) await handle(rows);
      if (rows.length < ROWS_AT_ONCE) return;
    }
  }
}
