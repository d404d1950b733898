import type { LedgerDialect, RowInsert, TakeStatement, TaskInsert } from './ledger-dialect.js';
import type { LedgerTables } from './ledger-tables.js';
import { postgresqlMigrations } from './postgresql-migrations.js';
import type { SqlRow, SqlRunner } from './sql-runner.js';
import type { SqlSession } from './sql-session.js';

/** PostgreSQL, from version 12 on. */
export const postgresqlDialect: LedgerDialect = {
  name: 'PostgreSQL',

  // Not now(), which is the beginning of the transaction, and not clock_timestamp(), which no index can be used with.
  now: '(floor(extract(epoch FROM statement_timestamp()) * 1000))::bigint',

  idColumn: 'task_id',

  forUpdate: 'FOR UPDATE',

  sql(text: string): string {
    let number = 0;
    return text.replaceAll('?', () => `$${++number}`);
  },

  writeId: (id: string): unknown => id,

  readId: (value: unknown): string => String(value),

  async insertTask(runner: SqlRunner, insert: TaskInsert): Promise<number | null> {
    const conflict = 'ON CONFLICT (queue, type, task_id, open_key) DO NOTHING RETURNING due_at_ms';
    const [inserted] = await runner.rows(this.sql(`${insertInto(insert)} ${conflict}`), insert.parameters);
    return inserted === undefined ? null : Number(inserted['due_at_ms']);
  },

  async insertOrIgnore(runner: SqlRunner, insert: RowInsert): Promise<void> {
    // TypeORM does not tell how many rows an INSERT has made, so it is run as one that answers rows.
    await runner.rows(this.sql(`${insertInto(insert)} ON CONFLICT DO NOTHING`), insert.parameters);
  },

  take(session: SqlSession, statement: TakeStatement): Promise<readonly SqlRow[]> {
    const { table, columns, where, whereParameters, orderBy, limit, set, setParameters } = statement;
    return session.rows(
      this.sql(
        `WITH picked AS (SELECT row_id AS picked_row FROM ${table} WHERE ${where} ` +
          `ORDER BY ${orderBy} LIMIT ${limit} FOR UPDATE SKIP LOCKED) ` +
          `UPDATE ${table} SET ${set} FROM picked WHERE row_id = picked_row RETURNING ${columns}`,
      ),
      [...whereParameters, ...setParameters],
    );
  },

  deleteSome(table: string, where: string, limit: number): string {
    const some = `SELECT row_id FROM ${table} WHERE ${where} LIMIT ${limit} FOR UPDATE SKIP LOCKED`;
    return `DELETE FROM ${table} WHERE row_id IN (${some})`;
  },

  migrations: postgresqlMigrations,

  async migrate(session: SqlSession, tables: LedgerTables): Promise<void> {
    // Each is one block that takes the lock itself, and one transaction.
    for (const { statements } of postgresqlMigrations(tables)) {
      for (const statement of statements) await session.rows(statement, []);
    }
  },
};

function insertInto({ table, columns, values }: RowInsert): string {
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values.join(', ')})`;
}
