import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type LedgerConnection, SqlLedger } from 'nestjs-delay-queue/ledger';
import { DelayQueueRuntime } from '../../libs/delay-queue/src/runtime/delay-queue-runtime.js';
import { nextEvent } from '../nest/support/next-event.js';
import { waitFor } from '../support/wait-for.js';
import { LedgerSite, START_MS, TYPE } from './support/ledger-site.js';

const TEST_MS = 60_000;

let site: LedgerSite;

beforeAll(async () => {
  site = await LedgerSite.open();
}, START_MS);
afterEach(() => site.afterEach(), START_MS);
afterAll(() => site.close(), START_MS);

describe('schedule in a transaction', () => {
  it(
    'runs the task after the commit, without another word',
    async () => {
      const { producer, events } = await site.boot({ work: () => undefined });
      const completed = nextEvent(events, 'completed', 'a');
      const staged = await site.transaction((tx) => producer.schedule(TYPE, { n: 1 }, { delay: 50, id: 'a', tx }));
      expect(staged).toMatchObject({ id: 'a', status: 'staged', state: 'staged', dueAt: expect.any(Date) });
      expect(await completed).toMatchObject({ id: 'a', deliveries: 1 });
      expect(await site.statesOf('a')).toEqual(['done']);
    },
    TEST_MS,
  );

  it(
    'C49 a task whose transaction rolls back never existed',
    async () => {
      const { producer, seen } = await site.boot({ work: () => undefined });
      const failure = new Error('no');
      const staging = site.transaction(async (tx) => {
        await producer.schedule(TYPE, {}, { delay: 0, id: 'a', tx });
        throw failure;
      });
      await expect(staging).rejects.toBe(failure);
      // One that is written afterwards and runs shows that whoever looks has looked.
      await site.transaction((tx) => producer.schedule(TYPE, {}, { delay: 0, id: 'b', tx }));
      await site.untilState('b', 'done');
      expect(await site.statesOf('a')).toEqual([]);
      expect(await producer.get(TYPE, 'a')).toBeNull();
      expect(seen.filter((event) => 'id' in event && event.id === 'a')).toEqual([]);
    },
    TEST_MS,
  );

  it(
    'index() brings it to the store at once, after the commit and not before',
    async () => {
      const { producer } = await site.boot();
      const staged = await site.transaction(async (tx) => {
        const result = await producer.schedule(TYPE, {}, { delay: '1h', id: 'a', tx });
        expect(await result.index()).toEqual({ status: 'not_visible' });
        return result;
      });
      expect(await staged.index()).toEqual({ status: 'indexed' });
      expect(await producer.get(TYPE, 'a')).toMatchObject({ state: 'waiting' });
      expect(await staged.index()).toEqual({ status: 'indexed' });
      await site.transaction((tx) => producer.cancel(TYPE, 'a', { tx }));
      expect(await staged.index()).toEqual({ status: 'ended' });
    },
    TEST_MS,
  );

  it(
    'C44 a task of a process that died after the commit is run by another',
    async () => {
      const dying = await site.boot();
      const { producer } = dying;
      await site.transaction(async (tx) => {
        await producer.schedule(TYPE, {}, { delay: 0, id: 'a', tx });
        // It closes before it can see the commit, so it looks for its rows no more.
        await dying.app.close();
      });
      expect(await site.statesOf('a')).toEqual(['staged']);
      const { seen } = await site.boot({ work: () => undefined });
      await site.untilState('a', 'done');
      expect(seen).toContainEqual({ kind: 'restored', type: TYPE, id: 'a', by: 'relay' });
    },
    TEST_MS,
  );

  it(
    'C48 a transaction that commits after everybody has looked is found',
    async () => {
      const { app, producer } = await site.boot({ work: () => undefined });
      const watch = app.get(DelayQueueRuntime).books?.['watch'];
      await site.transaction(async (tx) => {
        await producer.schedule(TYPE, {}, { delay: 0, id: 'late', tx });
        await site.transaction((other) => producer.schedule(TYPE, {}, { delay: 0, id: 'young', tx: other }));
        await site.untilState('young', 'done');
        await waitFor(() => watch?.size === 0, { what: 'the process to give the row up' });
      });
      await site.untilState('late', 'done');
      expect(await site.countStates()).toEqual({ done: 2 });
    },
    TEST_MS,
  );

  it(
    'gives the store what is left of the delay by the clock of the database',
    async () => {
      const { producer } = await site.boot();
      const staged = await site.transaction(async (tx) => {
        const result = await producer.schedule(TYPE, {}, { delay: '1h', id: 'a', tx });
        // As if the transaction had lasted for half an hour.
        await tx.query('UPDATE delay_queue_tasks SET due_at_ms = due_at_ms - 1800000 WHERE queue = $1', [site.prefix]);
        return result;
      });
      await staged.index();
      const dueAtMs = (await producer.get(TYPE, 'a'))?.dueAt?.getTime() ?? 0;
      // Both servers are on this machine, so their clocks are one.
      expect(dueAtMs).toBeGreaterThanOrEqual(staged.dueAt.getTime() - 1_800_000);
      expect(dueAtMs).toBeLessThan(staged.dueAt.getTime() - 1_700_000);
    },
    TEST_MS,
  );

  it(
    'answers duplicate for an id that is taken, and replaces it when asked to',
    async () => {
      const { producer } = await site.boot();
      const schedule = (onDuplicate: 'keep' | 'replace', payload: unknown) =>
        site.transaction((tx) => producer.schedule(TYPE, payload, { delay: '1h', id: 'a', onDuplicate, tx }));
      const first = await schedule('keep', { n: 1 });
      await first.index();
      expect(await schedule('keep', { n: 2 })).toMatchObject({
        status: 'duplicate',
        state: 'indexed',
        dueAt: first.dueAt,
      });
      const third = await schedule('replace', { n: 3 });
      expect(await third.index()).toEqual({ status: 'indexed' });
      expect(await producer.get(TYPE, 'a')).toMatchObject({ payload: { n: 3 } });
      expect(await site.statesOf('a')).toEqual(['cancelled', 'indexed']);
    },
    TEST_MS,
  );

  it(
    'takes the id that a task has just left, also while the store has not let it go yet',
    async () => {
      let letGo = (): void => undefined;
      const gate = new Promise<void>((resolve) => (letGo = resolve));
      const runs: unknown[] = [];
      const { producer } = await site.boot({
        work: async (task, payload) => {
          await site.transaction((tx) => task.complete(tx));
          runs.push(payload);
          if (runs.length === 1) await gate;
        },
      });
      await site.transaction((tx) => producer.schedule(TYPE, 1, { delay: 0, id: 'a', tx }));
      await waitFor(() => runs.length === 1, { what: 'the first to run' });
      // Done in the ledger, and still running in the store.
      const second = await site.transaction((tx) => producer.schedule(TYPE, 2, { delay: 0, id: 'a', tx }));
      expect(second.status).toBe('staged');
      expect(await second.index()).toEqual({ status: 'waits' });
      letGo();
      await waitFor(() => runs.length === 2, { deadlineMs: 15_000, what: 'the second to run' });
      await site.untilState('a', 'done');
      expect(runs).toEqual([1, 2]);
      expect(await site.statesOf('a')).toEqual(['done', 'done']);
    },
    TEST_MS,
  );

  it(
    'gives way to a task of the store that is none of the ledger, and says so',
    async () => {
      const { producer, seen, log } = await site.boot();
      await producer.schedule(TYPE, { n: 1 }, { delay: '1h', id: 'a' });
      const staged = await site.transaction((tx) => producer.schedule(TYPE, { n: 2 }, { delay: '1h', id: 'a', tx }));
      expect(await staged.index()).toEqual({ status: 'ended' });
      expect(await site.statesOf('a')).toEqual(['cancelled']);
      expect(await producer.get(TYPE, 'a')).toMatchObject({ payload: { n: 1 } });
      expect(seen).toContainEqual({ kind: 'superseded', type: TYPE, id: 'a' });
      expect(log.matching('warn', 'without the ledger')).toHaveLength(1);
    },
    TEST_MS,
  );
});

