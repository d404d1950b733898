import { atLeastTimes } from '../goals.js';
import { farDueTimes, measureLoad } from './measure-load.js';
import { REPEATED, type Row } from './row.js';

/** One call a task, 64 callers that wait for their own call. */
export const scheduleC64: Row = {
  name: 'schedule-c64',
  title: 'schedule, 64 concurrent callers',
  unit: 'tasks/s',
  subjects: ['nestjs-delay-queue', 'bullmq', 'bee-queue', 'raw'],
  runs: REPEATED,
  goals: [atLeastTimes('bullmq', 2.5), atLeastTimes('bee-queue', 1.1)],
  measure: (stage) =>
    measureLoad(stage, {
      tasks: stage.options.quick ? 40_000 : 100_000,
      scheduledBefore: false,
      waitingAfter: 'all',
      load: (producer, range) => producer.call('schedule', { ...range, ...farDueTimes(), callers: 64 }),
    }),
};
