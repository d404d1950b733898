import { type Clock, type ClockTimer, MAX_TIMER_MS } from '../core/clock.js';

/**
 * One timer that only moves earlier, until it fires or is told to forget.
 *
 * Times are on the monotonic clock. The callback never runs before its time: a system timer may fire up to a
 * millisecond early, and a far time is reached in steps that a system timer can hold.
 */
export class WakeTimer {
  private atMs: number | null = null;
  private timer: ClockTimer | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly callback: () => void,
  ) {}

  /** A time is set, and has not come. */
  get isSet(): boolean {
    return this.atMs !== null;
  }

  /** Fires at `atMs`, unless it fires earlier anyway. */
  fireBy(atMs: number): void {
    if (this.atMs !== null && this.atMs <= atMs) return;
    this.start(atMs);
  }

  /** Forgets the time that was set, and fires at `atMs`, or never when that is null. */
  reset(atMs: number | null): void {
    if (this.atMs === atMs) return;
    if (atMs !== null) {
      this.start(atMs);
      return;
    }
    this.atMs = null;
    this.timer?.cancel();
  }

  private start(atMs: number): void {
    this.atMs = atMs;
    this.timer?.cancel();
    const remainingMs = Math.max(0, atMs - this.clock.monotonicMs());
    this.timer = this.clock.setTimer(() => this.check(), Math.min(Math.ceil(remainingMs), MAX_TIMER_MS));
  }

  private check(): void {
    if (this.atMs === null) return;
    if (this.clock.monotonicMs() < this.atMs) {
      this.start(this.atMs);
      return;
    }
    this.atMs = null;
    this.callback();
  }
}
