import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { TaskOutcome } from 'nestjs-delay-queue';
import { encodeEnvelope } from '../../libs/delay-queue/src/task/envelope.js';
import { withLedgerCheck } from '../../libs/delay-queue/src/task/ledger-envelope.js';
import { newLedgerRow, newLife } from '../../libs/delay-queue/src/core/ids.js';
import type { NewLedgerTask } from '../../libs/delay-queue/src/ports/task-ledger.js';
import { DelayQueueRuntime } from '../../libs/delay-queue/src/runtime/delay-queue-runtime.js';
import { RedisServer } from '../support/redis-server.js';
import { waitFor } from '../support/wait-for.js';
import { type LedgerApp, LedgerSite, START_MS, TYPE } from './support/ledger-site.js';

const TEST_MS = 120_000;

let server: RedisServer;
let site: LedgerSite;

beforeAll(async () => {
  server = await RedisServer.start();
  site = await LedgerSite.open({ url: server.url, prefix: 'test', release: () => server.stop() });
}, START_MS);
afterEach(async () => {
  await site.afterEach();
  await site.redis.flushall();
}, START_MS);
afterAll(() => site.close(), START_MS);

/** A row of a task that is due after a while. */
function task(id: string, delayMs: number): NewLedgerTask {
  const row = newLedgerRow(Date.now());
  const envelope = encodeEnvelope({ payloadJson: '{}', life: newLife(Date.now()), ledgerRow: row });
  const due = { delayMs };
  return { row, type: TYPE, id, partition: 0, envelope, due, onDuplicate: 'keep', dedupeForMs: 0 };
}

/** Writes the rows of many tasks, and has the relay bring them to the store. */
async function scheduleMany(
  count: number,
  { id, delayMs }: { id: string; delayMs: number },
): Promise<readonly string[]> {
  const ledger = site.ledger();
  const ids = Array.from({ length: count }, (_, index) => `${id}-${index}`);
  await site.transaction(async (tx) => {
    for (const each of ids) await ledger.stage(task(each, delayMs), tx);
  });
  const isIndexed = async (): Promise<boolean> => ((await site.countStates())['staged'] ?? 0) === 0;
  await waitFor(isIndexed, { deadlineMs: 60_000, what: 'all rows to be indexed' });
  return ids;
}

async function makeDue(): Promise<void> {
  await site.pool.query('UPDATE delay_queue_tasks SET due_at_ms = 0 WHERE queue = $1', [site.prefix]);
}

const restoredOf = ({ seen }: LedgerApp, by: string): number =>
  seen.filter((event) => event.kind === 'restored' && event.by === by).length;

