import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { LedgerUnavailableError } from 'nestjs-delay-queue';
import { nextEvent } from '../nest/support/next-event.js';
import { PostgresServer } from '../support/postgres-server.js';
import { RedisServer } from '../support/redis-server.js';
import { waitFor } from '../support/wait-for.js';
import { LedgerSite, START_MS, TYPE } from './support/ledger-site.js';

const TEST_MS = 120_000;

let postgres: PostgresServer;
let redis: RedisServer;
let site: LedgerSite;

beforeAll(async () => {
  [postgres, redis] = await Promise.all([PostgresServer.start(), RedisServer.start({ appendOnly: true })]);
  site = await LedgerSite.open(
    { url: redis.url, prefix: 'test', release: () => redis.stop() },
    { url: postgres.url, release: () => postgres.stop() },
  );
}, START_MS);
afterEach(() => site.afterEach(), START_MS);
afterAll(() => site.close(), START_MS);

describe('a database that is away', () => {
  it(
    'while a handler ends: its work is done once, and noted when the database is back',
    async () => {
      let runs = 0;
      const app = await site.boot({
        work: async () => {
          runs++;
          await postgres.kill();
        },
      });
      await (await site.transaction((tx) => app.producer.schedule(TYPE, {}, { delay: 0, id: 'a', tx }))).index();
      await waitFor(() => app.seen.some(({ kind }) => kind === 'ledger down'), {
        deadlineMs: 20_000,
        what: 'the outage',
      });
      await postgres.restart();
      await site.untilState('a', 'done', 40_000);
      expect(runs).toBe(1);
      await waitFor(() => app.seen.some(({ kind }) => kind === 'ledger up'), { what: 'the end of the outage' });
      expect(app.seen.filter(({ kind }) => kind === 'ledger down')).toHaveLength(1);
      expect(app.log.matching('error', 'The ledger cannot be looked after')).toHaveLength(1);
    },
    TEST_MS,
  );

  it(
    'when a delivery must look at its row: it waits, and nothing is counted',
    async () => {
      let runs = 0;
      const app = await site.boot({
        handler: { maxRetries: 1, backoff: { type: 'fixed', delay: 0 } },
        work: async ({ deliveries }) => {
          runs++;
          if (deliveries > 1) return;
          await postgres.kill();
          throw new Error('no');
        },
      });
      await (await site.transaction((tx) => app.producer.schedule(TYPE, {}, { delay: 0, id: 'a', tx }))).index();
      const snoozed = await nextEvent(app.events, 'snoozed', 'a');
      expect(snoozed).toMatchObject({ deliveries: 2, failures: 1 });
      await postgres.restart();
      await app.producer.runNow(TYPE, 'a');
      await site.untilState('a', 'done', 40_000);
      expect(runs).toBe(2);
    },
    TEST_MS,
  );

  it(
    'does not keep the application from booting, nor other tasks from running',
    async () => {
      await postgres.kill();
      const app = await site.boot({ work: () => undefined, queue: { storeTimeout: '2s' } });
      const completed = nextEvent(app.events, 'completed', 'plain');
      await app.producer.schedule(TYPE, {}, { delay: 0, id: 'plain' });
      await completed;
      await app.producer.schedule(TYPE, {}, { delay: '1h', id: 'kept' });
      await expect(app.producer.cancel(TYPE, 'kept')).rejects.toBeInstanceOf(LedgerUnavailableError);
      await postgres.restart();
      expect(await app.producer.cancel(TYPE, 'kept')).toMatchObject({ status: 'not_found' });
      await site.transaction((tx) => app.producer.schedule(TYPE, {}, { delay: 0, id: 'a', tx }));
      await site.untilState('a', 'done', 40_000);
    },
    TEST_MS,
  );
});

describe('a Redis that is away', () => {
  it(
    'gets what was committed meanwhile, once it is back',
    async () => {
      const app = await site.boot({ work: () => undefined });
      await redis.kill();
      const staged = await site.transaction((tx) => app.producer.schedule(TYPE, {}, { delay: 0, id: 'a', tx }));
      expect(staged.status).toBe('staged');
      expect(await staged.index()).toEqual({ status: 'waits' });
      await redis.restart();
      await site.untilState('a', 'done', 60_000);
      expect(app.seen.filter(({ kind }) => kind === 'ledger down')).toEqual([]);
    },
    TEST_MS,
  );
});

describe('a Redis that is away for long', () => {
  it(
    'gets what was committed within a period of the relay, however often that was tried',
    async () => {
      const app = await site.boot();
      await redis.kill();
      await site.transaction((tx) => app.producer.schedule(TYPE, {}, { delay: '1h', id: 'a', tx }));
      const read = async (): Promise<{ attempts: number; waits: number }> => {
        const sql = `SELECT attempts, look_at_ms - floor(extract(epoch FROM now()) * 1000) AS waits
                     FROM delay_queue_tasks WHERE queue = $1`;
        const { rows } = await site.pool.query<{ attempts: number; waits: string }>(sql, [site.prefix]);
        return { attempts: Number(rows[0]?.attempts), waits: Number(rows[0]?.waits) };
      };
      await site.pool.query('UPDATE delay_queue_tasks SET attempts = 9, look_at_ms = 0 WHERE queue = $1', [
        site.prefix,
      ]);
      // Whoever takes a row holds it for half a minute.
      const isPutOff = async (): Promise<boolean> => {
        const { attempts, waits } = await read();
        return attempts > 9 && waits < 2_000;
      };
      await waitFor(isPutOff, { deadlineMs: 25_000, what: 'the row to be put off for a moment' });
      await redis.restart();
      await site.untilState('a', 'indexed', 60_000);
      expect((await app.producer.get(TYPE, 'a'))?.state).toBe('waiting');
    },
    TEST_MS,
  );
});

describe('with ScheduleModule', () => {
  it(
    'the sweep is an interval of the SchedulerRegistry, and gone after the shutdown',
    async () => {
      const { app } = await site.boot({ imports: [ScheduleModule.forRoot()] });
      const registry = app.get(SchedulerRegistry, { strict: false });
      expect(registry.getIntervals()).toContain('delay-queue:default:ledger-sweep');
      await app.close();
      expect(registry.getIntervals()).toEqual([]);
    },
    TEST_MS,
  );

  it(
    'a queue without a ledger has none',
    async () => {
      const { app } = await site.boot({ imports: [ScheduleModule.forRoot()], ledger: null });
      const registry = app.get(SchedulerRegistry, { strict: false });
      expect(registry.getIntervals()).not.toContain('delay-queue:default:ledger-sweep');
    },
    TEST_MS,
  );
});
