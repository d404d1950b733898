import type { Clock, ClockTimer } from '../core/clock.js';
import type { QueueLogger, QueueObserver } from '../ports/queue-event.js';

/** A difference between the store's and our own clock within this is drift, or a slow network, and no step. */
const CLOCK_STEP_MS = 2_000;

/**
 * An outage is over when calls have completed and none has failed for so long: twice the longest pause between the calls
 * of a lane. A server that refuses writes answers reads, so calls complete and fail by turns while the trouble lasts.
 */
export const QUIET_MS = 2_000;

/** What the store monitor has seen. */
export interface StoreHealth {
  /** The last store call failed, and none has completed since. */
  readonly down: boolean;
  /** Time since a store call last completed, or since the monitor was made when none ever has. */
  readonly sinceCompletedMs: number;
  /** The last failure of the current episode. */
  readonly error: unknown;
}

/**
 * Follows the store by the calls that complete and fail: one log line an episode, whatever its length.
 *
 * ```
 * well ──failed──▶ failing ──completed──▶ calming ──quiet for 2 s──▶ well
 *                     ▲─────────failed───────┘
 * ```
 */
export class StoreMonitor {
  private completedAtMs: number;
  private episodeSinceMs: number | null = null;
  private lastCallFailed = false;
  private lastError: unknown = null;
  private calming: ClockTimer | null = null;
  private closed = false;
  private offset: OffsetBounds | null = null;
  private readonly clockListeners = new Set<() => void>();

  constructor(
    private readonly clock: Clock,
    private readonly observer: QueueObserver,
    private readonly logger: QueueLogger,
  ) {
    this.completedAtMs = clock.monotonicMs();
  }

  get health(): StoreHealth {
    return {
      down: this.lastCallFailed,
      sinceCompletedMs: this.clock.monotonicMs() - this.completedAtMs,
      error: this.lastError,
    };
  }

  /** Calls back when the store's clock has stepped. */
  onClockJump(listener: () => void): void {
    this.clockListeners.add(listener);
  }

  /** A store call has completed, and its reply says what time it was in the store. */
  completed(reply?: { readonly nowUs: number; readonly sentAtMs: number; readonly receivedAtMs: number }): void {
    const nowMs = this.clock.monotonicMs();
    this.completedAtMs = nowMs;
    if (reply !== undefined) {
      const storeMs = reply.nowUs / 1000;
      this.watchClock({ leastMs: storeMs - reply.receivedAtMs, mostMs: storeMs - reply.sentAtMs });
    }
    this.lastCallFailed = false;
    this.lastError = null;
    if (this.episodeSinceMs === null || this.calming !== null || this.closed) return;
    const downForMs = Math.round(nowMs - this.episodeSinceMs);
    this.calming = this.clock.setTimer(() => this.recovered(downForMs), QUIET_MS);
  }

  /** A store call has failed. */
  failed(error: unknown): void {
    this.lastCallFailed = true;
    this.lastError = error;
    this.calming?.cancel();
    this.calming = null;
    if (this.episodeSinceMs !== null) return;
    this.episodeSinceMs = this.clock.monotonicMs();
    this.logger.error('Store calls fail; they are tried again until the store answers.', error);
    this.observer.notify({ kind: 'store down', error });
  }

  /** Sets no timer any more; an episode that has not ended by now is not said to be over. */
  close(): void {
    this.closed = true;
    this.calming?.cancel();
  }

  private recovered(downForMs: number): void {
    this.calming = null;
    this.episodeSinceMs = null;
    this.logger.log(`The store answers again, after ${downForMs} ms.`);
    this.observer.notify({ kind: 'store up', downForMs });
  }

  private watchClock(now: OffsetBounds): void {
    const byMs = this.offset === null ? 0 : gap(this.offset, now);
    this.offset = now;
    if (Math.abs(byMs) <= CLOCK_STEP_MS) return;
    this.logger.warn(`The store's clock has stepped by ${Math.round(byMs)} ms.`);
    this.observer.notify({ kind: 'clock jump', byMs });
    for (const listener of this.clockListeners) listener();
  }
}

/** The store's time less our monotonic time lies between these: its clock was read between sending and receiving. */
interface OffsetBounds {
  readonly leastMs: number;
  readonly mostMs: number;
}

/** How far two ranges lie apart; 0 when they overlap, so that a slow call is no step. */
function gap(before: OffsetBounds, after: OffsetBounds): number {
  if (after.leastMs > before.mostMs) return after.leastMs - before.mostMs;
  if (after.mostMs < before.leastMs) return after.mostMs - before.leastMs;
  return 0;
}
