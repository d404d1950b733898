import type { Participant } from '../participant/participant.js';
import type { TaskRange } from '../participant/participant-api.js';
import type { Stage } from '../stage.js';
import { CostMeter } from '../task-cost.js';
import { expectWaiting } from '../verification.js';
import type { Measurement } from './row.js';

/** Calls before the measured ones, for the just-in-time compiler. */
const WARM_UP = 10_000;

/** Far enough ahead that nothing falls due while it is measured. */
const FAR_MS = 24 * 3_600_000;

/** A due time that no measurement lives to see. */
export function farDueTimes(): { dueAtMs: number; spreadMs: number } {
  return { dueAtMs: Date.now() + FAR_MS, spreadMs: FAR_MS };
}

/** What is measured, and what must be there before and after. */
export interface LoadPlan {
  readonly tasks: number;
  /** Whether the tasks are there already when the load begins. */
  readonly scheduledBefore: boolean;
  /** Of all tasks, those that wait in the end. */
  readonly waitingAfter: 'all' | 'none';
  /** Does the load for some tasks, and returns the milliseconds that it took. */
  load(producer: Participant, range: TaskRange): Promise<number>;
}

/** Measures how many tasks a second one process schedules, moves or removes. */
export async function measureLoad(stage: Stage, plan: LoadPlan): Promise<Measurement> {
  const total = WARM_UP + plan.tasks;
  const producer = await stage.startProducer();
  if (plan.scheduledBefore) {
    await producer.call('scheduleMany', { first: 0, count: total, perCall: 1_000, ...farDueTimes() });
  }
  await plan.load(producer, { first: 0, count: WARM_UP });
  const meter = await CostMeter.start(stage.gauge, [producer]);
  const elapsedMs = await plan.load(producer, { first: WARM_UP, count: plan.tasks });
  const cost = await meter.perTask(plan.tasks);
  await expectWaiting(producer, plan.waitingAfter === 'all' ? total : 0);
  await producer.close();
  return { value: (plan.tasks / elapsedMs) * 1000, extra: { ...cost } };
}
