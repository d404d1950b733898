import { expect } from '@jest/globals';
import { elapse } from '../support/elapse.js';
import { waitFor } from '../support/wait-for.js';
import { scenario } from './support/scenario.js';
import { LEASE_MS } from './support/scenario-parts.js';
import type { ScenarioRun } from './support/scenario-run.js';

/** Silence of a holder after which others look for themselves, and time to do it in on a busy machine. */
const SWEEP_MS = 5_000;
const SLACK_MS = 3_000;

/** Ids of tasks scheduled again and again must stay taken, also when they are done. */
const REPEATED = { type: { dedupeFor: '10m' } } as const;

scenario('C09 the process that waits for the due time is stopped just before it', {}, async (s) => {
  await s.startWorkers(3);
  const holder = await s.fleet.holder();
  await s.schedule(1, { id: 'x', delayMs: 1_500 });
  await elapse(1_000);
  await s.inject('SIGSTOP', () => holder.freeze(), holder);
  const start = await s.started('x');
  expect(start.by).not.toBe(holder.label);
  expect(start.startMs - start.dueMs).toBeLessThan(SWEEP_MS + SLACK_MS);
  holder.thaw();
});

scenario('C12 a process is stopped past its lease, while nobody else is there', {}, async (s) => {
  const worker = await s.startWorker();
  await s.schedule(3, { id: 'x', deeds: [{ kind: 'slow', ms: 500 }] });
  await waitFor(() => s.records.of('start').length === 3, { what: 'all to start' });
  await s.inject('SIGSTOP', async () => {
    worker.freeze();
    await elapse(4_500);
    worker.thaw();
  });
  await s.drained();
  expect(s.records.of('start')).toHaveLength(3);
  expect(s.events('lease lost')).toEqual([]);
});

for (const ending of ['ok', 'throw'] as const) {
  scenario(
    `C11 an event loop is blocked until another process has done the task, then the handler ${ending === 'ok' ? 'resolves' : 'throws'}`,
    {},
    async (s) => {
      await s.startWorkers(2);
      const latch = s.latch();
      // After the block it waits for its signal, so that the record shows whether it was aborted.
      const first = { kind: 'block', untilFile: latch.path, next: { kind: 'held', next: { kind: ending } } } as const;
      await s.schedule(1, { id: 'x', deeds: [first, { kind: 'ok' }] });
      const blocked = await s.started('x');
      const second = await s.started('x', 2);
      await s.drained();
      await elapse(Math.max(0, blocked.startMs + 3 * LEASE_MS - Date.now()));
      latch.open();

      await waitFor(() => endsOf(s, blocked).length === 1, { what: 'the blocked handler to end', deadlineMs: 10_000 });
      expect(endsOf(s, blocked)).toEqual([expect.objectContaining({ aborted: true })]);
      expect(second.by).not.toBe(blocked.by);
      await waitFor(() => s.events('lease lost').length > 0, { what: 'the loss to be told' });
      await s.finish();
      expect(s.events('lease lost', 'x').map(({ by }) => by)).toEqual([blocked.by]);
      expect(endsOf(s, second)).toEqual([expect.objectContaining({ how: 'ok', aborted: false })]);
    },
  );
}

scenario('C50 a blocked process settles a task that has been scheduled again and runs elsewhere', {}, async (s) => {
  await s.startWorkers(2);
  const latch = s.latch();
  // Ends without waiting for its signal: its settle itself arrives late.
  const first = { kind: 'block', untilFile: latch.path, next: { kind: 'ok' } } as const;
  await s.schedule(1, { id: 'x', deeds: [first, { kind: 'ok' }] });
  const blocked = await s.started('x');
  await s.started('x', 2);
  await s.drained();
  await s.schedule(1, { id: 'x', deeds: [{ kind: 'held', next: { kind: 'ok' } }] });
  const running = await s.started('x', 3);
  latch.open();

  await waitFor(() => s.events('lease lost', 'x').length > 0, { what: 'the late settle to be refused' });
  expect(s.events('lease lost', 'x').map(({ by }) => by)).toEqual([blocked.by]);
  expect((await s.keys.counts()).leased).toBe(1);
  s.fleet.workerOf(running).tell({ kind: 'let go', id: 'x' });
  await s.finish();
  expect(s.events('lease lost', 'x')).toHaveLength(1);
});

scenario('C52 an event loop is blocked past the lease while other handlers of the process wait', {}, async (s) => {
  await s.startWorkers(1);
  await s.schedule(5, { id: 'slow', deeds: [{ kind: 'slow', ms: 3_000 }] });
  await waitFor(() => s.records.of('start').length === 5, { what: 'the slow ones to start' });
  await s.schedule(1, { id: 'blocker', deeds: [{ kind: 'block', ms: 4_500, next: { kind: 'ok' } }] });
  // Overdue when the block is over, so that the process claims as soon as it can.
  await s.schedule(20, { id: 'overdue', delayMs: 1_000 });
  await s.drained();
  expect(s.records.of('start')).toHaveLength(26);
});

scenario('C22 handlers run three times as long as their leases', {}, async (s) => {
  await s.startWorkers(2);
  await s.schedule(6, { deeds: [{ kind: 'slow', ms: 5_000 }] });
  await s.drained();
  expect(s.records.of('start').every(({ lostLeases }) => lostLeases === 0)).toBe(true);
});

scenario(
  'C21 tasks wait far longer than a lease, for their time and for a place',
  { type: { concurrency: 1 } },
  async (s) => {
    await s.startWorkers(1);
    await s.schedule(5, { id: 'queued', deeds: [{ kind: 'slow', ms: 800 }] });
    await s.schedule(3, { id: 'later', delayMs: 5_000 });
    await s.drained();
    const starts = s.records.of('start');
    expect(starts.map(({ deliveries, lostLeases }) => ({ deliveries, lostLeases }))).toEqual(
      Array.from({ length: 8 }, () => ({ deliveries: 1, lostLeases: 0 })),
    );
  },
);

scenario(
  'C09 the process that waits for due times is stopped past its leases, twice, under load',
  REPEATED,
  async (s) => {
    await s.startWorkers(3);
    const stopLoad = s.load({ perSecond: 40, withinMs: 1_500, deeds: [{ kind: 'slow', ms: 100 }] });
    for (let round = 0; round < 2; round++) {
      await waitFor(() => s.records.of('start').length > 40 * (round + 1), {
        what: 'some tasks to run',
        deadlineMs: 10_000,
      });
      const holder = await s.fleet.holder();
      await s.inject(
        'SIGSTOP',
        async () => {
          holder.freeze();
          // Until the others have noticed and taken over what it was running.
          await elapse(SWEEP_MS + LEASE_MS + 500);
          holder.thaw();
        },
        holder,
      );
    }
    await stopLoad();
    await s.drained();
    expect(s.events('lease lost').length).toBeGreaterThan(0);
  },
);

function endsOf(s: ScenarioRun, start: { readonly by: string; readonly id: string }) {
  return s.records.of('end').filter(({ by, id }) => by === start.by && id === start.id);
}
