import type { Clock } from '../core/clock.js';
import type { DueTime } from '../ports/mutation.js';

/** The one instant at which a store call happens. */
export interface StoreTime {
  /** Whole microseconds since the epoch. */
  readonly nowUs: number;
  /** The millisecond that has begun: what is due at it is due. */
  readonly nowMs: number;
}

/** Reads the instant of a store call from a clock. */
export function readStoreTime(clock: Clock): StoreTime {
  const nowUs = Math.round(clock.nowMs() * 1000);
  return { nowUs, nowMs: Math.floor(nowUs / 1000) };
}

/** The due time of a task that waits so long from now: a part of a millisecond never shortens the wait. */
export function dueAfter(delayMs: number, time: StoreTime): number {
  return delayMs === 0 ? time.nowMs : Math.ceil(time.nowUs / 1000) + delayMs;
}

/** The due time that a caller asked for; a point in the past is now. */
export function resolveDue(due: DueTime, time: StoreTime): number {
  return 'delayMs' in due ? dueAfter(due.delayMs, time) : Math.max(due.atMs, time.nowMs);
}
