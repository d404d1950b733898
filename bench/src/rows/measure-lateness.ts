import type { Stage } from '../stage.js';
import { closeAndExpectOnce, untilRun } from '../verification.js';
import type { Measurement } from './row.js';

/** How far ahead tasks are scheduled: they wait a little, and are not all there from the start. */
const DELAY_MS = 1_000;

/** What is scheduled in this time only warms up. */
const WARM_UP_SECONDS = 1;

/** The slowest subject is half a second late. */
const DEADLINE_MS = 10_000;

/** How the figures of several runs become one. */
export const COMBINE_LATENESS = { max: 'max', early: 'sum' } as const;

/** Measures how late handlers start when one process schedules at a steady rate and another one consumes. */
export async function measureLateness(stage: Stage, perSecond: number): Promise<Measurement> {
  const seconds = WARM_UP_SECONDS + (stage.options.quick ? 3 : 10);
  const tasks = perSecond * seconds;
  const [consumer, producer] = await Promise.all([
    stage.startConsumer({ concurrency: null, tasks, measuredFrom: perSecond * WARM_UP_SECONDS }),
    stage.startProducer(),
  ]);
  await producer.call('schedulePaced', { first: 0, count: tasks, perSecond, delayMs: DELAY_MS });
  await untilRun([consumer], tasks, DEADLINE_MS);
  const [report] = await closeAndExpectOnce([consumer], tasks);
  await producer.close();
  if (report === undefined || report.lateness === null) throw new Error('no task was measured');
  const { p50, p99, max, early } = report.lateness;
  return { value: p50, extra: { p99, max, early } };
}
