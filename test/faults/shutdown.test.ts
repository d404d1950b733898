import { expect } from '@jest/globals';
import { RedisServer } from '../support/redis-server.js';
import { waitFor } from '../support/wait-for.js';
import { scenario } from './support/scenario.js';
import { LEASE_MS, TYPE } from './support/scenario-parts.js';
import type { ScenarioRun } from './support/scenario-run.js';
import type { Worker } from './support/worker.js';

/** Time in which a stop has to be over, and what a busy machine may add. */
const SHUTDOWN_MS = 5_000;
const SLACK_MS = 3_000;

/** So long that a task that is delivered soon cannot have waited for it. */
const LONG_LEASE = { type: { lease: '60s' } } as const;

scenario('C38 a handler throws 500 ms after SIGTERM', {}, async (s) => {
  const worker = await s.startWorker();
  await s.schedule(1, { id: 'x', deeds: [{ kind: 'throw', afterMs: 1_000 }, { kind: 'ok' }] });
  await s.started('x');
  await terminate(s, worker);
  // The retry was written before the process left; its delay of 100 ms does not matter.
  expect(await (await s.client()).producer.get(TYPE, 'x')).toMatchObject({
    state: 'waiting',
    failures: 1,
    lostLeases: 0,
  });
  await s.startWorker();
});

scenario(
  'C38 handlers do not end when the process stops, and their tasks are given back at once',
  LONG_LEASE,
  async (s) => {
    const worker = await s.startWorker();
    await s.schedule(3, { id: 'never', deeds: [{ kind: 'never' }, { kind: 'ok' }], maxRetries: 0 });
    await s.schedule(3, { id: 'slow', deeds: [{ kind: 'slow', ms: 60_000 }, { kind: 'ok' }], maxRetries: 0 });
    await waitFor(() => s.records.of('start').length === 6, { what: 'all handlers to start' });
    await terminate(s, worker);
    await s.keys.checkAgreement();
    await s.startWorker();
    await s.drained();
    const second = s.records.of('start').filter(({ deliveries }) => deliveries === 2);
    expect(second.map(({ lostLeases, failures }) => ({ lostLeases, failures }))).toEqual(
      Array.from({ length: 6 }, () => ({ lostLeases: 0, failures: 0 })),
    );
  },
);

scenario(
  'C38 workers are replaced one after the other under load, as by a deploy',
  { type: { dedupeFor: '10m', lease: '60s' } },
  async (s) => {
    const oldWorkers = await s.startWorkers(3);
    const stopLoad = s.load({ perSecond: 60, withinMs: 1_000, deeds: [{ kind: 'slow', ms: 50 }] });
    for (const worker of oldWorkers) {
      await terminate(s, worker);
      await s.startWorker();
    }
    await stopLoad();
    await s.drained();
    // Handlers take 50 ms and the stop waits for them: nothing was given back, and nothing ran twice.
    expect(s.records.of('start')).toHaveLength(s.book.bookings.length);
  },
);

/** What a worker is doing when it is told to close. */
interface Moment {
  readonly name: string;
  readonly reach: (s: ScenarioRun, worker: Worker) => Promise<void>;
}

const MOMENTS: readonly Moment[] = [
  { name: 'idle', reach: async () => undefined },
  {
    name: 'running a handler that ends',
    reach: async (s) => {
      await s.schedule(1, { id: 'x', deeds: [{ kind: 'throw', afterMs: 1_000 }, { kind: 'ok' }] });
      await s.started('x');
    },
  },
  {
    name: 'running a handler that never ends',
    reach: async (s) => {
      await s.schedule(1, { id: 'x', deeds: [{ kind: 'never' }, { kind: 'ok' }] });
      await s.started('x');
    },
  },
  {
    name: 'running a handler while the server is down',
    reach: async (s) => {
      await s.schedule(1, { id: 'x', deeds: [{ kind: 'throw', afterMs: 500 }, { kind: 'ok' }] });
      await s.started('x');
      s.server.pause();
    },
  },
  {
    name: 'idle while the server is down',
    reach: async (s) => {
      s.server.pause();
    },
  },
];

for (const { name, reach } of MOMENTS) {
  scenario(`C37 the application is closed ${name}, twice`, {}, async (s) => {
    const worker = await s.startWorker();
    await s.fleet.holder();
    await reach(s, worker);
    await s.inject('stop', async () => {
      worker.tell({ kind: 'stop' });
      worker.tell({ kind: 'stop' });
      await expectToEnd(worker);
    });
    s.server.resume();
    await s.startWorker();
  });
}

scenario('C37 the application is closed while a claim is under way', {}, async (s) => {
  const proxy = await s.proxy();
  const worker = await s.startWorker({ via: proxy });
  await s.fleet.holder();
  proxy.hold('replies');
  await s.schedule(1, { id: 'x', delayMs: 0 });
  await s.inject('stop', async () => {
    worker.tell({ kind: 'stop' });
    await expectToEnd(worker);
  });
  await s.startWorker();
  await s.drained();
  const start = await s.started('x');
  expect(start.startMs - start.dueMs).toBeLessThan(SHUTDOWN_MS + LEASE_MS + 2 * SLACK_MS);
});

scenario('C37 the application is closed while a server that was never there is waited for', {}, async (s) => {
  const server = await RedisServer.start();
  await server.kill();
  const worker = await s.startWorker({ address: { kind: 'single', url: server.url } });
  try {
    worker.tell({ kind: 'stop' });
    await expectToEnd(worker);
  } finally {
    await server.stop();
  }
});

/** Sends the signal of a deploy; resolves when the process has ended by itself. */
async function terminate(s: ScenarioRun, worker: Worker): Promise<void> {
  await s.inject(
    'SIGTERM',
    async () => {
      worker.process.signal('SIGTERM');
      await waitFor(() => !worker.isAlive, { deadlineMs: SHUTDOWN_MS + SLACK_MS, what: 'the process to end' });
    },
    worker,
  );
}

/** The application closes within its time, and nothing that is left open keeps the process alive. */
async function expectToEnd(worker: Worker): Promise<void> {
  await waitFor(() => !worker.isAlive, {
    deadlineMs: SHUTDOWN_MS + 2 * SLACK_MS,
    what: 'the process to end by itself',
  });
  const closed = worker.process.reports.find((report) => report.kind === 'closed');
  expect(closed?.tookMs).toBeLessThan(SHUTDOWN_MS + SLACK_MS);
  expect(worker.process.ending).toBe(0);
}
