import pg from 'pg';
import type { BenchTask } from '../bench-task.js';

/** Connections that the callers of a process share, whatever the subject. */
const POOL_SIZE = 20;

/** What runs statements in a transaction. */
export type Transaction = Pick<pg.PoolClient, 'query'>;

/** The database of an application that has orders, each with a task. */
export class OrderDatabase {
  private constructor(readonly pool: pg.Pool) {}

  static async open(url: string): Promise<OrderDatabase> {
    const pool = new pg.Pool({ connectionString: url, max: POOL_SIZE });
    await pool.query('CREATE TABLE IF NOT EXISTS orders (id text PRIMARY KEY, note text NOT NULL)');
    return new OrderDatabase(pool);
  }

  /** Writes the order of a task, and does something else, in one transaction. */
  async place({ id, payload }: BenchTask, work: (tx: pg.PoolClient) => Promise<unknown>): Promise<void> {
    const client = await this.pool.connect();
    try {
      await client.query('BEGIN');
      await client.query('INSERT INTO orders (id, note) VALUES ($1, $2)', [id, payload.note]);
      await work(client);
      await client.query('COMMIT');
    } finally {
      client.release();
    }
  }

  close(): Promise<void> {
    return this.pool.end();
  }
}
