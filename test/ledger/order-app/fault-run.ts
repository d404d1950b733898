import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import pg from 'pg';
import { PostgresServer, type SharedPostgres } from '../../support/postgres-server.js';
import { RedisServer } from '../../support/redis-server.js';
import { waitFor } from '../../support/wait-for.js';
import { FaultShop } from './fault-shop.js';

/** Time for an operation, or a recovery, on a busy machine. */
const STEP_MS = 90_000;

const STOCK = 1_000;
const SKU = 'TEST-KILLED';
const PREFIX = 'faults';
const KEYS = `{${PREFIX}:order_timeout:0}`;

/** What the app is killed in the middle of. */
export type Operation = 'placing' | 'cancelling';

/** What was done, and what is wrong after it. */
export interface FaultRunResult {
  readonly orders: number;
  readonly kills: number;
  readonly flushes: number;
  readonly wrongOrders: number;
  readonly stockDifference: number;
  /** The steps before which the app was killed. */
  readonly killedBefore: Readonly<Record<Operation, readonly string[]>>;
}

/** Kills the order app before every single step of an operation, with a database and a Redis of its own. */
export class FaultRun {
  private shops = 0;
  private kills = 0;
  private flushes = 0;
  private readonly killedBefore: Record<Operation, string[]> = { placing: [], cancelling: [] };

  private constructor(
    private readonly program: string,
    private readonly folder: string,
    private readonly postgres: SharedPostgres,
    private readonly server: RedisServer,
    private readonly pool: pg.Pool,
    private readonly redis: Redis,
  ) {}

  static async open(program: string): Promise<FaultRun> {
    const [postgres, server, folder] = await Promise.all([
      PostgresServer.shared(),
      RedisServer.start(),
      mkdtemp(join(tmpdir(), 'delay-queue-shops-')),
    ]);
    const pool = new pg.Pool({ connectionString: postgres.url });
    const run = new FaultRun(program, folder, postgres, server, pool, new Redis(server.url));
    await (await run.openShop()).close();
    await pool.query('INSERT INTO stock (sku, available) VALUES ($1, $2)', [SKU, STOCK]);
    return run;
  }

  async close(): Promise<void> {
    this.redis.disconnect();
    await this.pool.end();
    await Promise.all([this.server.stop(), this.postgres.release(), rm(this.folder, { recursive: true })]);
  }

  /** Does something again and again, each time killed one step later, until it gets through. */
  async killAtEveryStep(operation: Operation, { flushes }: { readonly flushes: boolean }): Promise<void> {
    for (let step = 0; ; step++) {
      const shop = await this.openShop();
      if (operation === 'placing') await this.place(shop, step);
      else await this.cancel(shop, step);
      if (!shop.wasKilled) {
        await shop.close();
        return;
      }
      this.kills++;
      this.killedBefore[operation].push((shop.trace.at(-1) ?? '').replace('killed before ', ''));
      if (flushes) await this.flush();
      else await this.endLeases();
    }
  }

  /** Lets every timeout run in one process that nobody kills, and looks what has become of the orders. */
  async finish(): Promise<FaultRunResult> {
    const shop = await this.openShop();
    await this.until('all tasks to be in Redis', async () => (await this.staged()) === 0);
    const pending = await this.pool.query<{ id: string }>(`SELECT id FROM orders WHERE status = 'pending'`);
    shop.tell({ kind: 'run', orderIds: pending.rows.map(({ id }) => id) });
    await this.until('all tasks to have run', async () => (await this.redis.hlen(`${KEYS}:task`)) === 0);
    await shop.close();
    const orders = await this.count('orders');
    const tasks = await this.count('delay_queue_tasks');
    const right = await this.count(
      `orders o JOIN delay_queue_tasks t ON t.task_id = 'order:' || o.id WHERE o.status = 'cancelled' AND t.state = 'done'`,
    );
    const { rows } = await this.pool.query<{ available: number }>('SELECT available FROM stock WHERE sku = $1', [SKU]);
    const { kills, flushes, killedBefore } = this;
    // A task without an order would be as wrong as an order without a task.
    const wrongOrders = Math.max(orders, tasks) - right;
    return { orders, kills, flushes, wrongOrders, stockDifference: STOCK - (rows[0]?.available ?? 0), killedBefore };
  }

  private openShop(): Promise<FaultShop> {
    const traceFile = join(this.folder, `${++this.shops}.trace`);
    const { program, postgres, server } = this;
    return FaultShop.open({ program, traceFile, databaseUrl: postgres.url, redisUrl: server.url, prefix: PREFIX });
  }

  /** Returns when the order's task is in Redis, or the process is gone. */
  private async place(shop: FaultShop, dieBefore: number): Promise<void> {
    shop.tell({ kind: 'place', sku: SKU, dieBefore });
    await this.untilKilledOr(shop, async () => shop.placed !== null && (await this.stateOf(shop.placed)) === 'indexed');
  }

  /** Returns when the order is cancelled and its task gone, or the process is. */
  private async cancel(shop: FaultShop, dieBefore: number): Promise<void> {
    await this.place(shop, Number.MAX_SAFE_INTEGER);
    const orderId = shop.placed ?? '';
    shop.tell({ kind: 'cancel', orderId, dieBefore });
    await this.untilKilledOr(shop, async () => (await this.redis.hexists(`${KEYS}:task`, `order:${orderId}`)) === 0);
  }

  private untilKilledOr(shop: FaultShop, done: () => Promise<boolean>): Promise<void> {
    return this.until('the shop to be through', async () => !shop.isAlive || (await done()));
  }

  private async until(what: string, condition: () => Promise<boolean>): Promise<void> {
    await waitFor(condition, { deadlineMs: STEP_MS, what });
  }

  private async flush(): Promise<void> {
    await this.redis.flushall();
    this.flushes++;
  }

  /** As if the dead processes had been silent for long. */
  private async endLeases(): Promise<void> {
    for (const id of await this.redis.zrange(`${KEYS}:leased`, 0, '-1')) {
      await this.redis.zadd(`${KEYS}:leased`, 'XX', 1, id);
    }
  }

  private async stateOf(orderId: string): Promise<string | undefined> {
    const sql = 'SELECT state FROM delay_queue_tasks WHERE task_id = $1';
    return (await this.pool.query<{ state: string }>(sql, [`order:${orderId}`])).rows[0]?.state;
  }

  private staged(): Promise<number> {
    return this.count(`delay_queue_tasks WHERE state = 'staged'`);
  }

  private async count(what: string): Promise<number> {
    const { rows } = await this.pool.query<{ count: string }>(`SELECT COUNT(*) AS count FROM ${what}`);
    return Number(rows[0]?.count);
  }
}
