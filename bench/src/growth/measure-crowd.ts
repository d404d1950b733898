import { measureDrain } from '../rows/measure-drain.js';
import { Stage, type StageOptions } from '../stage.js';

const TASKS = 200_000;
const QUICK_TASKS = 40_000;

/** How one process of the library stands a crowd of tasks that are due in the same millisecond. */
export interface Crowd {
  readonly tasks: number;
  readonly drainsPerSecond: number;
  /** Resident memory of the consumer after the drain, in MiB; it hardly falls below its highest within that time. */
  readonly consumerMib: number;
}

/** Measures the memory of a consumer that runs many tasks due at once: it must not depend on their number. */
export async function measureCrowd(options: StageOptions): Promise<Crowd> {
  const tasks = options.quick ? QUICK_TASKS : TASKS;
  const plan = { processes: 1, concurrency: 50, tasks, warmUp: 4_000, callers: null };
  return Stage.use('nestjs-delay-queue', options, async (stage) => {
    const { drainsPerSecond, memoryBytes } = await measureDrain(stage, plan);
    return { tasks, drainsPerSecond, consumerMib: memoryBytes / 2 ** 20 };
  });
}
