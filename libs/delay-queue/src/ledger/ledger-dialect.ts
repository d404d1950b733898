import type { LedgerTables } from './ledger-tables.js';
import type { SqlRow, SqlRunner } from './sql-runner.js';
import type { SqlSession } from './sql-session.js';

/** One step of the tables' history. */
export interface LedgerMigration {
  /** From 1 on. */
  readonly version: number;
  /** Words for the name of its file. */
  readonly name: string;
  /** What it runs, each one a statement of its own; running all of them again changes nothing. */
  readonly statements: readonly string[];
}

/** Rows that are read and changed at once, without waiting for those that are locked. */
export interface TakeStatement {
  readonly table: string;
  /** Columns that are answered. */
  readonly columns: string;
  readonly where: string;
  readonly whereParameters: readonly unknown[];
  readonly orderBy: string;
  readonly limit: number;
  readonly set: string;
  readonly setParameters: readonly unknown[];
}

/** A row that is about to be inserted. */
export interface RowInsert {
  readonly table: string;
  readonly columns: readonly string[];
  /** One SQL expression for each column. */
  readonly values: readonly string[];
  readonly parameters: readonly unknown[];
}

/** A task that is about to be inserted. */
export interface TaskInsert extends RowInsert {
  /** Name of the row. */
  readonly row: string;
}

/**
 * What differs between the databases.
 *
 * Statements are written with `?` for each parameter, and go through {@link sql} before they are run.
 */
export interface LedgerDialect {
  readonly name: string;
  /** The database's time at the beginning of the statement, in milliseconds since the epoch: a whole number. */
  readonly now: string;
  /** The column of the task's id, as a text that its bytes can be read from with {@link readId}. */
  readonly idColumn: string;
  /** Words behind a SELECT that must see, and keep others from changing, the newest committed rows. */
  readonly forUpdate: string;
  /** Brings the parameters into the database's form. */
  sql(text: string): string;
  /** A task's id as a parameter, such that ids are compared byte by byte. */
  writeId(id: string): unknown;
  readId(value: unknown): string;
  /** Inserts a task whose id is free, and answers its due time; null when the id is taken. */
  insertTask(runner: SqlRunner, insert: TaskInsert): Promise<number | null>;
  /** Inserts a row, or does nothing when it is there already. */
  insertOrIgnore(runner: SqlRunner, insert: RowInsert): Promise<void>;
  take(session: SqlSession, statement: TakeStatement): Promise<readonly SqlRow[]>;
  /** Statement that deletes at most so many rows. */
  deleteSome(table: string, where: string, limit: number): string;
  migrations(tables: LedgerTables): readonly LedgerMigration[];
  /** Runs migrations while no other process does. */
  migrate(session: SqlSession, tables: LedgerTables): Promise<void>;
}