describe('a store that has lost its data', () => {
  it(
    'C45 FLUSHALL with 10,000 pending: all are loaded again and run, and none that was done runs again',
    async () => {
      const runs = new Map<string, number>();
      const app = await site.boot({
        work: ({ id }) => void runs.set(id, (runs.get(id) ?? 0) + 1),
        handler: { concurrency: 200 },
      });
      const done = await scheduleMany(200, { id: 'done', delayMs: 0 });
      await waitFor(() => runs.size === 200, { deadlineMs: 30_000, what: 'the first tasks to be done' });
      const ids = await scheduleMany(10_000, { id: 'pending', delayMs: 3_600_000 });
      await makeDue();
      await site.redis.flushall();
      await waitFor(async () => (await site.countStates())['done'] === 10_200, {
        deadlineMs: 90_000,
        what: 'all tasks to be done',
      });
      expect(new Set(runs.values())).toEqual(new Set([1]));
      expect([...runs.keys()].toSorted()).toEqual([...done, ...ids].toSorted());
      expect(app.seen.filter(({ kind }) => kind === 'partition lost')).toHaveLength(1);
      // The last task can be done before the loading has heard that it is in the store.
      const rebuilt = (): unknown => app.seen.find(({ kind }) => kind === 'rebuilt');
      expect(await waitFor(rebuilt, { what: 'the loading to end' })).toMatchObject({ type: TYPE, partition: 0 });
      expect(restoredOf(app, 'rebuild')).toBe(10_000);
      expect(app.log.matching('warn', '10000 tasks of partition 0')).toHaveLength(1);
    },
    TEST_MS,
  );

  it(
    'C45 is lost again in the middle of the loading: all run',
    async () => {
      const app = await site.boot({ work: () => undefined, ledger: { rebuildRate: 500 } });
      await scheduleMany(1_500, { id: 'a', delayMs: 3_600_000 });
      await site.redis.flushall();
      await waitFor(() => restoredOf(app, 'rebuild') > 0, { deadlineMs: 20_000, what: 'the loading' });
      await makeDue();
      await site.redis.flushall();
      await waitFor(async () => (await site.countStates())['done'] === 1_500, {
        deadlineMs: 60_000,
        what: 'all tasks to be done',
      });
      // What was loaded before the second loss was loaded again.
      const rebuilt = (): boolean => app.seen.some(({ kind }) => kind === 'rebuilt');
      await waitFor(rebuilt, { what: 'the loading to end' });
      expect(restoredOf(app, 'rebuild')).toBeGreaterThan(1_500);
    },
    TEST_MS,
  );

  it(
    'C45 while nobody was there: who boots loads it again',
    async () => {
      const before = await site.boot();
      await scheduleMany(50, { id: 'a', delayMs: 3_600_000 });
      await before.app.close();
      await site.redis.flushall();
      await makeDue();
      const { seen } = await site.boot({ work: () => undefined });
      await waitFor(async () => (await site.countStates())['done'] === 50, {
        deadlineMs: 30_000,
        what: 'all tasks to be done',
      });
      expect(seen.filter(({ kind }) => kind === 'started')).toHaveLength(50);
    },
    TEST_MS,
  );

  it(
    'C45 two processes share the loading, and no task runs twice',
    async () => {
      const runs: string[] = [];
      const parts = { work: ({ id }: { id: string }) => void runs.push(id), ledger: { rebuildRate: 2_000 } };
      const apps = [await site.boot(parts), await site.boot(parts)];
      const ids = await scheduleMany(2_000, { id: 'a', delayMs: 3_600_000 });
      await makeDue();
      await site.redis.flushall();
      await waitFor(async () => (await site.countStates())['done'] === 2_000, {
        deadlineMs: 60_000,
        what: 'all tasks to be done',
      });
      expect(runs.toSorted()).toEqual(ids.toSorted());
      const restored = (): number => apps.reduce((sum, app) => sum + restoredOf(app, 'rebuild'), 0);
      await waitFor(() => restored() >= 2_000, { what: 'both to have told of it' });
      expect(restored()).toBe(2_000);
    },
    TEST_MS,
  );

  it(
    'the embedded store, whose tasks are gone with the process, gets them back at the next boot',
    async () => {
      const first = await site.boot({ queue: { embedded: true } });
      await scheduleMany(20, { id: 'a', delayMs: 3_600_000 });
      await first.app.close();
      await makeDue();
      const { seen } = await site.boot({ queue: { embedded: true }, work: () => undefined });
      await waitFor(async () => (await site.countStates())['done'] === 20, {
        deadlineMs: 30_000,
        what: 'all tasks to be done',
      });
      expect(seen.filter(({ kind }) => kind === 'started')).toHaveLength(20);
    },
    TEST_MS,
  );

  it(
    'admin.rebuild() loads what is missing, and leaves what is there',
    async () => {
      const { admin, producer } = await site.boot();
      await scheduleMany(10, { id: 'a', delayMs: 3_600_000 });
      const dueMs = (await producer.get(TYPE, 'a-1'))?.dueAt?.getTime();
      // Lost without a trace: the fence is there.
      await site.redis.zrem(`{${site.prefix}:${TYPE}:0}:due`, 'a-0');
      await site.redis.hdel(`{${site.prefix}:${TYPE}:0}:task`, 'a-0');
      expect(await producer.get(TYPE, 'a-0')).toBeNull();
      expect(await admin.rebuild(TYPE)).toBe(10);
      expect(await producer.get(TYPE, 'a-0')).toMatchObject({ state: 'waiting' });
      expect((await producer.get(TYPE, 'a-1'))?.dueAt?.getTime()).toBe(dueMs);
      expect(await site.countStates()).toEqual({ indexed: 10 });
      const without = await site.boot({ ledger: null });
      await expect(without.admin.rebuild(TYPE)).rejects.toMatchObject({ code: 'invalid_argument' });
    },
    TEST_MS,
  );
});

