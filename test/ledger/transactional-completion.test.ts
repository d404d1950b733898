import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type DelayedTask, TaskEndedError, TaskOutcome } from 'nestjs-delay-queue';
import type pg from 'pg';
import { waitFor } from '../support/wait-for.js';
import { type LedgerApp, LedgerSite, START_MS, TYPE, type Work } from './support/ledger-site.js';

const TEST_MS = 60_000;

/** Retries come at once. */
const AT_ONCE = { backoff: { type: 'fixed', delay: 0 } } as const;

let site: LedgerSite;

beforeAll(async () => {
  site = await LedgerSite.open();
  await site.pool.query('CREATE TABLE effects (queue text, id text, delivery integer)');
}, START_MS);
afterEach(() => site.afterEach(), START_MS);
afterAll(() => site.close(), START_MS);

/** What the transactions of a task have left behind, by delivery. */
async function effectsOf(id: string): Promise<readonly number[]> {
  const { rows } = await site.pool.query<{ delivery: number }>(
    'SELECT delivery FROM effects WHERE queue = $1 AND id = $2 ORDER BY delivery',
    [site.prefix, id],
  );
  return rows.map(({ delivery }) => delivery);
}

async function effect(tx: pg.PoolClient, { id, deliveries }: DelayedTask): Promise<void> {
  await tx.query('INSERT INTO effects VALUES ($1, $2, $3)', [site.prefix, id, deliveries]);
}

async function schedule({ producer }: LedgerApp, id: string): Promise<void> {
  await (await site.transaction((tx) => producer.schedule(TYPE, {}, { delay: 0, id, tx }))).index();
}

function kindsOf({ seen }: LedgerApp, id: string): readonly string[] {
  return seen.flatMap((event) => ('id' in event && event.id === id && event.kind !== 'mutated' ? [event.kind] : []));
}

/** The task has left the store. */
async function untilGone({ producer }: LedgerApp, id: string): Promise<void> {
  await waitFor(async () => (await producer.get(TYPE, id)) === null, { deadlineMs: 15_000, what: `${id} to be gone` });
}

describe('complete in a transaction', () => {
  it(
    'ends the task with what the handler has done, once',
    async () => {
      const app = await site.boot({
        work: (task) =>
          site.transaction(async (tx) => {
            await task.complete(tx);
            await effect(tx, task);
          }),
      });
      await schedule(app, 'a');
      await untilGone(app, 'a');
      expect(await site.statesOf('a')).toEqual(['done']);
      expect(await effectsOf('a')).toEqual([1]);
    },
    TEST_MS,
  );

  it(
    'is undone when the transaction rolls back, and the task is tried again',
    async () => {
      const app = await site.boot({
        handler: AT_ONCE,
        work: (task) =>
          site.transaction(async (tx) => {
            await task.complete(tx);
            await effect(tx, task);
            if (task.deliveries < 3) throw new Error('no');
          }),
      });
      await schedule(app, 'a');
      await site.untilState('a', 'done');
      expect(await effectsOf('a')).toEqual([3]);
    },
    TEST_MS,
  );

  it(
    'counts although the handler throws after the commit',
    async () => {
      const app = await site.boot({
        handler: AT_ONCE,
        work: async (task) => {
          await site.transaction(async (tx) => {
            await task.complete(tx);
            await effect(tx, task);
          });
          throw new Error('too late');
        },
      });
      await schedule(app, 'a');
      await untilGone(app, 'a');
      expect(await effectsOf('a')).toEqual([1]);
      expect(kindsOf(app, 'a')).toEqual(['started', 'completed']);
    },
    TEST_MS,
  );

  it(
    'a second delivery finds the row done, and the handler is not run',
    async () => {
      let runs = 0;
      const app = await site.boot({
        handler: AT_ONCE,
        work: async (task) => {
          runs++;
          // What a crash between the commit and the word to the store leaves behind.
          await site.pool.query(`UPDATE delay_queue_tasks SET state = 'done' WHERE queue = $1 AND task_id = $2`, [
            site.prefix,
            task.id,
          ]);
          throw new Error('crashed');
        },
      });
      await schedule(app, 'a');
      await untilGone(app, 'a');
      expect(runs).toBe(1);
      expect(kindsOf(app, 'a')).toEqual(['started', 'retried', 'started', 'ended before', 'completed']);
    },
    TEST_MS,
  );

  it(
    'throws when the task was cancelled meanwhile: what the handler did is rolled back, and the task ends',
    async () => {
      const errors: unknown[] = [];
      const app = await site.boot({
        work: async (task) => {
          await site.transaction((tx) => app.producer.cancel(TYPE, task.id, { tx }));
          await site
            .transaction(async (tx) => {
              await effect(tx, task);
              await task.complete(tx);
            })
            .catch((error: unknown) => {
              errors.push(error);
              throw error;
            });
        },
      });
      await schedule(app, 'a');
      await untilGone(app, 'a');
      expect(errors).toEqual([expect.any(TaskEndedError)]);
      expect(errors[0]).toMatchObject({ code: 'task_ended', state: 'cancelled' });
      expect(await site.statesOf('a')).toEqual(['cancelled']);
      expect(await effectsOf('a')).toEqual([]);
      expect(kindsOf(app, 'a')).toEqual(['started', 'ended before', 'completed']);
    },
    TEST_MS,
  );

  it(
    'of two deliveries that run side by side one has its effect',
    async () => {
      let arrived = 0;
      const work: Work = async (task) => {
        arrived++;
        await waitFor(() => arrived === 2, { deadlineMs: 20_000, what: 'both deliveries' });
        await site.transaction(async (tx) => {
          await task.complete(tx);
          await effect(tx, task);
        });
      };
      const app = await site.boot({ work });
      await schedule(app, 'a');
      await waitFor(() => arrived === 1, { what: 'the first delivery' });
      // Its lease is over as far as the store knows, and the second delivery finds the row open still.
      await site.redis.zadd(`{${site.prefix}:${TYPE}:0}:leased`, 1, 'a');
      const other = await site.boot({ work });
      await site.untilState('a', 'done');
      const kinds = () => [...kindsOf(app, 'a'), ...kindsOf(other, 'a')];
      await waitFor(() => kinds().includes('ended before'), { what: 'the other delivery to be told' });
      expect((await effectsOf('a')).length).toBe(1);
    },
    TEST_MS,
  );

  it(
    'is refused to a task that was scheduled without a transaction',
    async () => {
      const errors: unknown[] = [];
      const app = await site.boot({
        work: async (task) => {
          expect(task.ledgered).toBe(false);
          await site.transaction((tx) => task.complete(tx)).catch((error: unknown) => errors.push(error));
        },
      });
      await app.producer.schedule(TYPE, {}, { delay: 0, id: 'a' });
      await waitFor(() => errors.length === 1, { what: 'the refusal' });
      expect(errors[0]).toMatchObject({ code: 'invalid_argument', field: 'tx' });
    },
    TEST_MS,
  );
});

