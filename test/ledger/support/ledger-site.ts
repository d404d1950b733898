import { randomBytes } from 'node:crypto';
import { Injectable, type ModuleMetadata, type Type } from '@nestjs/common';
import { Redis } from 'ioredis';
import {
  type DelayedTask,
  type DelayQueueModuleOptions,
  type HandlerOptions,
  OnDelayedTask,
  type QueueEvent,
  type TaskType,
} from 'nestjs-delay-queue';
import { SqlLedger } from 'nestjs-delay-queue/ledger';
import pg from 'pg';
import type { TaskLedger } from '../../../libs/delay-queue/src/ports/task-ledger.js';
import { type TestApp, TestApps } from '../../nest/support/test-apps.js';
import { PostgresServer, type SharedPostgres } from '../../support/postgres-server.js';
import { RedisServer, type SharedRedis } from '../../support/redis-server.js';
import { waitFor } from '../../support/wait-for.js';
import { inPgTransaction } from './pg-database.js';

/** The task type of these tests. */
export const TYPE = 'order_timeout' as TaskType;

/** Limit for what starts servers: that takes seconds, and many more while others use the processor. */
export const START_MS = 180_000;

/** What a handler of a test does. */
export type Work = (task: DelayedTask, payload: unknown) => unknown;

/** How an application of a test is set up. */
export interface LedgerAppParts {
  /** @default the application has no handler */
  readonly work?: Work;
  readonly handler?: HandlerOptions;
  readonly queue?: Partial<DelayQueueModuleOptions>;
  /** Settings of the ledger; null for an application without one. */
  readonly ledger?: Partial<NonNullable<DelayQueueModuleOptions['ledger']>> | null;
  readonly imports?: ModuleMetadata['imports'];
}

/** An application of a test, and what it has told. */
export interface LedgerApp extends TestApp {
  readonly seen: QueueEvent[];
}

/** A PostgreSQL, a Redis and applications on both; each test has a queue and tables of rows of its own. */
export class LedgerSite {
  readonly apps = new TestApps();
  /** Begins the keys and names the queue of the present test. */
  prefix = '';

  private constructor(
    private readonly postgres: SharedPostgres,
    private readonly sharedRedis: SharedRedis,
    readonly pool: pg.Pool,
    readonly redis: Redis,
  ) {}

  /** Opens a site on servers of its own, unless others are given, which it then owns. */
  static async open(redis?: SharedRedis, ownPostgres?: SharedPostgres): Promise<LedgerSite> {
    const postgres = ownPostgres ?? (await PostgresServer.shared());
    const shared = redis ?? (await RedisServer.shared());
    const pool = new pg.Pool({ connectionString: postgres.url, max: 20 });
    pool.on('error', () => undefined);
    const site = new LedgerSite(postgres, shared, pool, new Redis(shared.url, { lazyConnect: false }));
    site.redis.on('error', () => undefined);
    await site.backend.migrate();
    site.nextTest();
    return site;
  }

  get backend(): SqlLedger {
    return new SqlLedger({ dialect: 'postgresql', connection: this.pool });
  }

  get redisUrl(): string {
    return this.sharedRedis.url;
  }

  /** Gives the next test a queue of its own. */
  nextTest(): void {
    this.prefix = `${this.sharedRedis.prefix}-${randomBytes(4).toString('hex')}`;
  }

  async afterEach(): Promise<void> {
    await this.apps.closeAll();
    this.nextTest();
  }

  async close(): Promise<void> {
    await this.apps.closeAll();
    this.redis.disconnect();
    await this.pool.end();
    await this.sharedRedis.release();
    await this.postgres.release();
  }

  /** Boots an application, as one process of a deployment. */
  async boot(parts: LedgerAppParts = {}): Promise<LedgerApp> {
    const { work, handler, queue, ledger, imports = [] } = parts;
    const app = await this.apps.create({
      queue: {
        ...(queue?.embedded !== true && { connection: this.redisUrl }),
        prefix: this.prefix,
        ...queue,
        ...(ledger !== null && { ledger: { backend: this.backend, relayEvery: 300, ...ledger } }),
      },
      providers: work === undefined ? [] : [handlerOf(work, handler)],
      imports,
    });
    const seen: QueueEvent[] = [];
    app.events.events$.subscribe((event) => seen.push(event));
    await app.app.init();
    return { ...app, seen };
  }

  /** The ledger as a process sees it that does nothing else with it. */
  ledger(): TaskLedger {
    return this.backend.open({ queue: this.prefix, callTimeoutMs: 20_000, relayAfterMs: 0, sweepAfterMs: 300_000 });
  }

  transaction<T>(work: (tx: pg.PoolClient) => Promise<T>): Promise<T> {
    return inPgTransaction(this.pool, work);
  }

  /** The states of all rows of a task id, oldest first. */
  async statesOf(id: string): Promise<readonly string[]> {
    const { rows } = await this.pool.query<{ state: string }>(
      'SELECT state FROM delay_queue_tasks WHERE queue = $1 AND task_id = $2 ORDER BY row_id',
      [this.prefix, id],
    );
    return rows.map(({ state }) => state);
  }

  /** How many rows of the queue there are in each state. */
  async countStates(): Promise<Readonly<Record<string, number>>> {
    const { rows } = await this.pool.query<{ state: string; count: string }>(
      'SELECT state, COUNT(*) AS count FROM delay_queue_tasks WHERE queue = $1 GROUP BY state',
      [this.prefix],
    );
    return Object.fromEntries(rows.map(({ state, count }) => [state, Number(count)]));
  }

  /** Waits until the last row of a task id is in a state. */
  async untilState(id: string, state: string, deadlineMs = 15_000): Promise<void> {
    await waitFor(async () => (await this.statesOf(id)).at(-1) === state, { deadlineMs, what: `${id} to be ${state}` });
  }

  /** Makes rows look as old as they would be after a while, so that whoever looks by age finds them. */
  async age(id: string, byMs: number): Promise<void> {
    await this.pool.query(
      `UPDATE delay_queue_tasks SET look_at_ms = look_at_ms - $3, due_at_ms = due_at_ms - $3, ended_at_ms = ended_at_ms - $3
       WHERE queue = $1 AND task_id = $2`,
      [this.prefix, id, byMs],
    );
  }
}

function handlerOf(work: Work, options: HandlerOptions = {}): Type {
  @Injectable()
  class Handler {
    @OnDelayedTask(TYPE, options)
    handle(payload: unknown, task: DelayedTask): unknown {
      return work(task, payload);
    }
  }
  return Handler;
}
