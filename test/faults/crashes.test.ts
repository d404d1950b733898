import { describe, expect } from '@jest/globals';
import type { TcpProxy } from '../support/tcp-proxy.js';
import { waitFor } from '../support/wait-for.js';
import { elapse } from '../support/elapse.js';
import { scenario } from './support/scenario.js';
import { TYPE } from './support/scenario-parts.js';
import type { ScenarioRun } from './support/scenario-run.js';
import type { Worker } from './support/worker.js';

scenario('C03 every process is killed, and 10 s later one starts that only consumes', {}, async (s) => {
  const producer = await s.startWorker();
  await s.startWorkers(2);
  // Due when nobody is left, so that no delivery can have begun.
  await s.scheduleFrom(producer, 100, { delayMs: 5_000 });
  for (const worker of s.workers) await s.killWorker(worker);
  await elapse(10_000);
  await s.startWorkers(1);
  await s.drained();
  expect(s.records.of('start')).toHaveLength(100);
});

/** A worker on its way through one delivery, and the network that holds it where the step is. */
interface Delivery {
  readonly s: ScenarioRun;
  readonly victim: Worker;
  readonly proxy: TcpProxy;
}

interface Step {
  readonly name: string;
  /** Brings the delivery of the task to where the victim is to be killed. */
  readonly reach: (delivery: Delivery) => Promise<void>;
  /** How often the handler is started, all told. */
  readonly starts: number;
}

const ID = 'the-task';
const HELD = [{ kind: 'held', next: { kind: 'ok' } }, { kind: 'ok' }] as const;

async function leasedIs({ s }: Delivery, count: number): Promise<void> {
  await waitFor(async () => (await s.keys.counts()).leased === count, { what: `${count} tasks to be leased` });
}

async function startHeld(delivery: Delivery): Promise<void> {
  await delivery.s.schedule(1, { id: ID, deeds: HELD });
  await delivery.s.started(ID);
}

function letGo({ victim }: Delivery): void {
  victim.tell({ kind: 'let go', id: ID });
}

const STEPS: readonly Step[] = [
  {
    name: 'its claim has been sent and not arrived',
    starts: 1,
    reach: async (delivery) => {
      delivery.proxy.hold('requests');
      await delivery.s.schedule(1, { id: ID });
      await waitFor(() => delivery.proxy.heldBytes('requests') > 0, { what: 'the claim to be held' });
    },
  },
  {
    name: 'its claim is made and the reply has not arrived',
    starts: 1,
    reach: async (delivery) => {
      // Due a little later, so that the wake-up gets through and only the reply does not.
      await delivery.s.schedule(1, { id: ID, delayMs: 1_000 });
      await elapse(500);
      delivery.proxy.hold('replies');
      await leasedIs(delivery, 1);
    },
  },
  { name: 'its handler runs', starts: 2, reach: startHeld },
  {
    name: 'its handler has ended and nothing was settled',
    starts: 2,
    reach: async (delivery) => {
      await startHeld(delivery);
      delivery.proxy.hold('requests');
      letGo(delivery);
      await waitFor(() => delivery.s.records.of('end').length > 0, { what: 'the handler to end' });
    },
  },
  {
    name: 'its settle is made and the reply has not arrived',
    starts: 1,
    reach: async (delivery) => {
      await startHeld(delivery);
      delivery.proxy.hold('replies');
      letGo(delivery);
      await leasedIs(delivery, 0);
    },
  },
];

describe('C04 a worker is killed', () => {
  for (const { name, reach, starts } of STEPS) {
    scenario(`C04 when ${name}`, {}, async (s) => {
      const proxy = await s.proxy();
      const victim = await s.startWorker({ via: proxy });
      await s.fleet.holder();
      await reach({ s, victim, proxy });
      await s.keys.checkAgreement();
      await s.killWorker(victim);
      await s.keys.checkAgreement();
      await s.startWorkers(1);
      await s.drained();
      await s.keys.checkAgreement();
      expect(s.records.of('start')).toHaveLength(starts);
    });
  }
});

scenario(
  'C27 a handler that ends its process, claimed in one batch with 20 good tasks',
  { type: { concurrency: 30, lease: 1_000, maxLostLeases: 5 } },
  async (s) => {
    const { admin } = await s.client();
    await admin.pause(TYPE);
    const at = new Date();
    // The killer comes first in the batch, so its process ends before any other handler has started.
    await s.schedule(1, { id: 'killer', at, deeds: [{ kind: 'exit' }], ending: 'dead' });
    await s.schedule(20, { id: 'x-good', at });
    await s.startWorkers(1, { supervised: true });
    await admin.resume(TYPE);
    await s.drained({ deadlineMs: 60_000 });

    const { items } = await admin.listDead(TYPE);
    expect(items.map(({ id, reason, lostLeases }) => ({ id, reason, lostLeases }))).toEqual([
      { id: 'killer', reason: 'leases lost', lostLeases: 5 },
    ]);
    const good = s.records.of('start').filter(({ id }) => id !== 'killer');
    // Each was claimed beside the killer at least once, or this test has shown nothing.
    expect(good.every(({ lostLeases }) => lostLeases >= 1)).toBe(true);
    expect(good).toHaveLength(20);
  },
);

scenario('C04 workers are killed one after the other under load', { type: { dedupeFor: '10m' } }, async (s) => {
  await s.startWorkers(3);
  const stopLoad = s.load({ perSecond: 60, withinMs: 1_500, deeds: [{ kind: 'slow', ms: 50 }] });
  for (const worker of s.workers) {
    await elapse(1_000);
    await s.killWorker(worker);
    await worker.restart();
  }
  await stopLoad();
});
