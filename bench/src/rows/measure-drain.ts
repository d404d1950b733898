import { setTimeout as sleep } from 'node:timers/promises';
import type { Participant } from '../participant/participant.js';
import type { TaskRange } from '../participant/participant-api.js';
import type { RunReport } from '../run-log.js';
import type { Stage } from '../stage.js';
import { CostMeter, type TaskCost } from '../task-cost.js';
import { closeAndExpectOnce, untilRun } from '../verification.js';

/** What falls due at once, and who runs it. */
export interface DrainPlan {
  readonly processes: number;
  readonly concurrency: number;
  readonly tasks: number;
  /** Tasks that are drained before the measured ones. */
  readonly warmUp: number;
  /** `null` schedules in bulk. */
  readonly callers: number | null;
}

/** How fast tasks were scheduled and drained. */
export interface DrainResult {
  readonly schedulesPerSecond: number;
  readonly scheduleCost: TaskCost;
  readonly drainsPerSecond: number;
  readonly drainCost: TaskCost;
  /** Resident memory of the largest consumer after the drain, in bytes. */
  readonly memoryBytes: number;
}

/** Time for the warm-up tasks to be scheduled before they fall due. */
const WARM_UP_LEAD_MS = 600;

/** The measured tasks fall due when so many times the expected time for scheduling them has passed, and then this. */
const LEAD_FACTOR = 1.5;
const LEAD_MS = 500;

const DEADLINE_MS = 120_000;

/**
 * Schedules tasks that all fall due in the same millisecond while consumers wait for them, and measures the rate between
 * the start of the first and of the last.
 */
export async function measureDrain(stage: Stage, plan: DrainPlan): Promise<DrainResult> {
  const total = plan.warmUp + plan.tasks;
  const { processes, concurrency } = plan;
  const [producer, consumers] = await Promise.all([
    stage.startProducer(),
    stage.startConsumers(processes, { concurrency, tasks: total, measuredFrom: plan.warmUp }),
  ]);

  const schedule = (range: TaskRange, dueAtMs: number): Promise<number> =>
    plan.callers === null
      ? producer.call('scheduleMany', { ...range, dueAtMs, perCall: 1_000 })
      : producer.call('schedule', { ...range, dueAtMs, callers: plan.callers });

  const warmUpMs = await schedule({ first: 0, count: plan.warmUp }, Date.now() + WARM_UP_LEAD_MS);
  await untilRun(consumers, plan.warmUp, DEADLINE_MS);

  const leadMs = (warmUpMs / plan.warmUp) * plan.tasks * LEAD_FACTOR + LEAD_MS;
  const dueAtMs = Math.ceil(Date.now() + leadMs);
  const scheduleMeter = await CostMeter.start(stage.gauge, [producer]);
  const scheduleMs = await schedule({ first: plan.warmUp, count: plan.tasks }, dueAtMs);
  const scheduleCost = await scheduleMeter.perTask(plan.tasks);
  if (Date.now() > dueAtMs) throw new Error(`scheduling took ${scheduleMs} ms, so that tasks fell due meanwhile`);

  const drainMeter = await CostMeter.start(stage.gauge, consumers);
  await sleep(dueAtMs - Date.now());
  await untilRun(consumers, total, DEADLINE_MS);
  const drainCost = await drainMeter.perTask(plan.tasks);
  const memoryBytes = await largestMemory(consumers);
  const reports = await closeAndExpectOnce(consumers, total);
  await producer.close();

  return {
    schedulesPerSecond: (plan.tasks / scheduleMs) * 1000,
    scheduleCost,
    drainsPerSecond: ((plan.tasks - 1) / drainMs(reports)) * 1000,
    drainCost,
    memoryBytes,
  };
}

function drainMs(reports: readonly RunReport[]): number {
  const busy = reports.filter(({ lastAtMs }) => lastAtMs > 0);
  const firstAtMs = Math.min(...busy.map((report) => report.firstAtMs));
  const lastAtMs = Math.max(...busy.map((report) => report.lastAtMs));
  return lastAtMs - firstAtMs;
}

async function largestMemory(consumers: readonly Participant[]): Promise<number> {
  const usages = await Promise.all(consumers.map((consumer) => consumer.call('usage')));
  return Math.max(...usages.map(({ memoryBytes }) => memoryBytes));
}
