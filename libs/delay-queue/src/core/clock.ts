/** A pending timer of a {@link Clock}. */
export interface ClockTimer {
  /** Stops the timer; does nothing when it has fired or was cancelled before. */
  cancel(): void;
}

/** The source of time for everything that waits, so that tests can replace it. */
export interface Clock {
  /** Wall-clock time in milliseconds since the epoch, possibly with a fraction; may step. */
  nowMs(): number;
  /** Monotonic time in milliseconds, for measuring how long something took; never steps. */
  monotonicMs(): number;
  /**
   * Calls back once, after `delayMs`.
   *
   * @param delayMs at most 2^31 − 1, 24.8 days; longer delays are cut to it, so a callback checks its clock.
   */
  setTimer(callback: () => void, delayMs: number): ClockTimer;
}

/** Longest delay of one timer: Node turns anything above 2^31 - 1 ms into 1 ms. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

class SystemClock implements Clock {
  nowMs(): number {
    return Date.now();
  }

  monotonicMs(): number {
    return performance.now();
  }

  setTimer(callback: () => void, delayMs: number): ClockTimer {
    const handle = setTimeout(callback, Math.min(Math.max(0, delayMs), MAX_TIMER_MS));
    return { cancel: () => clearTimeout(handle) };
  }
}

/** The real clock of the process. */
export const systemClock: Clock = new SystemClock();
