import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { newLedgerRow, newLife } from '../../libs/delay-queue/src/core/ids.js';
import type { Mutation, MutationResult } from '../../libs/delay-queue/src/ports/mutation.js';
import type { NewLedgerTask } from '../../libs/delay-queue/src/ports/task-ledger.js';
import { DelayQueueRuntime } from '../../libs/delay-queue/src/runtime/delay-queue-runtime.js';
import { encodeEnvelope } from '../../libs/delay-queue/src/task/envelope.js';
import { waitFor } from '../support/wait-for.js';
import { type LedgerApp, LedgerSite, START_MS, TYPE } from './support/ledger-site.js';

const TEST_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Nobody but the process that has written a row brings it to the store. */
const NO_RELAY = { ledger: { relayEvery: '1h' } } as const;

let site: LedgerSite;

beforeAll(async () => {
  site = await LedgerSite.open();
}, START_MS);
afterEach(() => site.afterEach(), START_MS);
afterAll(() => site.close(), START_MS);

function task(id: string): NewLedgerTask {
  const row = newLedgerRow(Date.now());
  const envelope = encodeEnvelope({ payloadJson: '1', life: newLife(Date.now()), ledgerRow: row });
  return {
    row,
    type: TYPE,
    id,
    partition: 0,
    envelope,
    due: { delayMs: HOUR_MS },
    onDuplicate: 'keep',
    dedupeForMs: 0,
  };
}

/** Commits a row that nobody brings to the store, as a process leaves it that has died after the commit. */
async function stage(id: string): Promise<NewLedgerTask> {
  const staged = task(id);
  await site.transaction((tx) => site.ledger().stage(staged, tx));
  return staged;
}

/** Changes the store and not the ledger, as a process does that dies between the two. */
function inStore({ app }: LedgerApp, mutation: Mutation): Promise<MutationResult> {
  return app.get(DelayQueueRuntime)['desk'].submit(TYPE, mutation);
}

async function index({ producer }: LedgerApp, id: string): Promise<void> {
  await (await site.transaction((tx) => producer.schedule(TYPE, 1, { delay: '1h', id, tx }))).index();
}

async function dueOf(id: string): Promise<number> {
  const { rows } = await site.pool.query<{ due: string }>(
    'SELECT due_at_ms AS due FROM delay_queue_tasks WHERE queue = $1 AND task_id = $2',
    [site.prefix, id],
  );
  return Number(rows[0]?.due);
}

/** Leaves a dead letter and a dead row behind, and nobody who runs the task again. */
async function die(id: string): Promise<LedgerApp> {
  const killer = await site.boot({
    handler: { maxRetries: 0 },
    work: () => {
      throw new Error('no');
    },
  });
  await site.transaction((tx) => killer.producer.schedule(TYPE, 1, { delay: 0, id, tx }));
  await site.untilState(id, 'dead');
  await waitFor(async () => (await killer.producer.get(TYPE, id))?.state === 'dead', { what: 'the dead letter' });
  await killer.app.close();
  return site.boot(NO_RELAY);
}

describe('cancel', () => {
  it(
    'ends the row as well, also one that is not in the store yet',
    async () => {
      const app = await site.boot(NO_RELAY);
      await index(app, 'a');
      expect(await app.producer.cancel(TYPE, 'a')).toEqual({ status: 'cancelled', state: 'none' });
      expect(await site.statesOf('a')).toEqual(['cancelled']);

      await stage('b');
      expect(await app.producer.cancel(TYPE, 'b')).toEqual({ status: 'cancelled', state: 'none' });
      expect(await site.statesOf('b')).toEqual(['cancelled']);
      expect(await app.producer.cancel(TYPE, 'b')).toEqual({ status: 'not_found', state: 'none' });
    },
    TEST_MS,
  );

  it(
    'holds: neither a sweep nor a loss of the store brings the task back',
    async () => {
      const app = await site.boot(NO_RELAY);
      await index(app, 'a');
      await app.producer.cancel(TYPE, 'a');
      await site.age('a', 2 * HOUR_MS);
      expect(await app.app.get(DelayQueueRuntime).books?.sweep()).toEqual({ restored: 0, isCut: false });
      expect(await app.admin.rebuild(TYPE)).toBe(0);
      expect(await app.producer.get(TYPE, 'a')).toBeNull();
    },
    TEST_MS,
  );

  it(
    'of an id that no ledger can have asks no database',
    async () => {
      const { producer } = await site.boot();
      await producer.schedule(TYPE, 1, { delay: '1h', id: 'a\0b' });
      expect(await producer.reschedule(TYPE, 'a\0b', { delay: '2h' })).toMatchObject({ status: 'rescheduled' });
      expect(await producer.cancel(TYPE, 'a\0b')).toEqual({ status: 'cancelled', state: 'none' });
    },
    TEST_MS,
  );
});

