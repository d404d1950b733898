import { atMost } from '../goals.js';
import { measureMemory } from './measure-memory.js';
import { ONCE, type Row } from './row.js';

/** Memory of Redis for each of 100,000 waiting tasks. */
export const memory100k: Row = {
  name: 'memory-100k',
  title: 'Redis memory per waiting task, 100,000',
  unit: 'bytes',
  subjects: ['nestjs-delay-queue', 'bullmq', 'bee-queue', 'raw'],
  runs: ONCE,
  goals: [atMost(365)],
  measure: (stage) => measureMemory(stage, 100_000),
};