describe('a store that has gone back to an earlier state', () => {
  it(
    'C45 gets what it has lost since, and runs nothing again that was done since',
    async () => {
      const runs = new Map<string, number>();
      const work = ({ id }: { id: string }): void => void runs.set(id, (runs.get(id) ?? 0) + 1);
      const app = await site.boot({ work });
      await scheduleMany(20, { id: 'done', delayMs: 3_600_000 });
      await scheduleMany(20, { id: 'kept', delayMs: 3_600_000 });
      const before = await snapshot();
      for (let index = 0; index < 20; index++) await app.producer.runNow(TYPE, `done-${index}`);
      await waitFor(async () => (await site.countStates())['done'] === 20, {
        deadlineMs: 20_000,
        what: 'these to be done',
      });
      await scheduleMany(20, { id: 'lost', delayMs: 3_600_000 });
      await restore(before);
      await waitFor(() => app.seen.some((event) => event.kind === 'partition lost' && event.how === 'rolled back'), {
        deadlineMs: 20_000,
        what: 'the loss to be noticed',
      });
      await waitFor(() => restoredOf(app, 'rebuild') === 20, {
        deadlineMs: 20_000,
        what: 'the lost ones to be loaded',
      });
      const due = await site.redis.zrange(`{${site.prefix}:${TYPE}:0}:due`, 0, '-1');
      expect(due).toHaveLength(60);
      for (const id of due) await app.producer.runNow(TYPE, id);
      await waitFor(async () => (await site.countStates())['done'] === 60, {
        deadlineMs: 20_000,
        what: 'all to be done',
      });
      expect(runs.size).toBe(60);
      expect(new Set(runs.values())).toEqual(new Set([1]));
    },
    TEST_MS,
  );

  it(
    'has tasks that were moved since at their new time',
    async () => {
      const app = await site.boot();
      await scheduleMany(4, { id: 'a', delayMs: 3_600_000 });
      const before = await snapshot();
      await app.producer.reschedule(TYPE, 'a-0', { delay: '2h' });
      await site.transaction((tx) => app.producer.reschedule(TYPE, 'a-1', { delay: '2h', tx }));
      await app.producer.reschedule(TYPE, 'a-2', { delay: '5m' });
      await site.untilState('a-1', 'indexed');
      await restore(before);
      expect(await app.admin.rebuild(TYPE)).toBe(4);
      const minutesLeft = async (id: string): Promise<number> =>
        Math.round(((await app.producer.get(TYPE, id))?.dueAt?.getTime() ?? 0) / 60_000 - Date.now() / 60_000);
      const left = await Promise.all(['a-0', 'a-1', 'a-2', 'a-3'].map(minutesLeft));
      for (const [index, minutes] of [120, 120, 5, 60].entries()) {
        // The test takes its time.
        expect(left[index]).toBeGreaterThan(minutes - 4);
        expect(left[index]).toBeLessThan(minutes + 4);
      }
    },
    TEST_MS,
  );

  /** All keys of the queue, as a failover to a replica that lags would find them. */
  async function snapshot(): Promise<ReadonlyMap<string, Buffer>> {
    const keys = await site.redis.keys(`{${site.prefix}:*`);
    const dumps = await Promise.all(keys.map((key) => site.redis.dumpBuffer(key)));
    return new Map(keys.map((key, index) => [key, dumps[index] ?? Buffer.alloc(0)]));
  }

  async function restore(dumps: ReadonlyMap<string, Buffer>): Promise<void> {
    const transaction = site.redis.multi().flushall();
    for (const [key, dump] of dumps) transaction.restore(key, '0', dump);
    await transaction.exec();
  }
});

