import { median } from '../statistics.js';
import { measureDrain } from '../rows/measure-drain.js';
import { farDueTimes } from '../rows/measure-load.js';
import { Stage, type StageOptions } from '../stage.js';
import type { SubjectName } from '../subjects/subject.js';

/** Who is compared. */
export const GROWTH_SUBJECTS = ['nestjs-delay-queue', 'bullmq'] as const satisfies readonly SubjectName[];

const SIZES = [10_000, 30_000, 100_000, 300_000, 1_000_000];
const QUICK_SIZES = [10_000, 30_000, 100_000];

/** Waiting tasks have numbers from here on; those that are measured come before. */
const FIRST_WAITING = 1_000_000;

const PLAN = { processes: 1, concurrency: 50, tasks: 20_000, warmUp: 4_000, callers: 64 };

const ROUNDS = 3;

/** What is possible while so many other tasks wait. */
export interface GrowthPoint {
  readonly subject: SubjectName;
  readonly waiting: number;
  readonly schedulesPerSecond: number;
  readonly drainsPerSecond: number;
  /** Time in scripts of Redis for each task, in microseconds. */
  readonly scheduleScriptUs: number;
  readonly drainScriptUs: number;
  /** Processor time of Redis for each task, in microseconds. */
  readonly scheduleCpuUs: number;
  readonly drainCpuUs: number;
  /** Resident memory of the consumer, in MiB. */
  readonly consumerMib: number;
}

/** A figure of a point. */
export type GrowthFigure = Exclude<keyof GrowthPoint, 'subject' | 'waiting'>;

/** Measures how rates change while the number of waiting tasks grows, both subjects in turn at each size. */
export async function measureGrowth(
  options: StageOptions,
  onPoint: (point: GrowthPoint) => void,
): Promise<readonly GrowthPoint[]> {
  const points: GrowthPoint[] = [];
  const [first, second] = GROWTH_SUBJECTS;
  await Stage.use(first, options, async (one) =>
    Stage.use(second, options, async (other) => {
      let filled = 0;
      for (const waiting of options.quick ? QUICK_SIZES : SIZES) {
        for (const stage of [one, other]) await fill(stage, filled, waiting);
        filled = waiting;
        for (const point of await measureSize([one, other], waiting)) {
          points.push(point);
          onPoint(point);
        }
      }
    }),
  );
  return points;
}

async function fill(stage: Stage, from: number, to: number): Promise<void> {
  const producer = await stage.startProducer();
  const range = { first: FIRST_WAITING + from, count: to - from };
  await producer.call('scheduleMany', { ...range, perCall: 1_000, ...farDueTimes() });
  await producer.close();
  // Hash tables that have just grown are moved over first.
  await stage.gauge.restingMemory();
}

async function measureSize(stages: readonly Stage[], waiting: number): Promise<GrowthPoint[]> {
  const rounds = new Map(stages.map((stage) => [stage, [] as Awaited<ReturnType<typeof measureDrain>>[]]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const stage of stages) rounds.get(stage)?.push(await measureDrain(stage, PLAN));
  }
  return [...rounds].map(([{ subject }, drains]) => ({
    subject,
    waiting,
    schedulesPerSecond: median(drains.map((drain) => drain.schedulesPerSecond)),
    drainsPerSecond: median(drains.map((drain) => drain.drainsPerSecond)),
    scheduleScriptUs: median(drains.map((drain) => drain.scheduleCost.redisScriptUs)),
    drainScriptUs: median(drains.map((drain) => drain.drainCost.redisScriptUs)),
    scheduleCpuUs: median(drains.map((drain) => drain.scheduleCost.redisCpuUs)),
    drainCpuUs: median(drains.map((drain) => drain.drainCost.redisCpuUs)),
    consumerMib: median(drains.map((drain) => drain.memoryBytes)) / 2 ** 20,
  }));
}
