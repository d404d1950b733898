import { expect } from '@jest/globals';
import { waitFor } from '../support/wait-for.js';
import { scenario } from './support/scenario.js';
import { TYPE } from './support/scenario-parts.js';

/** C02 asks for 500 runs one after the other, which take 21 minutes: here 50 queues are idle side by side. */
const IDLE_QUEUES = 50;
const RUNS_PER_QUEUE = 10;

/** Far below the 2.5 s in which a holder looks by itself: whoever is later than this was not woken. */
const LATENESS_BOUND_MS = 1_500;

scenario(
  'C02 single tasks with random delays on idle queues, 500 in all',
  {
    types: Array.from({ length: IDLE_QUEUES }, (_, index) => `idle-${index}`),
    // Nothing is to be disturbed here, so no lease may be lost to a busy machine either.
    type: { lease: '30s' },
    seed: 2,
  },
  async (s) => {
    await s.startWorkers(2);
    await Promise.all(
      Array.from({ length: IDLE_QUEUES }, async (_, queue) => {
        for (let run = 0; run < RUNS_PER_QUEUE; run++) {
          const id = `${queue}-${run}`;
          await s.schedule(1, { type: `idle-${queue}`, id, delayMs: s.random.between(1, 5_000) });
          await s.started(id);
        }
      }),
    );
    const latest = Math.max(...s.records.of('start').map(({ startMs, dueMs }) => startMs - dueMs));
    expect(latest).toBeLessThan(LATENESS_BOUND_MS);
    expect(s.records.of('start')).toHaveLength(IDLE_QUEUES * RUNS_PER_QUEUE);
  },
);

const PROCESSES = 4;
const ROUNDS = 20;
const TASKS_PER_ROUND = 1_000;

scenario(
  'C10 a thousand tasks due in the same millisecond, 4 processes, 20 rounds',
  { type: { concurrency: 50, lease: '30s' } },
  async (s) => {
    await s.startWorkers(PROCESSES);
    for (let round = 1; round <= ROUNDS; round++) {
      await s.schedule(TASKS_PER_ROUND, { at: new Date(Date.now() + 1_000) });
      await waitFor(() => s.records.of('end').length === round * TASKS_PER_ROUND, {
        deadlineMs: 30_000,
        what: `round ${round}`,
      });
    }
    const starts = s.records.of('start');
    expect(starts).toHaveLength(ROUNDS * TASKS_PER_ROUND);
    expect(new Set(starts.map(({ id }) => id)).size).toBe(ROUNDS * TASKS_PER_ROUND);
    expect(starts.filter(({ startMs, dueMs }) => startMs < dueMs)).toEqual([]);
  },
);

/** C28 asks for 100,000 tasks; the bound is the same, and reached ten times over. */
const FAILING_TASKS = 2_000;
const DEAD_LETTERS_KEPT = 200;
const ERROR_BYTES = 100_000;

scenario(
  'C28 thousands of tasks that always fail, with errors of 100 KB',
  { type: { concurrency: 50, maxRetries: 0, lease: '30s', deadLetters: { max: DEAD_LETTERS_KEPT } } },
  async (s) => {
    await s.startWorkers(2);
    const deeds = [{ kind: 'throw', errorBytes: ERROR_BYTES }] as const;
    await s.schedule(FAILING_TASKS, { deeds, ending: 'any' });
    await s.drained();
    const { admin } = await s.client();
    expect((await admin.stats(TYPE)).dead).toBe(DEAD_LETTERS_KEPT);
    const { items } = await admin.listDead(TYPE);
    expect(items.every(({ error }) => (error ?? '').length > 0 && (error ?? '').length < ERROR_BYTES / 10)).toBe(true);
    // An empty server uses about 1 MB; without any bound there were 200 MB of errors.
    const [info = ''] = await s.site.onPrimaries((redis) => redis.info('memory'));
    expect(Number(/used_memory:(\d+)/.exec(info)?.[1])).toBeLessThan(20_000_000);
    await s.finish({ deadLetters: DEAD_LETTERS_KEPT });
  },
);

const REDRIVEN = 2_000;

scenario(
  'C29 thousands of dead letters are redriven, fail again, and are redriven again',
  { type: { concurrency: 50, maxRetries: 1, lease: '30s', backoff: { type: 'fixed', delay: 10 } } },
  async (s) => {
    await s.startWorkers(2);
    const fail = { kind: 'throw' } as const;
    // Two attempts for each life among the dead: it dies twice, and succeeds after the second redrive.
    await s.schedule(REDRIVEN, { deeds: [fail, fail, fail, fail, { kind: 'ok' }] });
    const { admin } = await s.client();
    for (let redrive = 1; redrive <= 2; redrive++) {
      await s.drained();
      expect((await admin.stats(TYPE)).dead).toBe(REDRIVEN);
      expect(await admin.redriveAll(TYPE)).toBe(REDRIVEN);
    }
    await s.drained();
    const last = s.records.of('start').filter(({ deliveries }) => deliveries === 5);
    expect(last).toHaveLength(REDRIVEN);
    expect(last.every(({ redrives, failures }) => redrives === 2 && failures === 0)).toBe(true);
  },
);
