import type { PartitionRef } from '../core/partition.js';
import type { LedgerConnection } from '../task/ledger-connection.js';
import type { DueTime } from './mutation.js';

/**
 * Where a task stands in the ledger.
 *
 * - `staged`: written to the ledger, and not known to be in the store with these very values
 * - `indexed`: in the store, which runs it
 * - `done`, `dead`, `cancelled`: ended
 *
 * Of the rows of one task id, at most one is `staged`, `indexed` or `dead`.
 */
export type LedgerState = 'staged' | 'indexed' | 'done' | 'dead' | 'cancelled';

/** Names a task. */
export interface TaskKey {
  readonly type: string;
  readonly id: string;
}

/** A task that is about to be written to the ledger. */
export interface NewLedgerTask extends TaskKey {
  /** Name of the new row, see `newLedgerRow`. */
  readonly row: string;
  readonly partition: number;
  readonly envelope: string;
  readonly due: DueTime;
  readonly onDuplicate: 'keep' | 'replace';
  /** Length of the type's dedupe window; 0 when it is off. */
  readonly dedupeForMs: number;
}

/** What became of a task that was to be written. */
export interface StageResult {
  /** `duplicate`: the id has a row already, which stays as it is. */
  readonly status: 'staged' | 'duplicate';
  /** The row that has the id now. */
  readonly row: string;
  readonly state: LedgerState;
  /** By the database's clock. */
  readonly dueAtMs: number;
}

/** A row that was changed. */
export interface ChangedRow {
  readonly row: string;
  /** Its version after the change. */
  readonly version: number;
  /** By the database's clock. */
  readonly dueAtMs: number;
}

/** A row, as those see it who bring store and ledger in step. */
export interface LedgerRow extends TaskKey {
  readonly row: string;
  readonly partition: number;
  readonly state: LedgerState;
  /** Rises when the task is rescheduled or cancelled. */
  readonly version: number;
  /** The present epoch of the row's partition. */
  readonly epoch: number;
  readonly envelope: string;
  /** Time until it is due, by the database's clock; negative when it is overdue. */
  readonly remainingMs: number;
  /** How often it was taken since it was last in order. */
  readonly attempts: number;
  /** It was scheduled with `onDuplicate: 'replace'`. */
  readonly replaces: boolean;
  /** It was rescheduled, and the store may have it with its old due time. */
  readonly moved: boolean;
  /** The ledger waits for somebody to look at it: always, but for a cancelled row that the store has no more. */
  readonly pending: boolean;
}

/** A row whose task is in the store now. */
export interface IndexedRow {
  readonly row: string;
  /** As it was read before the task was written to the store. */
  readonly version: number;
  /** As it was read before the task was written to the store. */
  readonly epoch: number;
}

/** A time from now on at which a row is to be looked at again. */
export interface PostponedRow {
  readonly row: string;
  readonly delayMs: number;
}

/** Rows that wait for somebody to look at them: freshly staged ones, cancelled ones, and indexed ones that are overdue. */
export type TakeableState = 'staged' | 'cancelled' | 'indexed';

/** How many rows are taken, and for how long nobody else takes them. */
export interface TakeRequest {
  readonly limit: number;
  readonly holdMs: number;
}

/** The memory of the store, as the ledger remembers it, of one partition. */
export interface LedgerEpoch extends PartitionRef {
  /** Rises each time the store has lost what it had. */
  readonly epoch: number;
  /** Rows that were indexed in an earlier epoch have to be loaded again. */
  readonly rebuilding: boolean;
  /** When the present epoch began with a loss, by the database's clock; null when nothing was lost yet. */
  readonly lostAtMs: number | null;
  /** How long ago that was. */
  readonly sinceLostMs: number | null;
}

/** How long ended rows are kept. */
export interface LedgerRetention {
  /** Done and cancelled ones. */
  readonly doneMs: number;
  readonly deadMs: number;
}

/**
 * Keeps a row for every task that must be neither lost nor done twice, in the application's own database.
 *
 * A method that is given a connection works in its transaction, and lets the errors of its library through as they are.
 * All others use the ledger's own connection: they have a time limit, and reject with a `LedgerUnavailableError`, or with
 * a `ConfigurationError` when the tables are missing. Everything is decided by the database's clock.
 */
export interface TaskLedger {
  /** @throws ConfigurationError when the tables are missing or older than this version needs. */
  check(): Promise<void>;