describe('cancel and reschedule in a transaction', () => {
  it(
    'cancel takes the task out of the store when the transaction commits, and only then',
    async () => {
      const { producer } = await site.boot();
      await stageAndIndex('a');
      await expect(
        site.transaction(async (tx) => {
          expect(await producer.cancel(TYPE, 'a', { tx })).toEqual({ status: 'cancelled', state: 'none' });
          throw new Error('no');
        }),
      ).rejects.toThrow('no');
      expect(await producer.get(TYPE, 'a')).toMatchObject({ state: 'waiting' });
      expect(await site.statesOf('a')).toEqual(['indexed']);
      await site.transaction((tx) => producer.cancel(TYPE, 'a', { tx }));
      await waitFor(async () => (await producer.get(TYPE, 'a')) === null, { what: 'the task to leave the store' });
      expect(await site.statesOf('a')).toEqual(['cancelled']);
      expect(await site.transaction((tx) => producer.cancel(TYPE, 'a', { tx }))).toEqual({
        status: 'not_found',
        state: 'none',
      });

      async function stageAndIndex(id: string): Promise<void> {
        await (await site.transaction((tx) => producer.schedule(TYPE, {}, { delay: '1h', id, tx }))).index();
      }
    },
    TEST_MS,
  );

  it(
    'C44 a cancellation of a process that died after the commit reaches the store',
    async () => {
      const first = await site.boot();
      const { producer } = first;
      await (await site.transaction((tx) => producer.schedule(TYPE, {}, { delay: '1h', id: 'a', tx }))).index();
      await site.transaction(async (tx) => {
        await producer.cancel(TYPE, 'a', { tx });
        await first.app.close();
      });
      const second = await site.boot();
      await waitFor(async () => (await second.producer.get(TYPE, 'a')) === null, {
        deadlineMs: 15_000,
        what: 'the task to leave the store',
      });
      expect(await site.statesOf('a')).toEqual(['cancelled']);
    },
    TEST_MS,
  );

  it.each([
    ['later', '2h'],
    ['earlier', '1m'],
  ] as const)(
    'reschedule moves the task %s when the transaction commits',
    async (_, delay) => {
      const { producer } = await site.boot();
      await (await site.transaction((tx) => producer.schedule(TYPE, {}, { delay: '1h', id: 'a', tx }))).index();
      const moved = await site.transaction((tx) => producer.reschedule(TYPE, 'a', { delay, tx }));
      expect(moved).toMatchObject({ status: 'rescheduled', state: 'waiting' });
      const dueMs = moved.dueAt?.getTime() ?? 0;
      await waitFor(async () => isNear((await producer.get(TYPE, 'a'))?.dueAt, dueMs), {
        what: 'the task to be moved',
      });
      await site.untilState('a', 'indexed');
    },
    TEST_MS,
  );

  it.each(['cancel', 'reschedule'] as const)(
    '%s in a transaction that stays open for long reaches the store soon after its commit',
    async (kind) => {
      const { app, producer } = await site.boot({ ledger: { relayEvery: '1h' } });
      await (await site.transaction((tx) => producer.schedule(TYPE, {}, { delay: '1h', id: 'a', tx }))).index();
      await site.transaction(async (tx) => {
        if (kind === 'cancel') await producer.cancel(TYPE, 'a', { tx });
        else await producer.reschedule(TYPE, 'a', { delay: '2h', tx });
        // Its own process has looked, and has seen the row as it was before.
        expect(await app.get(DelayQueueRuntime).books?.['watch'].lookNow()).toBe(1);
      });
      const dueMs = Date.now() + 7_200_000;
      await waitFor(
        async () => {
          const task = await producer.get(TYPE, 'a');
          return kind === 'cancel' ? task === null : isNear(task?.dueAt, dueMs);
        },
        { deadlineMs: 15_000, what: 'the change to reach the store' },
      );
    },
    TEST_MS,
  );

  it(
    'reschedule of a task that was just staged, in the same transaction',
    async () => {
      const { producer } = await site.boot({ work: () => undefined });
      await site.transaction(async (tx) => {
        await producer.schedule(TYPE, {}, { delay: '1h', id: 'a', tx });
        await producer.reschedule(TYPE, 'a', { delay: 0, tx });
      });
      await site.untilState('a', 'done');
      expect(await site.statesOf('a')).toEqual(['done']);
    },
    TEST_MS,
  );

  it(
    'cancel and schedule of one id in one transaction leave the new task',
    async () => {
      const { producer } = await site.boot();
      await (await site.transaction((tx) => producer.schedule(TYPE, 1, { delay: '1h', id: 'a', tx }))).index();
      await site.transaction(async (tx) => {
        await producer.cancel(TYPE, 'a', { tx });
        await producer.schedule(TYPE, 2, { delay: '1h', id: 'a', tx });
      });
      await site.untilState('a', 'indexed');
      expect(await producer.get(TYPE, 'a')).toMatchObject({ payload: 2 });
    },
    TEST_MS,
  );
});