describe('the sweep', () => {
  it(
    'restores a task that the store has forgotten, once it is overdue',
    async () => {
      const app = await site.boot({ work: () => undefined, ledger: { sweepEvery: 200 } });
      await scheduleMany(3, { id: 'a', delayMs: 3_600_000 });
      await site.redis.del(`{${site.prefix}:${TYPE}:0}:due`, `{${site.prefix}:${TYPE}:0}:task`);
      for (const index of [0, 1, 2]) await site.age(`a-${index}`, 7_200_000);
      await waitFor(async () => (await site.countStates())['done'] === 3, {
        deadlineMs: 20_000,
        what: 'all to be done',
      });
      expect(restoredOf(app, 'sweep')).toBe(3);
    },
    TEST_MS,
  );

  it.each(['keep', 'replace'] as const)(
    'leaves a task alone that has been snoozed, scheduled with %s',
    async (onDuplicate) => {
      const { app, producer } = await site.boot({ work: () => TaskOutcome.snooze('1h') });
      await site.transaction((tx) => producer.schedule(TYPE, {}, { delay: 0, id: 'a', onDuplicate, tx }));
      await waitFor(
        async () => {
          const { state, dueAt } = (await producer.get(TYPE, 'a')) ?? {};
          return state === 'waiting' && (dueAt?.getTime() ?? 0) > Date.now() + 1_800_000;
        },
        { deadlineMs: 15_000, what: 'the snooze' },
      );
      await site.untilState('a', 'indexed');
      await site.age('a', 600_000);
      expect(await app.get(DelayQueueRuntime).books?.sweep()).toEqual({ restored: 0, isCut: false });
      const { dueAt, deliveries } = (await producer.get(TYPE, 'a')) ?? {};
      expect(deliveries).toBe(1);
      expect(dueAt?.getTime()).toBeGreaterThan(Date.now() + 1_800_000);
    },
    TEST_MS,
  );

  it(
    'ends rows of dead letters whose end the ledger has not heard of',
    async () => {
      const app = await site.boot({
        handler: { maxRetries: 0 },
        ledger: { sweepEvery: 200 },
        work: () => {
          throw new Error('no');
        },
      });
      await scheduleMany(1, { id: 'a', delayMs: 0 });
      await site.untilState('a-0', 'dead');
      await site.pool.query(
        `UPDATE delay_queue_tasks SET state = 'indexed', ended_at_ms = NULL, look_at_ms = 0 WHERE queue = $1`,
        [site.prefix],
      );
      await site.untilState('a-0', 'dead');
      expect(restoredOf(app, 'sweep')).toBe(0);
    },
    TEST_MS,
  );

  it(
    'C46 rows that cannot be delivered, at the head, keep nobody waiting',
    async () => {
      const elsewhere = await site.boot({ queue: { types: { odd: { partitions: 2 } } } });
      await elsewhere.app.close();
      // Here the type has one partition, so its tasks cannot be brought to the store.
      const { log } = await site.boot({ work: () => undefined });
      const ledger = site.ledger();
      await site.transaction(async (tx) => {
        // More than the relay takes at once.
        for (let index = 0; index < 600; index++) {
          await ledger.stage({ ...task(`bad-${index}`, 0), type: 'odd' }, tx);
        }
        await ledger.stage(task('good', 0), tx);
      });
      await site.untilState('good', 'done', 30_000);
      const { rows } = await site.pool.query<{ attempts: number; waits: boolean }>(
        `SELECT MAX(attempts) AS attempts, BOOL_AND(state = 'staged') AS waits FROM delay_queue_tasks
         WHERE queue = $1 AND type = 'odd'`,
        [site.prefix],
      );
      expect(rows[0]?.waits).toBe(true);
      expect(log.matching('error', 'cannot be brought to the store').length).toBeGreaterThan(0);
    },
    TEST_MS,
  );

  it(
    'C47 two that sweep at once restore each task once',
    async () => {
      const apps = [await site.boot(), await site.boot()];
      await scheduleMany(300, { id: 'a', delayMs: 3_600_000 });
      await site.redis.del(`{${site.prefix}:${TYPE}:0}:due`, `{${site.prefix}:${TYPE}:0}:task`);
      await site.pool.query('UPDATE delay_queue_tasks SET due_at_ms = 0, look_at_ms = 0 WHERE queue = $1', [
        site.prefix,
      ]);
      const restored = await Promise.all(apps.map(async ({ app }) => app.get(DelayQueueRuntime).books?.sweep()));
      expect(restored.reduce((sum, result) => sum + (result?.restored ?? 0), 0)).toBe(300);
      expect(restored.every((result) => (result?.restored ?? 0) > 0)).toBe(true);
    },
    TEST_MS,
  );

  it(
    'a task that was done while a sweep brought it to the store is not done again',
    async () => {
      const ran: string[] = [];
      const { app, seen } = await site.boot({ work: ({ id }) => ran.push(id) });
      const row = task('a', 3_600_000);
      await site.transaction((tx) => site.ledger().stage(row, tx));
      await site.untilState('a', 'indexed');
      // It ends, and the store forgets it; the sweep had read its row before.
      await site.ledger().end([row.row], 'done');
      await site.redis.del(`{${site.prefix}:${TYPE}:0}:due`, `{${site.prefix}:${TYPE}:0}:task`);
      const envelope = withLedgerCheck(row.envelope);
      const late = { kind: 'schedule', id: 'a', due: { delayMs: 0 }, envelope, onDuplicate: 'keep' } as const;
      await app.get(DelayQueueRuntime).submit(TYPE, late);
      await waitFor(() => seen.some(({ kind }) => kind === 'completed'), { what: 'the task to be complete' });
      expect(seen).toContainEqual(expect.objectContaining({ kind: 'ended before', id: 'a', state: 'done' }));
      expect(ran).toEqual([]);
    },
    TEST_MS,
  );

  it(
    'deletes what has been over for long',
    async () => {
      await site.boot({ work: () => undefined, ledger: { sweepEvery: 200, keepDone: '1h' } });
      await scheduleMany(3, { id: 'a', delayMs: 0 });
      await waitFor(async () => (await site.countStates())['done'] === 3, {
        deadlineMs: 20_000,
        what: 'all to be done',
      });
      await site.age('a-0', 7_200_000);
      await waitFor(async () => (await site.countStates())['done'] === 2, {
        deadlineMs: 20_000,
        what: 'one to be deleted',
      });
      expect(await site.statesOf('a-0')).toEqual([]);
    },
    TEST_MS,
  );
});
