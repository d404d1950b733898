import type { Clock } from '../core/clock.js';

/** Lets somebody wait for a condition that others make true. */
export class Progress {
  private readonly waiting = new Set<() => void>();

  constructor(private readonly clock: Clock) {}

  /** Something has changed: conditions are looked at again. */
  readonly made = (): void => {
    for (const check of this.waiting) check();
  };

  /** Resolves with true as soon as the condition holds, with false when the deadline (monotonic) has passed. */
  until(condition: () => boolean, deadlineMs: number): Promise<boolean> {
    if (condition()) return Promise.resolve(true);
    const remainingMs = deadlineMs - this.clock.monotonicMs();
    if (remainingMs <= 0) return Promise.resolve(false);
    return new Promise((resolve) => {
      const finish = (met: boolean): void => {
        timer.cancel();
        this.waiting.delete(check);
        resolve(met);
      };
      const check = (): void => {
        if (condition()) finish(true);
      };
      const timer = this.clock.setTimer(() => finish(condition()), remainingMs);
      this.waiting.add(check);
    });
  }
}
