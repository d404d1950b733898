import { atLeastTimes } from '../goals.js';
import { farDueTimes, measureLoad } from './measure-load.js';
import { REPEATED_IN_FULL, type Row } from './row.js';

/** Waiting tasks, known by their ids alone, are moved one by one, by 64 callers. */
export const rescheduleC64: Row = {
  name: 'reschedule-c64',
  title: 'reschedule, 64 concurrent callers',
  unit: 'ops/s',
  subjects: ['nestjs-delay-queue', 'bullmq', 'raw'],
  runs: REPEATED_IN_FULL,
  goals: [atLeastTimes('bullmq', 2)],
  measure: (stage) =>
    measureLoad(stage, {
      tasks: stage.options.quick ? 20_000 : 50_000,
      scheduledBefore: true,
      waitingAfter: 'all',
      load: (producer, range) => {
        const { dueAtMs, spreadMs } = farDueTimes();
        return producer.call('reschedule', { ...range, dueAtMs: dueAtMs + spreadMs, callers: 64 });
      },
    }),
};
