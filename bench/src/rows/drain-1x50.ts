import { atLeastTimes } from '../goals.js';
import { measureDrain } from './measure-drain.js';
import { REPEATED, type Row } from './row.js';

/** A wave of tasks that are due at once, one process with 50 places, handlers that do nothing. */
export const drain1x50: Row = {
  name: 'drain-1x50',
  title: 'drain of tasks due at once, 1 process × 50',
  unit: 'tasks/s',
  subjects: ['nestjs-delay-queue', 'bullmq', 'bee-queue', 'raw'],
  runs: REPEATED,
  goals: [atLeastTimes('bullmq', 4)],
  async measure(stage) {
    const amounts = stage.options.quick ? { tasks: 15_000, warmUp: 10_000 } : { tasks: 50_000, warmUp: 20_000 };
    const plan = { ...amounts, processes: 1, concurrency: 50, callers: null };
    const { drainsPerSecond, drainCost } = await measureDrain(stage, plan);
    return { value: drainsPerSecond, extra: { ...drainCost } };
  },
};
