import { atMost, notAbove } from '../goals.js';
import { COMBINE_LATENESS, measureLateness } from './measure-lateness.js';
import { REPEATED_IN_FULL, type Row } from './row.js';

/** How late handlers start at 1,000 tasks a second; the value is the median. */
export const lateness1000: Row = {
  name: 'lateness-1000',
  title: 'lateness at 1,000/s, p50',
  unit: 'ms',
  subjects: ['nestjs-delay-queue', 'bullmq', 'bee-queue', 'bull', 'raw'],
  runs: REPEATED_IN_FULL,
  combine: COMBINE_LATENESS,
  goals: [atMost(2), atMost(6, 'p99'), atMost(0, 'early'), notAbove('bull'), notAbove('bull', 'p99')],
  measure: (stage) => measureLateness(stage, 1_000),
};
