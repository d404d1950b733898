import { setTimeout as sleep } from 'node:timers/promises';
import { CommandMonitor } from '../redis/command-monitor.js';
import { Stage, TASK_TYPE } from '../stage.js';
import { farDueTimes } from './measure-load.js';

/** Time for everybody to connect, to subscribe and to come to rest. */
const SETTLE_MS = 4_000;

/** Time in which commands are counted. */
const WINDOW_MS = 20_000;

/** Who is idle. */
export interface IdlePlan {
  readonly processes: number;
  /** Task types that each process consumes. */
  readonly types: number;
  /** Tasks that wait and do not fall due. */
  readonly waiting: number;
}

/** Counts the commands a second that idle processes send, on a stage like the given one. */
export async function measureIdle(like: Stage, plan: IdlePlan): Promise<number> {
  return Stage.use(like.subject, like.options, async (stage) => {
    if (plan.waiting > 0) await scheduleFarTasks(stage, plan.waiting);
    const types = Array.from({ length: plan.types }, (_, index) => (index === 0 ? TASK_TYPE : `other_${index}`));
    await stage.startConsumers(plan.processes, { concurrency: null, tasks: plan.waiting }, types);
    await sleep(SETTLE_MS);
    const monitor = await CommandMonitor.start(stage.redisUrl);
    await sleep(WINDOW_MS);
    const { total } = monitor.take();
    monitor.stop();
    return total / (WINDOW_MS / 1000);
  });
}

async function scheduleFarTasks(stage: Stage, count: number): Promise<void> {
  const producer = await stage.startProducer();
  await producer.call('scheduleMany', { first: 0, count, perCall: 1_000, ...farDueTimes() });
  await producer.close();
}
