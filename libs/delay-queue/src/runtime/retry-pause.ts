import type { Clock, ClockTimer } from '../core/clock.js';

/** First pause after a failed call; doubled with each further one. */
const FIRST_MS = 50;

/** Longest pause: after an outage of any length a lane works again within it. */
const LONGEST_MS = 1_000;

/** The pauses between calls that fail: longer each time, and over at once when one succeeds. */
export class RetryPause {
  private failures = 0;
  private timer: ClockTimer | null = null;
  private closed = false;

  constructor(
    private readonly clock: Clock,
    private readonly onOver: () => void,
  ) {}

  /** Nothing should be sent now. */
  get active(): boolean {
    return this.timer !== null;
  }

  failed(): void {
    if (this.closed) return;
    this.timer?.cancel();
    const fullMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** this.failures++);
    // Half at random, so that the processes of a fleet do not all come back in the same millisecond.
    this.timer = this.clock.setTimer(() => this.over(), fullMs * (0.5 + Math.random() / 2));
  }

  succeeded(): void {
    this.failures = 0;
  }

  close(): void {
    this.closed = true;
    this.timer?.cancel();
  }

  private over(): void {
    this.timer = null;
    this.onOver();
  }
}
