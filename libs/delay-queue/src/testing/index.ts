export type { Clock, ClockTimer } from '../core/clock.js';
export { VirtualClock } from '../core/virtual-clock.js';
export { MemoryTaskStore, type MemoryTaskStoreOptions } from '../memory/memory-task-store.js';
