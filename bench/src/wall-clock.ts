/** Calibrations taken: one may be late by a pause of the process, and the least late counts. */
const CALIBRATIONS = 5;

/**
 * The system's time with fractions of a millisecond, comparable between the processes of one machine.
 *
 * `Date.now()` is the system's time in whole milliseconds and `performance.now()` is fine but starts anywhere; their
 * difference is read where the former steps.
 */
export class WallClock {
  private readonly offsetMs: number;

  constructor() {
    this.offsetMs = Math.max(...Array.from({ length: CALIBRATIONS }, offsetAtNextStep));
  }

  /** Milliseconds since the epoch. */
  nowMs(): number {
    return this.offsetMs + performance.now();
  }
}

function offsetAtNextStep(): number {
  const start = Date.now();
  for (;;) {
    const now = Date.now();
    if (now !== start) return now - performance.now();
  }
}
