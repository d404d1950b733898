import { setImmediate } from 'node:timers';
import type { LedgerState, TaskLedger } from '../../ports/task-ledger.js';
import { ROWS_AT_ONCE } from './bookkeeping-context.js';

interface Waiting<Answer> {
  readonly row: string;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** Asks the ledger about, or tells it of, all the rows of one tick in one call. */
class RowBatch<Answer> {
  private waiting: Waiting<Answer>[] = [];

  constructor(private readonly call: (rows: readonly string[]) => Promise<(row: string) => Answer>) {}

  add(row: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ row, resolve, reject });
      if (this.waiting.length === 1) setImmediate(() => this.flush());
    });
  }

  private flush(): void {
    const { waiting } = this;
    this.waiting = [];
    for (let from = 0; from < waiting.length; from += ROWS_AT_ONCE)
      void this.send(waiting.slice(from, from + ROWS_AT_ONCE));
  }

  private async send(batch: readonly Waiting<Answer>[]): Promise<void> {
    try {
      const answerOf = await this.call(batch.map(({ row }) => row));
      for (const { row, resolve } of batch) resolve(answerOf(row));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}

/** What handlers of tasks of the ledger ask of it; many end in one tick, and then share a call. */
export class LedgerDesk {
  private readonly states: RowBatch<LedgerState | undefined>;
  private readonly ends: Readonly<Record<'done' | 'dead', RowBatch<void>>>;
  private readonly revivals: RowBatch<void>;

  constructor(ledger: TaskLedger) {
    this.states = new RowBatch(async (rows) => {
      const states = await ledger.states(rows);
      return (row) => states.get(row);
    });
    const endBatch = (state: 'done' | 'dead'): RowBatch<void> =>
      new RowBatch<void>(async (rows) => {
        await ledger.end(rows, state);
        return () => undefined;
      });
    this.ends = { done: endBatch('done'), dead: endBatch('dead') };
    this.revivals = new RowBatch<void>(async (rows) => {
      await ledger.revive(rows);
      return () => undefined;
    });
  }

  /** Undefined when the row is not there. */
  stateOf(row: string): Promise<LedgerState | undefined> {
    return this.states.add(row);
  }

  /** Ends a row that is open, and leaves any other as it is. */
  end(row: string, state: 'done' | 'dead'): Promise<void> {
    return this.ends[state].add(row);
  }

  /** Makes a dead row indexed again. */
  revive(row: string): Promise<void> {
    return this.revivals.add(row);
  }
}
