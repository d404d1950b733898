import { atMost } from '../goals.js';
import { measureIdle } from './measure-idle.js';
import { ONCE, type Row } from './row.js';

/** What 20 idle processes of one type send together, while 1,000 tasks are due far ahead. */
export const idle20: Row = {
  name: 'idle-20',
  title: 'idle client commands, 20 processes',
  unit: 'commands/s',
  subjects: ['nestjs-delay-queue', 'bullmq', 'bee-queue'],
  runs: ONCE,
  sideBySide: true,
  goals: [atMost(1)],
  async measure(stage) {
    return { value: await measureIdle(stage, { processes: 20, types: 1, waiting: 1_000 }) };
  },
};
