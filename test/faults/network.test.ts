import { expect } from '@jest/globals';
import { StoreUnavailableError } from 'nestjs-delay-queue';
import { elapse } from '../support/elapse.js';
import { freePort } from '../support/redis-server.js';
import type { TcpProxy } from '../support/tcp-proxy.js';
import { waitFor } from '../support/wait-for.js';
import { QueueClient } from './support/queue-client.js';
import { scenario } from './support/scenario.js';
import { queueOptionsOf, TYPE } from './support/scenario-parts.js';
import type { ScenarioRun } from './support/scenario-run.js';
import { killConnections } from './support/server-faults.js';

const SWEEP_MS = 5_000;
const SLACK_MS = 3_000;

/** Far below the 2.5 s in which a holder looks by itself: whoever is later than this was not woken. */
const ON_TIME_MS = 1_500;

/** Ids of tasks scheduled again and again must stay taken, also when they are done. */
const REPEATED = { type: { dedupeFor: '10m' } } as const;

scenario('C01 the connection is killed between a claim and its reply', {}, async (s) => {
  const proxy = await s.proxy();
  await s.startWorker({ via: proxy });
  await s.fleet.holder();
  await s.schedule(1, { id: 'x', delayMs: 1_000 });
  await elapse(500);
  proxy.hold('replies');
  await waitFor(async () => (await s.keys.counts()).leased === 1, { what: 'the claim' });
  await killConnections(s, 'normal');
  proxy.dropAll();
  proxy.restore();
  const start = await s.started('x');
  // The first delivery never reached a handler; its lease had to run out.
  expect(start).toMatchObject({ deliveries: 2, lostLeases: 1 });
});

scenario('C13 the reply to an extension is lost', {}, async (s) => {
  const proxy = await s.proxy();
  const worker = await s.startWorker({ via: proxy });
  await s.schedule(1, { id: 'x', deeds: [{ kind: 'held', next: { kind: 'ok' } }] });
  await s.started('x');
  proxy.hold('replies');
  const before = await leaseEnd(s, 'x');
  await waitFor(async () => (await leaseEnd(s, 'x')) > before, { what: 'the lease to be extended' });
  await loseWhatIsHeld(s, proxy);
  await waitFor(() => proxy.connections > 0, { what: 'the worker to be connected again' });
  worker.tell({ kind: 'let go', id: 'x' });
  await s.finish();
  expect(s.records.of('start')).toHaveLength(1);
  expect(s.events('lease lost')).toEqual([]);
});

scenario('C13 the reply to a settle is lost, and it is sent again', {}, async (s) => {
  const proxy = await s.proxy();
  const worker = await s.startWorker({ via: proxy });
  await s.schedule(1, { id: 'x', deeds: [{ kind: 'held', next: { kind: 'throw' } }, { kind: 'ok' }] });
  await s.started('x');
  proxy.hold('replies');
  worker.tell({ kind: 'let go', id: 'x' });
  await waitFor(async () => (await s.keys.counts()).leased === 0, { what: 'the settle' });
  await loseWhatIsHeld(s, proxy);
  await s.finish();
  // Counted once, although it was sent twice.
  expect(s.records.of('start').map(({ failures }) => failures)).toEqual([0, 1]);
  expect(s.events('settle unknown', 'x')).toHaveLength(1);
  expect(s.events('lease lost')).toEqual([]);
});

scenario(
  'C53 the reply to a claim arrives when its lease is over and another process has done the task',
  // Calls may take far longer than a lease: with a shorter limit the claim would be given up, and made again.
  { queue: { storeTimeout: 20_000 } },
  async (s) => {
    const proxy = await s.proxy();
    const late = await s.startWorker({ via: proxy });
    await s.fleet.holder();
    await s.schedule(1, { id: 'x', delayMs: 1_000 });
    await elapse(500);
    proxy.hold('replies');
    await waitFor(async () => (await s.keys.counts()).leased === 1, { what: 'the claim' });
    await s.startWorker();
    await s.drained();
    await s.inject('reply late', () => proxy.restore());
    // What the late process says about the task, whether released or settled, is refused.
    await waitFor(() => s.events('lease lost', 'x').length > 0, { what: 'the refusal', deadlineMs: 10_000 });
    // It may well be the late process that has taken the task anew.
    expect(s.records.of('start').filter(({ by, deliveries }) => by === late.label && deliveries === 1)).toEqual([]);
  },
);

scenario('C18 the connection is gone for 10 s, long before the due time', {}, async (s) => {
  const proxy = await s.proxy();
  await s.startWorkers(2, { via: proxy });
  await s.schedule(1, { id: 'x', delayMs: 13_000 });
  await s.inject('network cut', async () => {
    proxy.cut();
    await elapse(10_000);
    proxy.restore();
  });
  const start = await s.started('x');
  expect(start.startMs - start.dueMs).toBeLessThan(ON_TIME_MS);
});

