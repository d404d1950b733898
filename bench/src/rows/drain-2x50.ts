import { atLeastTimes } from '../goals.js';
import { measureDrain } from './measure-drain.js';
import type { Row } from './row.js';

/** A wave of tasks that are due at once, two processes with 50 places each, handlers that do nothing. */
export const drain2x50: Row = {
  name: 'drain-2x50',
  title: 'drain of tasks due at once, 2 processes × 50',
  unit: 'tasks/s',
  subjects: ['nestjs-delay-queue', 'bullmq', 'bee-queue', 'raw'],
  runs: { quick: 0, full: 5 },
  goals: [atLeastTimes('bullmq', 5)],
  async measure(stage) {
    const plan = { processes: 2, concurrency: 50, tasks: 50_000, warmUp: 20_000, callers: null };
    const { drainsPerSecond, drainCost } = await measureDrain(stage, plan);
    return { value: drainsPerSecond, extra: { ...drainCost } };
  },
};
