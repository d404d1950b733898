import { atMost } from '../goals.js';
import { measureIdle } from './measure-idle.js';
import { ONCE, type Row } from './row.js';

/** What one idle process sends, with one type; also with 20 types, and with 1,000 tasks that are due far ahead. */
export const idle1: Row = {
  name: 'idle-1',
  title: 'idle client commands, 1 process',
  unit: 'commands/s',
  subjects: ['nestjs-delay-queue', 'bullmq', 'bee-queue'],
  runs: ONCE,
  sideBySide: true,
  goals: [atMost(0.5), atMost(0.6, 'types20'), atMost(0.5, 'waiting1000')],
  async measure(stage) {
    const [value, types20, waiting1000] = await Promise.all([
      measureIdle(stage, { processes: 1, types: 1, waiting: 0 }),
      measureIdle(stage, { processes: 1, types: 20, waiting: 0 }),
      measureIdle(stage, { processes: 1, types: 1, waiting: 1_000 }),
    ]);
    return { value, extra: { types20, waiting1000 } };
  },
};
