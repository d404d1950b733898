import type { LedgerConnection } from 'nestjs-delay-queue/ledger';
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

/** PostgreSQL by the raw calls of Prisma, in its own way of passing parameters and answering. */
export async function openRawCallDatabase(url: string): Promise<LedgerDatabase> {
  const pool = new pg.Pool({ connectionString: url });
  return Promise.resolve({
    dialect: 'postgresql',
    connection: rawCallsOf(pool),
    transaction: (work) => inPgTransaction(pool, (client) => work(rawCallsOf(client))),
    close: () => pool.end(),
  });
}

function rawCallsOf(target: pg.Pool | pg.PoolClient): LedgerConnection {
  return {
    $queryRawUnsafe: async (sql: string, ...parameters: unknown[]) =>
      (await target.query<Record<string, unknown>>(sql, parameters)).rows.map(withBigInts),
    $executeRawUnsafe: async (sql: string, ...parameters: unknown[]) =>
      (await target.query(sql, parameters)).rowCount ?? 0,
  };
}

/** `pg` gives a bigint as a text, Prisma as a BigInt. */
function withBigInts(row: Record<string, unknown>): Record<string, unknown> {
  const isBig = (name: string, value: unknown): value is string => /_ms$|epoch/.test(name) && typeof value === 'string';
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, isBig(name, value) ? BigInt(value) : value]),
  );
}
