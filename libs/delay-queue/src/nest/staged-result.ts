import type { LedgerState } from '../ports/task-ledger.js';
import type { LedgerConnection } from '../task/ledger-connection.js';
import type { ScheduleOptions, ScheduleTime } from './schedule-options.js';

/** Options of `schedule` in a transaction of the application. */
export type StageOptions = Omit<ScheduleOptions, keyof ScheduleTime | 'durability'> &
  ScheduleTime & {
    /** The transaction: the task exists when it commits, and never did when it rolls back. */
    readonly tx: LedgerConnection;
  };

/** Where a cancellation belongs to. */
export interface CancelOptions {
  /** The transaction: the task is cancelled when it commits. */
  readonly tx: LedgerConnection;
}

/** When a task is due, and the transaction that moves it. */
export type StageTime = ScheduleTime & {
  /** The transaction: the task is moved when it commits. */
  readonly tx: LedgerConnection;
};

/** What became of a task whose transaction has committed. */
export interface IndexResult {
  /**
   * `indexed`: the task waits in the store, or runs. `not_visible`: the transaction has not committed, or was rolled back.
   * `ended`: done, cancelled or dead already. `waits`: the store is away, or has an earlier task of this id for a moment
   * longer; it is tried again without your doing.
   */
  readonly status: 'indexed' | 'not_visible' | 'ended' | 'waits';
}

/** What became of a call of `schedule` in a transaction. */
export interface StagedResult {
  readonly id: string;
  /** `duplicate`: a task with this id is in the ledger already and stays as it was. */
  readonly status: 'staged' | 'duplicate';
  /** State of the row that now has the id. */
  readonly state: LedgerState;
  /** When it is due, by the database's clock. */
  readonly dueAt: Date;
  /**
   * Brings the task to the store at once, after the commit: the queue would find out by itself within some 30 ms.
   *
   * Call it when the transaction has ended, and not in it.
   *
   * @throws LedgerUnavailableError
   */
  index(): Promise<IndexResult>;
}
