import { atLeastTimes } from '../goals.js';
import { measureDrain } from './measure-drain.js';
import { REPEATED_IN_FULL, type Row } from './row.js';

/** A wave of tasks that are due at once, one process that runs one at a time, handlers that do nothing. */
export const drain1x1: Row = {
  name: 'drain-1x1',
  title: 'drain of tasks due at once, 1 process × 1',
  unit: 'tasks/s',
  subjects: ['nestjs-delay-queue', 'bullmq', 'bee-queue', 'raw'],
  runs: REPEATED_IN_FULL,
  goals: [atLeastTimes('bullmq', 1.3)],
  async measure(stage) {
    const tasks = stage.options.quick ? 6_000 : 20_000;
    const plan = { processes: 1, concurrency: 1, tasks, warmUp: 2_000, callers: null };
    const { drainsPerSecond, drainCost } = await measureDrain(stage, plan);
    return { value: drainsPerSecond, extra: { ...drainCost } };
  },
};