describe('the end of a task of the ledger', () => {
  it(
    'is in the ledger before the store is told',
    async () => {
      const app = await site.boot({ work: () => undefined });
      const states: (readonly string[])[] = [];
      const told = new Promise<void>((resolve) => {
        app.events.of('completed').subscribe(({ id }) => {
          void site.statesOf(id).then((found) => {
            states.push(found);
            resolve();
          });
        });
      });
      await schedule(app, 'a');
      await told;
      expect(states).toEqual([['done']]);
    },
    TEST_MS,
  );

  it.each([
    ['buried by its outcome', (): unknown => TaskOutcome.bury('why')],
    [
      'out of retries',
      (): unknown => {
        throw new Error('no');
      },
    ],
    ['out of retries, by an outcome', (): unknown => TaskOutcome.retry({ delay: 0 })],
  ])(
    'a dead letter that was %s has a dead row, and both come back by a redrive',
    async (_, fail) => {
      let failing = true;
      const app = await site.boot({
        handler: { ...AT_ONCE, maxRetries: 1 },
        work: () => (failing ? fail() : undefined),
      });
      await schedule(app, 'a');
      await site.untilState('a', 'dead');
      await waitFor(async () => (await app.producer.get(TYPE, 'a'))?.state === 'dead', { what: 'the dead letter' });
      failing = false;
      expect(await app.admin.redrive(TYPE, 'a')).toMatchObject({ status: 'redriven' });
      await site.untilState('a', 'done');
    },
    TEST_MS,
  );

  it(
    'a dead letter of lost leases has a dead row',
    async () => {
      let hangs = true;
      const app = await site.boot({
        handler: { maxLostLeases: 1 },
        work: async ({ id, signal }) => {
          if (id === 'b') return;
          await waitFor(() => !hangs || signal.aborted, { deadlineMs: 30_000, what: 'the end of the hanging' });
        },
      });
      const leased = `{${site.prefix}:${TYPE}:0}:leased`;
      await schedule(app, 'a');
      await waitFor(async () => (await site.redis.zscore(leased, 'a')) !== null, { what: 'a lease' });
      // As if the process had fallen silent; the next claim finds it.
      await site.redis.zadd(leased, 1, 'a');
      await schedule(app, 'b');
      await site.untilState('a', 'dead');
      expect((await app.producer.get(TYPE, 'a'))?.state).toBe('dead');
      hangs = false;
    },
    TEST_MS,
  );

  it(
    'a process without a ledger leaves such tasks alone, and says so',
    async () => {
      const app = await site.boot();
      const without = await site.boot({ ledger: null, work: () => undefined });
      await schedule(app, 'a');
      await waitFor(() => without.log.matching('error', 'set the option `ledger`').length === 1, { what: 'the line' });
      expect(await site.statesOf('a')).toEqual(['indexed']);
      const { state, failures } = (await app.producer.get(TYPE, 'a')) ?? {};
      expect([state, failures]).toEqual(['waiting', 0]);
    },
    TEST_MS,
  );
});
