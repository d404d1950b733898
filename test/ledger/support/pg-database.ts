import pg from 'pg';
import type { LedgerDatabase } from './ledger-database.js';

/** PostgreSQL with `pg`. */
export function openPgDatabase(url: string): Promise<LedgerDatabase> {
  const pool = new pg.Pool({ connectionString: url });
  // Connections that break while nobody uses them; whoever uses one is told by its own call.
  pool.on('error', () => undefined);
  return Promise.resolve({
    dialect: 'postgresql',
    connection: pool,
    transaction: (work) => inPgTransaction(pool, work),
    close: () => pool.end(),
  });
}

/** Runs something in a transaction on a connection of a pool. */
export async function inPgTransaction<T>(pool: pg.Pool, work: (tx: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}