scenario('C18 the network dies without a word, and comes back', {}, async (s) => {
  const proxy = await s.proxy();
  await s.startWorkers(2, { via: proxy });
  await s.schedule(1, { id: 'missed', delayMs: 1_000 });
  await s.inject('network silent', async () => {
    proxy.goSilent();
    await elapse(3_000);
    // Old connections stay silent for ever: their end has to be found out.
    proxy.restore();
  });
  const restoredMs = Date.now();
  const missed = await s.started('missed');
  // Two deadlines of calls without an answer, then another connection.
  expect(missed.startMs - restoredMs).toBeLessThan(2 * 2_000 + SWEEP_MS + SLACK_MS);
  await elapse(SWEEP_MS);
  await s.schedule(1, { id: 'heard' });
  const heard = await s.started('heard');
  expect(heard.startMs - heard.dueMs).toBeLessThan(ON_TIME_MS);
});

scenario('C18 the network is slow, then cut again and again under load', REPEATED, async (s) => {
  const proxy = await s.proxy();
  await s.startWorkers(3, { via: proxy });
  const stopLoad = s.load({ perSecond: 60, withinMs: 1_500, deeds: [{ kind: 'slow', ms: 30 }] });
  await s.inject('slow network', async () => {
    proxy.slowDown(100);
    await elapse(3_000);
    proxy.restore();
  });
  for (let round = 0; round < 4; round++) {
    await s.inject('network cut', async () => {
      proxy.cut();
      await elapse(s.random.upTo(1_500));
      proxy.restore();
    });
    await elapse(s.random.upTo(500));
  }
  await stopLoad();
});

scenario('C35 the server cannot be reached when scheduling', {}, async (s) => {
  const deadEnd = await QueueClient.open(
    { kind: 'single', url: `redis://127.0.0.1:${await freePort()}` },
    queueOptionsOf({ name: '', program: async () => '' }),
  );
  try {
    await expectUnavailable(deadEnd, 'never', 'not_sent');
  } finally {
    await deadEnd.close();
  }

  await s.startWorkers(1);
  const client = await s.client();
  await s.schedule(1, { id: 'first' });
  await s.drained();
  let isUp = true;
  client.events.of('store down').subscribe(() => (isUp = false));
  client.events.of('store up').subscribe(() => (isUp = true));
  await s.inject('server kill -9', async () => {
    await s.server.kill();
    await expectUnavailable(client, 'again', 'not_sent');
    expect(isUp).toBe(false);
    await s.server.restart();
  });
  // Nobody calls: a process that only schedules has to find out by itself, or its health stays down for want of traffic.
  await waitFor(() => isUp, { what: 'the producer to notice that the server is back', deadlineMs: 15_000 });
  await s.schedule(1, { id: 'again' });
});

scenario('C35 the server does not answer when scheduling, and the call is repeated with the same id', {}, async (s) => {
  await s.startWorkers(1);
  const client = await s.client();
  await s.schedule(1, { id: 'first' });
  await s.drained();
  await s.inject('server SIGSTOP', async () => {
    s.server.pause();
    await expectUnavailable(client, 'again', 'unknown');
    s.server.resume();
  });
  // What was sent is carried out now, and due in a minute.
  await waitFor(async () => (await s.keys.counts()).due === 1, { what: 'the first call to be carried out' });
  expect(await client.producer.schedule(TYPE, {}, { id: 'again', delay: 60_000 })).toMatchObject({
    status: 'duplicate',
    state: 'waiting',
  });
  expect(await client.producer.runNow(TYPE, 'again')).toMatchObject({ status: 'rescheduled' });
  s.book.add({ type: TYPE, id: 'again', dueMs: null, bookedMs: Date.now(), ending: 'done' });
  await s.drained();
  expect(s.records.of('start').filter(({ id }) => id === 'again')).toHaveLength(1);
});

/** Scheduling fails with an error that says whether the call was sent, within the time limit of 2 s. */
async function expectUnavailable(client: QueueClient, id: string, outcome: 'not_sent' | 'unknown'): Promise<void> {
  const startedAt = performance.now();
  const error: unknown = await client.producer
    .schedule(TYPE, { deeds: [{ kind: 'ok' }] }, { id, delay: 60_000 })
    .catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(StoreUnavailableError);
  expect(error).toMatchObject({ outcome, code: 'store_unavailable' });
  expect(performance.now() - startedAt).toBeLessThan(2_000 + SLACK_MS);
}

/** Ends the connections whose replies are kept back; new ones work. No delivery may come of it. */
async function loseWhatIsHeld(s: ScenarioRun, proxy: TcpProxy): Promise<void> {
  await s.injectHarmless('reply lost', () => {
    proxy.dropAll();
    proxy.restore();
  });
}

async function leaseEnd(s: ScenarioRun, id: string): Promise<number> {
  const [score] = await s.site.onPrimaries((redis) => redis.zscore(s.keys.key(TYPE, 'leased'), id));
  return Number(score);
}
