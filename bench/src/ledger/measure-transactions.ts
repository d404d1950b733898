import { setTimeout as sleep } from 'node:timers/promises';
import type { Participant } from '../participant/participant.js';
import type { TaskRange } from '../participant/participant-api.js';
import type { Measurement } from '../rows/row.js';
import { farDueTimes } from '../rows/measure-load.js';
import type { Stage } from '../stage.js';
import { CostMeter } from '../task-cost.js';
import { expectWaiting } from '../verification.js';

const CALLERS = 64;

/** Calls before the measured ones, for the just-in-time compiler and the connections. */
const WARM_UP = 2_000;

/** Time for tasks that are committed to get to Redis. */
const SETTLE_MS = 60_000;

const POLL_MS = 20;

/** What is measured. */
export interface TransactionPlan {
  /** How each task is scheduled. */
  readonly call: 'schedule' | 'scheduleWithOrder';
}

/** Measures how many tasks a second one process schedules in a database, by callers who wait for their own call. */
export async function measureTransactions(stage: Stage, { call }: TransactionPlan): Promise<Measurement> {
  const tasks = stage.options.quick ? 4_000 : 20_000;
  const total = WARM_UP + tasks;
  const producer = await stage.startProducer();
  const load = (range: TaskRange): Promise<number> =>
    producer.call(call, { ...range, ...farDueTimes(), callers: CALLERS });
  await load({ first: 0, count: WARM_UP });
  await untilWaiting(producer, WARM_UP);
  const meter = await CostMeter.start(stage.gauge, [producer]);
  const elapsedMs = await load({ first: WARM_UP, count: tasks });
  const behindMs = await untilWaiting(producer, total);
  const { processCpuUs } = await meter.perTask(tasks);
  await expectAll(stage, producer, { call, total });
  await producer.close();
  return {
    value: (tasks / elapsedMs) * 1_000,
    extra: { ...(stage.subject === 'ledger' && { behindMs }), processCpuUs },
  };
}

/** Waits until what is committed is in the queue as well, and tells how long that took. */
async function untilWaiting(producer: Participant, expected: number): Promise<number> {
  const startMs = performance.now();
  while ((await producer.call('countWaiting')) < expected) {
    if (performance.now() - startMs > SETTLE_MS) break;
    await sleep(POLL_MS);
  }
  return performance.now() - startMs;
}

async function expectAll(
  stage: Stage,
  producer: Participant,
  { call, total }: TransactionPlan & { readonly total: number },
): Promise<void> {
  await expectWaiting(producer, total);
  if (call === 'scheduleWithOrder') await expectRows(stage, 'orders', total);
  if (stage.subject === 'ledger') await expectRows(stage, 'delay_queue_tasks', total);
}

/** @throws when there are more or fewer rows. */
export async function expectRows(stage: Stage, what: string, expected: number): Promise<void> {
  const rows = await stage.countRows(what);
  if (rows !== expected) throw new Error(`${rows} rows of ${what} instead of ${expected}`);
}
