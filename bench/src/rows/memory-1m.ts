import { atMost } from '../goals.js';
import { measureMemory } from './measure-memory.js';
import type { Row } from './row.js';

/** Memory of Redis for each of a million waiting tasks. */
export const memory1m: Row = {
  name: 'memory-1m',
  title: 'Redis memory per waiting task, 1,000,000',
  unit: 'bytes',
  subjects: ['nestjs-delay-queue', 'bullmq', 'bee-queue', 'raw'],
  runs: { quick: 0, full: 1 },
  goals: [atMost(365)],
  measure: (stage) => measureMemory(stage, 1_000_000),
};
