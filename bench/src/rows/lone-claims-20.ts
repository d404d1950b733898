import { setTimeout as sleep } from 'node:timers/promises';
import { atMost } from '../goals.js';
import { type CommandCount, CommandMonitor } from '../redis/command-monitor.js';
import type { Stage } from '../stage.js';
import { closeAndExpectOnce, untilRun } from '../verification.js';
import { type Measurement, ONCE, type Row } from './row.js';

const PROCESSES = 20;

/** Lone tasks, one after the other. */
const TASKS = 10;

const DELAY_MS = 300;

/** Time after a run in which what it caused is counted. */
const AFTERMATH_MS = 300;

/** Time for everybody to come to rest. */
const SETTLE_MS = 4_000;

/** Time in which it is counted what is sent without any task. */
const QUIET_MS = 5_000;

const DEADLINE_MS = 10_000;

/** How many script calls 20 waiting processes make for a task that falls due alone, its completion included. */
export const loneClaims20: Row = {
  name: 'lone-claims-20',
  title: 'script calls for a lone due task, 20 processes',
  unit: 'calls',
  subjects: ['nestjs-delay-queue', 'bullmq', 'bee-queue'],
  runs: ONCE,
  sideBySide: true,
  goals: [atMost(5)],
  measure: measureLoneTasks,
};

/** What the same time without a task would have seen is taken off: beats, and blocking reads that begin anew. */
async function measureLoneTasks(stage: Stage): Promise<Measurement> {
  const producer = await stage.startProducer();
  const ignored = await stage.gauge.clientAddresses();
  const consumers = await stage.startConsumers(PROCESSES, { concurrency: null, tasks: TASKS });
  await sleep(SETTLE_MS);
  const monitor = await CommandMonitor.start(stage.redisUrl, ignored);
  await sleep(QUIET_MS);
  const quiet = monitor.take();

  const sum = { total: 0, scripts: 0, blocking: 0 };
  const start = performance.now();
  for (let task = 0; task < TASKS; task++) {
    await producer.call('schedule', { first: task, count: 1, callers: 1, dueAtMs: Date.now() + DELAY_MS });
    await untilRun(consumers, task + 1, DEADLINE_MS);
    await sleep(AFTERMATH_MS);
    const { total, scripts, blocking } = monitor.take();
    sum.total += total;
    sum.scripts += scripts;
    sum.blocking += blocking;
  }
  const share = (performance.now() - start) / QUIET_MS;
  monitor.stop();
  await closeAndExpectOnce(consumers, TASKS);
  await producer.close();

  const perTask = (figure: keyof CommandCount): number => Math.max(0, sum[figure] - quiet[figure] * share) / TASKS;
  return {
    value: perTask('scripts'),
    extra: { blocking: perTask('blocking'), allCommands: perTask('total'), scriptsWithIdleOnes: sum.scripts / TASKS },
  };
}
