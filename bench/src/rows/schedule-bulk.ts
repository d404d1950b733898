import { atLeastTimes } from '../goals.js';
import { farDueTimes, measureLoad } from './measure-load.js';
import { REPEATED, type Row } from './row.js';

/** The call for many with 1,000 tasks, one call after the other. */
export const scheduleBulk: Row = {
  name: 'schedule-bulk',
  title: 'schedule in bulk of 1,000',
  unit: 'tasks/s',
  subjects: ['nestjs-delay-queue', 'bullmq', 'bee-queue', 'raw'],
  runs: REPEATED,
  goals: [atLeastTimes('bullmq', 4), atLeastTimes('bee-queue', 1.3)],
  measure: (stage) =>
    measureLoad(stage, {
      tasks: stage.options.quick ? 40_000 : 100_000,
      scheduledBefore: false,
      waitingAfter: 'all',
      load: (producer, range) => producer.call('scheduleMany', { ...range, ...farDueTimes(), perCall: 1_000 }),
    }),
};