  /** Writes a task. */
  stage(task: NewLedgerTask, tx?: LedgerConnection): Promise<StageResult>;

  /** Ends a task that is open or dead; null when there is none. Whoever looks next takes it out of the store. */
  cancel(task: TaskKey, tx?: LedgerConnection): Promise<ChangedRow | null>;

  /** Gives an open task another due time, and stages it again; null when there is none. */
  reschedule(task: TaskKey, due: DueTime, tx?: LedgerConnection): Promise<ChangedRow | null>;

  /**
   * Takes note of another due time that the store has already. A row that is not marked as indexed yet is staged again,
   * and answered.
   */
  retime(task: TaskKey, due: DueTime): Promise<ChangedRow | null>;

  /** Frees the id of a dead task; false when no dead row has it. */
  purge(task: TaskKey): Promise<boolean>;

  /** Ends an open row as done, in a transaction; else tells why not. */
  complete(row: string, tx: LedgerConnection): Promise<'completed' | LedgerState | 'missing'>;

  /** Reads those of these rows that are committed. */
  read(rows: readonly string[]): Promise<readonly LedgerRow[]>;

  /** Reads the states of rows; those that are not there are left out. */
  states(rows: readonly string[]): Promise<ReadonlyMap<string, LedgerState>>;

  /** Marks staged rows as indexed that were not changed meanwhile; answers how many. */
  markIndexed(rows: readonly IndexedRow[]): Promise<number>;

  /** Ends open rows. Others stay as they are; answers how many were ended. */
  end(rows: readonly string[], state: 'done' | 'dead' | 'cancelled'): Promise<number>;

  /** Makes dead rows indexed again. */
  revive(rows: readonly string[]): Promise<void>;

  /** The store does not have these cancelled tasks any more. */
  markRemoved(rows: readonly string[]): Promise<void>;

  /** Takes rows that somebody has to look at, nearest due first; rows that are locked are passed over. */
  take(state: TakeableState, request: TakeRequest): Promise<readonly LedgerRow[]>;

  /** Takes indexed rows of an earlier epoch than the present one, nearest due first, and makes them staged. */
  takeLost(ref: PartitionRef, request: TakeRequest): Promise<readonly LedgerRow[]>;

  /** Whether the ledger takes any task of a partition to be in the store. */
  hasIndexed(ref: PartitionRef): Promise<boolean>;

  /** Counts the rows that {@link takeLost} has still to take. */
  countLost(ref: PartitionRef): Promise<number>;

  /** Puts off the next look at rows that could not be brought in order. */
  postpone(rows: readonly PostponedRow[]): Promise<void>;

  /** Puts off the next look at indexed rows that are in order. */
  lookAgain(rows: readonly PostponedRow[]): Promise<void>;

  /** The epochs of all partitions of this queue. */
  epochs(): Promise<readonly LedgerEpoch[]>;

  /** The epoch of a partition; begins its first one when it has none. */
  epochOf(ref: PartitionRef): Promise<LedgerEpoch>;

  /** Begins a new epoch after a loss; false when the known one is not the present one any more. */
  loseEpoch(ref: PartitionRef, knownEpoch: number): Promise<boolean>;

  /** Everything was loaded again, provided that the epoch began at least so long ago; false when it did not. */
  markRebuilt(ref: PartitionRef, epoch: number, minAgeMs: number): Promise<boolean>;

  /** Deletes at most so many rows that ended long ago; answers how many. */
  deleteEnded(retention: LedgerRetention, limit: number): Promise<number>;
}

/** A database that can keep the ledgers of queues. */
export interface LedgerBackend {
  /**
   * Creates the ledger's tables, or brings them up to date; safe to call at any time, from any number of processes.
   *
   * @throws LedgerUnavailableError
   */
  migrate(): Promise<void>;

  /** The ledger of one queue. */
  open(options: LedgerOpenOptions): TaskLedger;
}

/** What the ledger of a queue needs to know. */
export interface LedgerOpenOptions {
  /** Name of the queue, its prefix: queues with different names share nothing. */
  readonly queue: string;
  /** Time limit of a call on the ledger's own connection. */
  readonly callTimeoutMs: number;
  /** Time after which somebody else looks at a row that its own process should have written to the store. */
  readonly relayAfterMs: number;
  /** Time after its due time at which somebody looks whether an indexed task was forgotten. */
  readonly sweepAfterMs: number;
}
