import type { Clock } from '../core/clock.js';
import type { QueueLogger, QueueObserver } from '../ports/queue-event.js';
import { OutageEpisode } from './outage-episode.js';

/** A difference between the store's and our own clock within this is drift, or a slow network, and no step. */
const CLOCK_STEP_MS = 2_000;

/** What the store monitor has seen. */
export interface StoreHealth {
  /** The last store call failed, and none has completed since. */
  readonly down: boolean;
  /** Time since a store call last completed, or since the monitor was made when none ever has. */
  readonly sinceCompletedMs: number;
  /** The last failure of the current episode. */
  readonly error: unknown;
}

/** Follows the store by the calls that complete and fail: one log line an episode, whatever its length. */
export class StoreMonitor {
  private completedAtMs: number;
  private readonly episode: OutageEpisode;
  private lastCallFailed = false;
  private lastError: unknown = null;
  private offset: OffsetBounds | null = null;
  private readonly clockListeners = new Set<() => void>();

  constructor(
    private readonly clock: Clock,
    private readonly observer: QueueObserver,
    private readonly logger: QueueLogger,
  ) {
    this.completedAtMs = clock.monotonicMs();
    this.episode = new OutageEpisode(clock, {
      began: (error) => {
        logger.error('Store calls fail; they are tried again until the store answers.', error);
        observer.notify({ kind: 'store down', error });
      },
      ended: (downForMs) => {
        logger.log(`The store answers again, after ${downForMs} ms.`);
        observer.notify({ kind: 'store up', downForMs });
      },
    });
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
    this.completedAtMs = this.clock.monotonicMs();
    if (reply !== undefined) {
      const storeMs = reply.nowUs / 1000;
      this.watchClock({ leastMs: storeMs - reply.receivedAtMs, mostMs: storeMs - reply.sentAtMs });
    }
    this.lastCallFailed = false;
    this.lastError = null;
    this.episode.completed();
  }

  /** A store call has failed. */
  failed(error: unknown): void {
    this.lastCallFailed = true;
    this.lastError = error;
    this.episode.failed(error);
  }

  /** Sets no timer any more; an episode that has not ended by now is not said to be over. */
  close(): void {
    this.episode.close();
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
