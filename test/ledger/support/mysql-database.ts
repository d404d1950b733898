import mariadb from 'mariadb';
import mysql from 'mysql2/promise';
import type { LedgerConnection } from 'nestjs-delay-queue/ledger';
import type { LedgerDatabase } from './ledger-database.js';

/** MariaDB or MySQL with `mysql2`. */
export function openMysql2Database(url: string): Promise<LedgerDatabase> {
  const pool = mysql.createPool({ uri: url, connectionLimit: 10 });
  return Promise.resolve(databaseOf(pool, () => pool.getConnection()));
}

/** MariaDB with `mariadb`. */
export function openMariaDbDatabase(url: string): Promise<LedgerDatabase> {
  const { hostname, port, pathname, username } = new URL(url);
  const address = { host: hostname, port: Number(port), user: username, database: pathname.slice(1) };
  const pool = mariadb.createPool({ ...address, connectionLimit: 10 });
  return Promise.resolve(databaseOf(pool, () => pool.getConnection()));
}

interface PooledConnection {
  query(sql: string, parameters?: unknown[]): Promise<unknown>;
  beginTransaction(): Promise<void>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
  release(): unknown;
}

function databaseOf(
  pool: LedgerConnection & { end(): Promise<void> },
  connect: () => Promise<PooledConnection>,
): LedgerDatabase {
  return {
    dialect: 'mysql',
    connection: pool,
    transaction: (work) => inMysqlTransaction(connect, work),
    close: () => pool.end(),
  };
}

async function inMysqlTransaction<T>(
  connect: () => Promise<PooledConnection>,
  work: (tx: LedgerConnection) => Promise<T>,
): Promise<T> {
  const connection = await connect();
  try {
    await connection.beginTransaction();
    const result = await work(connection);
    await connection.commit();
    return result;
  } catch (error) {
    await connection.rollback();
    throw error;
  } finally {
    connection.release();
  }
}