describe('what is refused', () => {
  it.each([
    ['tx', { delay: 0, tx: undefined }],
    ['tx', { delay: 0, tx: null }],
    ['tx', { delay: 0, tx: 'BEGIN' }],
    ['tx', { delay: 0, tx: {} }],
    ['id', { delay: 0, id: 'a\0b', tx: { query: () => Promise.resolve([]) } }],
    ['durability', { delay: 0, durability: { replicas: 1, timeoutMs: 10 }, tx: { query: () => Promise.resolve([]) } }],
  ])(
    'by the name of %s: %p',
    async (field, options) => {
      const { producer } = await site.boot();
      const call = producer.schedule(TYPE, {}, options as never);
      await expect(call).rejects.toMatchObject({ code: 'invalid_argument', field });
    },
    TEST_MS,
  );

  it(
    'a transaction in a queue without a ledger, or for a type that has none',
    async () => {
      const tx: LedgerConnection = site.pool;
      const without = await site.boot({ ledger: null });
      const refusal = { code: 'invalid_argument', field: 'tx' };
      await expect(without.producer.schedule(TYPE, {}, { delay: 0, tx })).rejects.toMatchObject(refusal);
      await expect(without.producer.cancel(TYPE, 'a', { tx })).rejects.toMatchObject(refusal);
      const other = await site.boot({ ledger: { types: ['other'] } });
      await expect(other.producer.schedule(TYPE, {}, { delay: 0, tx })).rejects.toMatchObject(refusal);
    },
    TEST_MS,
  );

  it(
    'a ledger without tables, at boot',
    async () => {
      const backend = new SqlLedger({ dialect: 'postgresql', connection: site.pool, tablePrefix: 'missing_' });
      await expect(site.boot({ ledger: { backend } })).rejects.toMatchObject({
        code: 'configuration',
        field: 'ledger',
      });
      const made = await site.boot({ ledger: { backend, migrate: true }, work: () => undefined });
      const completed = nextEvent(made.events, 'completed', 'a');
      await site.transaction((tx) => made.producer.schedule(TYPE, {}, { delay: 0, id: 'a', tx }));
      await completed;
    },
    TEST_MS,
  );
});

function isNear(date: Date | null | undefined, dueMs: number): boolean {
  return date !== null && date !== undefined && Math.abs(date.getTime() - dueMs) < 20_000;
}
