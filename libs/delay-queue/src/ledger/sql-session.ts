import { ConfigurationError } from '../core/errors.js';
import type { LedgerConnection } from '../task/ledger-connection.js';
import { type SqlRunner, sqlRunnerOf } from './sql-runner.js';

/** The ledger's own way to the database: a pool, a data source, a client. */
export interface SqlSession extends SqlRunner {
  /** Runs statements on one connection, in one transaction that sees what others commit meanwhile. */
  inTransaction<T>(work: (runner: SqlRunner) => Promise<T>): Promise<T>;
}

/** Where the connection stands in the options, for errors. */
const FIELD = 'connection';

/** Finds out by its shape how a pool, data source or client runs statements and transactions. */
export function sqlSessionOf(connection: LedgerConnection): SqlSession {
  const runner = sqlRunnerOf(connection, FIELD);
  const transactions = transactionsOf(connection);
  return {
    rows: (sql, parameters) => runner.rows(sql, parameters),
    execute: (sql, parameters) => runner.execute(sql, parameters),
    inTransaction: (work) => transactions((inside) => work(sqlRunnerOf(inside, FIELD))),
  };
}

type Transactions = <T>(work: (inside: LedgerConnection) => Promise<T>) => Promise<T>;

type Work<T> = (inside: LedgerConnection) => Promise<T>;

interface PrismaLike {
  $transaction<T>(work: Work<T>, options: { readonly isolationLevel: string }): Promise<T>;
}

interface TypeOrmLike {
  transaction<T>(isolationLevel: string, work: Work<T>): Promise<T>;
}

interface PooledConnection {
  query(sql: string, parameters?: unknown[]): Promise<unknown>;
  beginTransaction(): Promise<unknown>;
  commit(): Promise<unknown>;
  rollback(): Promise<unknown>;
  release(): unknown;
}

interface PoolLike {
  getConnection(): Promise<PooledConnection>;
}

function transactionsOf(connection: LedgerConnection): Transactions {
  const shape = connection as Partial<PrismaLike & TypeOrmLike & PoolLike>;
  if (typeof shape.$transaction === 'function') {
    return (work) => (connection as unknown as PrismaLike).$transaction(work, { isolationLevel: 'ReadCommitted' });
  }
  if (typeof shape.transaction === 'function') {
    return (work) => (connection as unknown as TypeOrmLike).transaction('READ COMMITTED', work);
  }
  if (typeof shape.getConnection === 'function') return (work) => onPool(connection as unknown as PoolLike, work);
  return () => {
    throw new ConfigurationError(FIELD, 'must be a pool, a data source or a client that can begin transactions');
  };
}

/** `mysql2/promise` and `mariadb`. */
async function onPool<T>(pool: PoolLike, work: Work<T>): Promise<T> {
  const connection = await pool.getConnection();
  try {
    // Of the next transaction alone: other users of the pool have the connection as they expect it.
    await connection.query('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
    await connection.beginTransaction();
    const result = await work(connection);
    await connection.commit();
    return result;
  } catch (error) {
    // One that is broken cannot roll back, and what has broken it is what matters.
    await connection.rollback().catch(() => undefined);
    throw error;
  } finally {
    connection.release();
  }
}
