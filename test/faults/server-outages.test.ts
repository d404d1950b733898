import { expect } from '@jest/globals';
import { SingleSite } from './support/site.js';
import { elapse } from '../support/elapse.js';
import { waitFor } from '../support/wait-for.js';
import {
  crashServer,
  failSnapshots,
  fillMemory,
  flushAll,
  flushingScripts,
  freezeServer,
  killConnections,
  makeReadOnly,
  pauseClients,
} from './support/server-faults.js';
import { scenario } from './support/scenario.js';
import { TYPE } from './support/scenario-parts.js';
import type { ScenarioRun } from './support/scenario-run.js';

/** Silence after which processes look for themselves, the time that C01 adds, and what a busy machine takes. */
const SWEEP_MS = 5_000;
const AFTER_SWEEP_MS = 2_000;
const SLACK_MS = 3_000;

/** Ids of tasks scheduled again and again must stay taken, also when they are done. */
const REPEATED = { type: { dedupeFor: '10m' } } as const;

scenario('C01 the server stands still for 15 s, and an idle queue misses a due time', {}, async (s) => {
  await s.startWorkers(2);
  await s.schedule(1, { id: 'x', delayMs: 3_000 });
  await freezeServer(s, 15_000);
  const backMs = Date.now();
  const start = await s.started('x');
  expect(start.startMs - backMs).toBeLessThan(SWEEP_MS + AFTER_SWEEP_MS + SLACK_MS);
  expectOneEpisode(s);
});

scenario(
  'C01 the server is killed for 6 s, and an idle queue misses a due time',
  { site: () => SingleSite.start({ appendOnly: true }) },
  async (s) => {
    await s.startWorkers(2);
    await s.schedule(1, { id: 'x', delayMs: 3_000 });
    // The file of the server is on the disk once a second.
    await elapse(1_500);
    await crashServer(s, 6_000);
    const backMs = Date.now();
    const start = await s.started('x');
    expect(start.startMs - backMs).toBeLessThan(SWEEP_MS + AFTER_SWEEP_MS + SLACK_MS);
    expectOneEpisode(s);
  },
);

scenario('C07 the server is read-only for 5 s', REPEATED, async (s) => {
  await underLoad(s, () => makeReadOnly(s, 5_000));
  expect(s.book.refused).toBeGreaterThan(0);
  expectOneEpisode(s);
});

scenario('C07 the server refuses writes for 5 s, because it cannot write its snapshots', REPEATED, async (s) => {
  await underLoad(s, () => failSnapshots(s, 5_000));
  expect(s.book.refused).toBeGreaterThan(0);
  expectOneEpisode(s);
});

scenario('C07 the memory of the server is full for 3 s', REPEATED, async (s) => {
  await underLoad(s, () => fillMemory(s, 3_000));
  expect(s.book.refused).toBeGreaterThan(0);
});

scenario('C53 the server answers nobody for longer than calls may take', REPEATED, async (s) => {
  await underLoad(s, () => pauseClients(s, 5_000));
  expectOneEpisode(s);
});

scenario('C05 the server loses its scripts all the time', {}, async (s) => {
  await s.startWorkers(2);
  const { producer, admin } = await s.client();
  await flushingScripts(s, async () => {
    await s.schedule(200, { withinMs: 2_000 });
    await s.schedule(1, { id: 'moved', delayMs: 60_000, movable: true });
    await s.schedule(1, { id: 'pulled', delayMs: 60_000, movable: true });
    await s.schedule(1, { id: 'cancelled', delayMs: 60_000, ending: 'cancelled' });
    expect(await producer.reschedule(TYPE, 'moved', { delay: 500 })).toMatchObject({ status: 'rescheduled' });
    expect(await producer.runNow(TYPE, 'pulled')).toMatchObject({ status: 'rescheduled' });
    expect(await producer.cancel(TYPE, 'cancelled')).toMatchObject({ status: 'cancelled' });
    expect(await producer.get(TYPE, 'cancelled')).toBeNull();
    await admin.stats(TYPE);
    await admin.listWaiting(TYPE);
    await s.drained();
  });
  expect(s.events('store down')).toEqual([]);
});

scenario(
  'C03 the server is killed twice under load; its append-only file is synced once a second',
  { ...REPEATED, site: () => SingleSite.start({ appendOnly: true }) },
  async (s) => {
    await underLoad(s, async () => {
      for (const awayMs of [500, 2_000]) {
        const killedMs = Date.now();
        await crashServer(s, awayMs);
        s.book.excuse(
          'of the last second before the kill',
          ({ bookedMs }) => bookedMs >= killedMs - 1_000 && bookedMs <= killedMs,
        );
        await elapse(1_500);
      }
    });
  },
);

