import type { LedgerRow, LedgerState } from '../ports/task-ledger.js';
import { decodeLedgerRow, ledgerRowColumns } from './row-codec.js';
import type { LedgerContext } from './sql-task-ledger.js';

/** Statements that read rows by their names. */
export class RowReader {
  constructor(private readonly context: LedgerContext) {}

  async read(rows: readonly string[]): Promise<readonly LedgerRow[]> {
    if (rows.length === 0) return [];
    const { session, dialect, tables } = this.context;
    const sql = `SELECT ${ledgerRowColumns(tables, dialect)} FROM ${tables.tasks} WHERE ${isOneOf(rows)}`;
    const found = await session.rows(dialect.sql(sql), rows);
    return found.map((row) => decodeLedgerRow(row, dialect));
  }

  async states(rows: readonly string[]): Promise<ReadonlyMap<string, LedgerState>> {
    if (rows.length === 0) return new Map();
    const { session, dialect, tables } = this.context;
    const sql = `SELECT row_id, state FROM ${tables.tasks} WHERE ${isOneOf(rows)}`;
    const found = await session.rows(dialect.sql(sql), rows);
    return new Map(found.map((row) => [String(row['row_id']), String(row['state']) as LedgerState]));
  }
}

/** A condition with one parameter for each row. */
export function isOneOf(rows: readonly unknown[]): string {
  return `row_id IN (${rows.map(() => '?').join(', ')})`;
}