describe('reschedule and runNow', () => {
  it(
    'move the row as well',
    async () => {
      const app = await site.boot();
      await index(app, 'a');
      const moved = await app.producer.reschedule(TYPE, 'a', { delay: '2h' });
      expect(await dueOf('a')).toBeGreaterThan((moved.dueAt?.getTime() ?? 0) - 60_000);
      await app.producer.runNow(TYPE, 'a');
      expect(await dueOf('a')).toBeLessThan(Date.now() + 60_000);
    },
    TEST_MS,
  );

  it(
    'find a task that is committed and not in the store yet',
    async () => {
      const app = await site.boot({ ...NO_RELAY, work: () => undefined });
      await stage('a');
      expect(await app.producer.runNow(TYPE, 'a')).toMatchObject({ status: 'rescheduled', state: 'waiting' });
      await site.untilState('a', 'done');
    },
    TEST_MS,
  );

  it(
    'move a row whose task is in the store, and which is not marked as that',
    async () => {
      const app = await site.boot(NO_RELAY);
      const { envelope } = await stage('a');
      const due = { delayMs: HOUR_MS };
      await inStore(app, { kind: 'schedule', id: 'a', due, envelope, onDuplicate: 'keep' });
      expect(await app.producer.reschedule(TYPE, 'a', { delay: '2h' })).toMatchObject({ status: 'rescheduled' });
      await site.untilState('a', 'indexed');
      expect(await dueOf('a')).toBeGreaterThan(Date.now() + 1.5 * HOUR_MS);
      const { dueAt } = (await app.producer.get(TYPE, 'a')) ?? {};
      expect(dueAt?.getTime()).toBeGreaterThan(Date.now() + 1.5 * HOUR_MS);
    },
    TEST_MS,
  );
});

describe('schedule with replace', () => {
  it(
    'ends the row',
    async () => {
      const app = await site.boot();
      await index(app, 'a');
      await app.producer.schedule(TYPE, 2, { delay: '1h', id: 'a', onDuplicate: 'replace' });
      expect(await site.statesOf('a')).toEqual(['cancelled']);
    },
    TEST_MS,
  );

  it(
    'ends a row that is not in the store yet, also one of many',
    async () => {
      const { producer } = await site.boot(NO_RELAY);
      const ids = Array.from({ length: 50 }, (_, number) => `a${number}`);
      for (const id of ids) await stage(id);
      await producer.scheduleMany(
        TYPE,
        ids.map((id) => ({ id, payload: 2, delay: '1h', onDuplicate: 'replace' })),
      );
      expect(await site.countStates()).toEqual({ cancelled: 50 });
      expect(await producer.get(TYPE, 'a7')).toMatchObject({ payload: 2 });
    },
    TEST_MS,
  );
});

describe('redrive and purgeDead', () => {
  it(
    'a redriven task survives a loss of the store before its next delivery',
    async () => {
      const { admin } = await die('a');
      expect(await admin.redrive(TYPE, 'a')).toMatchObject({ status: 'redriven' });
      expect(await site.statesOf('a')).toEqual(['indexed']);
    },
    TEST_MS,
  );

  it(
    'a purged one frees its id, also when an earlier call was cut off',
    async () => {
      const app = await die('a');
      expect((await inStore(app, { kind: 'purgeDead', id: 'a' })).status).toBe('purged');
      expect(await app.admin.purgeDead(TYPE, 'a')).toEqual({ status: 'purged', state: 'none' });
      expect(await app.admin.purgeDead(TYPE, 'a')).toEqual({ status: 'not_found', state: 'none' });
      const again = await site.transaction((tx) => app.producer.schedule(TYPE, 1, { delay: '1h', id: 'a', tx }));
      expect(again.status).toBe('staged');
    },
    TEST_MS,
  );

  it(
    'a purge leaves a task alone that has the id since',
    async () => {
      const app = await site.boot(NO_RELAY);
      await stage('a');
      expect(await app.admin.purgeDead(TYPE, 'a')).toEqual({ status: 'not_found', state: 'none' });
      expect(await site.statesOf('a')).toEqual(['staged']);
    },
    TEST_MS,
  );
});

describe('a row that ends while its task is on its way to the store', () => {
  it(
    'takes the task back',
    async () => {
      const { app, producer } = await site.boot(NO_RELAY);
      const { row } = await stage('a');
      const ledger = site.ledger();
      const rows = await ledger.read([row]);
      // Another process was faster, and the task has run.
      await ledger.end([row], 'done');
      await app.get(DelayQueueRuntime).books?.['indexer'].place(rows, 'watch');
      expect(await producer.get(TYPE, 'a')).toBeNull();
      expect(await site.statesOf('a')).toEqual(['done']);
    },
    TEST_MS,
  );
});