for (const [what, lose] of [
  ['the server restarts without a disk', (s: ScenarioRun) => crashServer(s, 500)],
  ['FLUSHALL', flushAll],
] as const) {
  scenario(`C45 ${what}: what waited is lost, which is told, and the queue works again`, {}, async (s) => {
    await s.startWorkers(2);
    await s.schedule(50, { id: 'lost', delayMs: 60_000 });
    await s.schedule(50, { id: 'before' });
    await waitFor(() => s.records.of('effect').length === 50, { what: 'the first tasks to be done' });
    await lose(s);
    s.book.excuse('lost with the keys', ({ id }) => id.startsWith('lost'));
    await waitFor(() => s.events('partition lost').some(({ detail }) => detail === 'absent'), {
      what: 'the loss to be noticed',
      deadlineMs: SWEEP_MS + SLACK_MS,
    });
    await scheduleSoon(s, 50);
    const row = await s.finish();
    expect(row.excused).toBe(50);
  });
}

scenario('C08 subscriptions are killed at the moment of publishing', {}, async (s) => {
  await s.startWorkers(2);
  for (let round = 1; round <= 15; round++) {
    const killed = killConnections(s, 'pubsub');
    await s.schedule(1, { id: `round-${round}` });
    await killed;
    const start = await s.started(`round-${round}`);
    expect(start.startMs - start.dueMs).toBeLessThan(SWEEP_MS + SLACK_MS);
  }
});

scenario('C08 no wake-up arrives for 8 s, because the channels are forbidden', {}, async (s) => {
  await s.startWorkers(3);
  await s.fleet.holder();
  await s.injectHarmless('ACL resetchannels', async () => {
    await s.site.onPrimaries((redis) => redis.call('ACL', 'SETUSER', 'default', 'resetchannels'));
    await s.schedule(1, { id: 'unheard' });
    const start = await s.started('unheard');
    expect(start.startMs - start.dueMs).toBeLessThan(SWEEP_MS + SLACK_MS);
    await elapse(8_000);
    await s.site.onPrimaries((redis) => redis.call('ACL', 'SETUSER', 'default', 'allchannels'));
  });
  await elapse(SWEEP_MS);
  const lateness: number[] = [];
  for (let round = 1; round <= 8; round++) {
    await s.schedule(1, { id: `heard-${round}` });
    const start = await s.started(`heard-${round}`);
    lateness.push(start.startMs - start.dueMs);
    await elapse(s.random.upTo(700));
  }
  // A holder that hears nothing looks every 2.5 s: half of its rounds would be far later than this.
  expect(lateness.toSorted((a, b) => a - b)[4]).toBeLessThan(700);
  for (const late of lateness) expect(late).toBeLessThan(SWEEP_MS + SLACK_MS);
});
scenario('C01 all connections are killed again and again under load', REPEATED, async (s) => {
  await underLoad(s, async () => {
    for (let round = 0; round < 10; round++) {
      await killConnections(s, 'normal');
      await elapse(s.random.upTo(500));
    }
  });
});

/** Three workers and 60 tasks a second, before, during and after the fault. */
async function underLoad(s: ScenarioRun, fault: () => Promise<void>): Promise<void> {
  await s.startWorkers(3);
  const stopLoad = s.load({ perSecond: 60, withinMs: 1_500, deeds: [{ kind: 'slow', ms: 30 }] });
  await elapse(1_000);
  await fault();
  await elapse(1_000);
  await stopLoad();
  await s.drained();
}

/** Schedules as soon as the producer is connected again. */
async function scheduleSoon(s: ScenarioRun, count: number): Promise<void> {
  await waitFor(
    () =>
      s.schedule(count, { id: 'after' }).then(
        () => true,
        () => false,
      ),
    { what: 'the producer to be connected again' },
  );
}

/** No worker may log more than one line that store calls fail, and one that they are answered again. */
function expectOneEpisode(s: ScenarioRun): void {
  for (const { label } of s.workers) {
    const lines = s.records.of('log').filter(({ by, text }) => by === label && text.startsWith('Store calls fail'));
    expect(lines.length).toBeLessThanOrEqual(1);
  }
  expect(s.events('store down').length).toBeGreaterThan(0);
}
