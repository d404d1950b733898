import type { Clock } from '../core/clock.js';

/** Time over which the pace is averaged; also how far ahead a lane may claim. */
export const HORIZON_MS = 10;

/** Measures how fast handlers end, over about the last {@link HORIZON_MS}. */
export class Pace {
  private ended = 0;
  private perMs = 0;
  private sinceMs: number;

  constructor(private readonly clock: Clock) {
    this.sinceMs = clock.monotonicMs();
  }

  /** A handler has ended. */
  handlerEnded(): void {
    this.ended++;
  }

  /** How many handlers will end within the horizon, if they go on like this. */
  measure(): number {
    const nowMs = this.clock.monotonicMs();
    const elapsedMs = nowMs - this.sinceMs;
    if (elapsedMs > 0) {
      // What lies longer back counts for less: after a quiet horizon, the time before it counts for nothing.
      const weight = Math.min(1, elapsedMs / HORIZON_MS);
      this.perMs += weight * (this.ended / elapsedMs - this.perMs);
      this.ended = 0;
      this.sinceMs = nowMs;
    }
    return this.perMs * HORIZON_MS;
  }
}
