import type { Clock, ClockTimer } from '../core/clock.js';

/** Time limits of handlers that run. */
export class TimeLimits {
  private readonly timers = new Set<ClockTimer>();

  constructor(
    private readonly clock: Clock,
    /** Null for no limit. */
    private readonly limitMs: number | null,
  ) {}

  /** Begins a limit; returns what ends it, or null when there is none. */
  begin(onOver: () => void): (() => void) | null {
    if (this.limitMs === null) return null;
    const timer = this.clock.setTimer(onOver, this.limitMs);
    this.timers.add(timer);
    return () => {
      timer.cancel();
      this.timers.delete(timer);
    };
  }

  /** Forgets the limits of handlers that still run. */
  close(): void {
    for (const timer of this.timers) timer.cancel();
    this.timers.clear();
  }
}
