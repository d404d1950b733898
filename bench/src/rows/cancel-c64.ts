import { atLeastTimes } from '../goals.js';
import { measureLoad } from './measure-load.js';
import { REPEATED_IN_FULL, type Row } from './row.js';

/** Waiting tasks are removed one by one, by 64 callers. */
export const cancelC64: Row = {
  name: 'cancel-c64',
  title: 'cancel, 64 concurrent callers',
  unit: 'ops/s',
  subjects: ['nestjs-delay-queue', 'bullmq', 'bee-queue', 'raw'],
  runs: REPEATED_IN_FULL,
  goals: [atLeastTimes('bullmq', 2)],
  measure: (stage) =>
    measureLoad(stage, {
      tasks: stage.options.quick ? 20_000 : 50_000,
      scheduledBefore: true,
      waitingAfter: 'none',
      load: (producer, range) => producer.call('cancel', { ...range, callers: 64 }),
    }),
};
