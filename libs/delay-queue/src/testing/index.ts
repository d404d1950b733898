export type { Clock, ClockTimer } from '../core/clock.js';
export { VirtualClock } from '../core/virtual-clock.js';
export { MemoryTaskStore, type MemoryTaskStoreOptions } from '../memory/memory-task-store.js';
export { type AdvanceOptions, DelayQueueTestClock, type TestClockOptions } from './delay-queue-test-clock.js';
export { DelayQueueTestTasks } from './delay-queue-test-tasks.js';
export {
  type DelayQueueTesting,
  DelayQueueTestingModule,
  type DelayQueueTestingOptions,
  type DelayQueueTestingRootOptions,
} from './delay-queue-testing.module.js';
export type { ExpectedTask } from './expected-task.js';
export { HandlersStillRunError } from './handlers-still-run-error.js';
export type { TaskRun } from './task-run.js';
