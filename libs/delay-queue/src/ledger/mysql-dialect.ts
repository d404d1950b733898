import type { LedgerDialect, RowInsert, TakeStatement, TaskInsert } from './ledger-dialect.js';
import type { LedgerTables } from './ledger-tables.js';
import { mysqlMigrations } from './mysql-migrations.js';
import type { SqlRow, SqlRunner } from './sql-runner.js';
import type { SqlSession } from './sql-session.js';

/** Seconds that a migration waits for another process's. */
const LOCK_TIMEOUT_S = 60;

/** MySQL from version 8.0 on, and MariaDB from 10.6 on. */
export const mysqlDialect: LedgerDialect = {
  name: 'MySQL',

  // UNIX_TIMESTAMP would take the hour at the end of summer time for another one.
  now: `(TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000)`,

  // The id is kept as bytes: no collation of both databases tells blanks at the end apart.
  idColumn: 'HEX(task_id)',

  forUpdate: 'FOR UPDATE',

  sql: (text: string): string => text,

  writeId: (id: string): unknown => Buffer.from(id),

  readId: (value: unknown): string => Buffer.from(String(value), 'hex').toString(),

  async insertTask(runner: SqlRunner, insert: TaskInsert): Promise<number | null> {
    await this.insertOrIgnore(runner, insert);
    const [own] = await runner.rows(`SELECT due_at_ms FROM ${insert.table} WHERE row_id = ?`, [insert.row]);
    return own === undefined ? null : Number(own['due_at_ms']);
  },

  async insertOrIgnore(runner: SqlRunner, { table, columns, values, parameters }: RowInsert): Promise<void> {
    // INSERT IGNORE would ignore every other error too.
    const nothing = `ON DUPLICATE KEY UPDATE queue = ${table}.queue`;
    const insert = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values.join(', ')}) ${nothing}`;
    await runner.execute(insert, parameters);
  },

  take(session: SqlSession, statement: TakeStatement): Promise<readonly SqlRow[]> {
    const { table, columns, where, whereParameters, orderBy, limit, set, setParameters } = statement;
    return session.inTransaction(async (runner) => {
      const picked = await runner.rows(
        `SELECT row_id FROM ${table} WHERE ${where} ORDER BY ${orderBy} LIMIT ${limit} FOR UPDATE SKIP LOCKED`,
        whereParameters,
      );
      if (picked.length === 0) return [];
      const ids = picked.map((row) => row['row_id']);
      const ofThem = `row_id IN (${ids.map(() => '?').join(', ')})`;
      await runner.execute(`UPDATE ${table} SET ${set} WHERE ${ofThem}`, [...setParameters, ...ids]);
      return runner.rows(`SELECT ${columns} FROM ${table} WHERE ${ofThem}`, ids);
    });
  },

  deleteSome(table: string, where: string, limit: number): string {
    return `DELETE FROM ${table} WHERE ${where} LIMIT ${limit}`;
  },

  migrations: mysqlMigrations,

  migrate(session: SqlSession, tables: LedgerTables): Promise<void> {
    // The lock belongs to the connection; statements that define tables end the transaction, and not the connection.
    return session.inTransaction(async (runner) => {
      const lock = `${tables.migrations}.migrate`;
      const [answer] = await runner.rows('SELECT GET_LOCK(?, ?) AS locked', [lock, LOCK_TIMEOUT_S]);
      if (Number(answer?.['locked']) !== 1) throw new Error('another process is migrating the tables of the ledger');
      try {
        for (const { statements } of mysqlMigrations(tables)) {
          for (const statement of statements) await runner.execute(statement, []);
        }
      } finally {
        await runner.rows('SELECT RELEASE_LOCK(?) AS released', [lock]);
      }
    });
  },
};
