import { ConfigurationError } from '../core/errors.js';
import type { PartitionRef } from '../core/partition.js';
import type { DueTime } from '../ports/mutation.js';
import type {
  ChangedRow,
  IndexedRow,
  LedgerEpoch,
  LedgerOpenOptions,
  LedgerRetention,
  LedgerRow,
  LedgerState,
  NewLedgerTask,
  PostponedRow,
  StageResult,
  TakeableState,
  TakeRequest,
  TaskKey,
  TaskLedger,
} from '../ports/task-ledger.js';
import type { LedgerConnection } from '../task/ledger-connection.js';
import { EpochTable } from './epoch-table.js';
import type { LedgerDialect } from './ledger-dialect.js';
import type { LedgerTables } from './ledger-tables.js';
import { MIGRATE, OwnCalls } from './own-calls.js';
import { RowReader } from './row-reader.js';
import { RowTakes } from './row-takes.js';
import { RowWrites } from './row-writes.js';
import { sqlRunnerOf } from './sql-runner.js';
import type { SqlSession } from './sql-session.js';
import { TaskWrites } from './task-writes.js';

/** What the statements of a ledger are made with. */
export interface LedgerContext {
  readonly session: SqlSession;
  readonly dialect: LedgerDialect;
  readonly tables: LedgerTables;
  readonly options: LedgerOpenOptions;
}

/** The ledger of one queue, in tables of the application's database. */
export class SqlTaskLedger implements TaskLedger {
  private readonly own: OwnCalls;
  private readonly tasks: TaskWrites;
  private readonly reader: RowReader;
  private readonly writes: RowWrites;
  private readonly takes: RowTakes;
  private readonly epochTable: EpochTable;

  constructor(private readonly context: LedgerContext) {
    this.own = new OwnCalls(context.options.callTimeoutMs);
    this.tasks = new TaskWrites(context);
    this.reader = new RowReader(context);
    this.writes = new RowWrites(context);
    this.takes = new RowTakes(context);
    this.epochTable = new EpochTable(context);
  }

  async check(): Promise<void> {
    const { session, dialect, tables } = this.context;
    const needed = Math.max(...dialect.migrations(tables).map(({ version }) => version));
    const sql = `SELECT MAX(version) AS version FROM ${tables.migrations}`;
    const [found] = await this.own.make(() => session.rows(sql, []));
    if (Number(found?.['version'] ?? 0) < needed) throw new ConfigurationError('ledger', MIGRATE);
  }

  stage(task: NewLedgerTask, tx?: LedgerConnection): Promise<StageResult> {
    if (tx !== undefined) return this.tasks.stage(sqlRunnerOf(tx, 'tx'), task);
    return this.own.make(() => this.tasks.stage(this.context.session, task));
  }

  cancel(task: TaskKey, tx?: LedgerConnection): Promise<ChangedRow | null> {
    if (tx !== undefined) return this.tasks.cancel(sqlRunnerOf(tx, 'tx'), task);
    return this.own.make(() => this.tasks.cancel(this.context.session, task));
  }

  reschedule(task: TaskKey, due: DueTime, tx?: LedgerConnection): Promise<ChangedRow | null> {
    if (tx !== undefined) return this.tasks.reschedule(sqlRunnerOf(tx, 'tx'), task, due);
    return this.own.make(() => this.tasks.reschedule(this.context.session, task, due));
  }

  complete(row: string, tx: LedgerConnection): Promise<'completed' | LedgerState | 'missing'> {
    return this.tasks.complete(sqlRunnerOf(tx, 'tx'), row);
  }

  retime(task: TaskKey, due: DueTime): Promise<ChangedRow | null> {
    return this.own.make(() => this.tasks.retime(this.context.session, task, due));
  }

  purge(task: TaskKey): Promise<boolean> {
    return this.own.make(() => this.tasks.purge(this.context.session, task));
  }

  read(rows: readonly string[]): Promise<readonly LedgerRow[]> {
    return this.own.make(() => this.reader.read(rows));
  }

  states(rows: readonly string[]): Promise<ReadonlyMap<string, LedgerState>> {
    return this.own.make(() => this.reader.states(rows));
  }

  markIndexed(rows: readonly IndexedRow[]): Promise<number> {
    return this.own.make(() => this.writes.markIndexed(rows));
  }

  end(rows: readonly string[], state: 'done' | 'dead' | 'cancelled'): Promise<number> {
    return this.own.make(() => this.writes.end(rows, state));
  }

  revive(rows: readonly string[]): Promise<void> {
    return this.own.make(() => this.writes.revive(rows));
  }

  markRemoved(rows: readonly string[]): Promise<void> {
    return this.own.make(() => this.writes.markRemoved(rows));
  }

  postpone(rows: readonly PostponedRow[]): Promise<void> {
    return this.own.make(() => this.writes.postpone(rows));
  }

  lookAgain(rows: readonly PostponedRow[]): Promise<void> {
    return this.own.make(() => this.writes.lookAgain(rows));
  }

  take(state: TakeableState, request: TakeRequest): Promise<readonly LedgerRow[]> {
    return this.own.make(() => this.takes.take(state, request));
  }

  takeLost(ref: PartitionRef, request: TakeRequest): Promise<readonly LedgerRow[]> {
    return this.own.make(() => this.takes.takeLost(ref, request));
  }

  hasIndexed(ref: PartitionRef): Promise<boolean> {
    return this.own.make(() => this.takes.hasIndexed(ref));
  }

  countLost(ref: PartitionRef): Promise<number> {
    return this.own.make(() => this.takes.countLost(ref));
  }

  deleteEnded(retention: LedgerRetention, limit: number): Promise<number> {
    return this.own.make(() => this.takes.deleteEnded(retention, limit));
  }

  epochs(): Promise<readonly LedgerEpoch[]> {
    return this.own.make(() => this.epochTable.all());
  }

  epochOf(ref: PartitionRef): Promise<LedgerEpoch> {
    return this.own.make(() => this.epochTable.of(ref));
  }

  loseEpoch(ref: PartitionRef, knownEpoch: number): Promise<boolean> {
    return this.own.make(() => this.epochTable.lose(ref, knownEpoch));
  }

  markRebuilt(ref: PartitionRef, epoch: number, minAgeMs: number): Promise<boolean> {
    return this.own.make(() => this.epochTable.markRebuilt(ref, epoch, minAgeMs));
  }
}
