import type { Clock, ClockTimer } from '../../libs/delay-queue/src/core/clock.js';

/** A clock that stands still at a whole number of microseconds and is set by hand. */
export class SteppedClock implements Clock {
  constructor(public nowUs: number) {}

  nowMs(): number {
    return this.nowUs / 1_000;
  }

  monotonicMs(): number {
    return this.nowMs();
  }

  setTimer(): ClockTimer {
    throw new Error('A store sets no timers.');
  }
}
