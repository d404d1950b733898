import type { Clock, ClockTimer } from '../core/clock.js';

/**
 * An outage is over when calls have completed and none has failed for so long: twice the longest pause between the calls
 * of a lane. A server that refuses writes answers reads, so calls complete and fail by turns while the trouble lasts.
 */
export const QUIET_MS = 2_000;

/** Who is told of an outage. */
export interface OutageListener {
  began(error: unknown): void;
  /** Called once it is certain, with the time from the first failure to the first of the calls that completed again. */
  ended(downForMs: number): void;
}

/**
 * Makes one outage of calls that fail and complete, however long it lasts.
 *
 * ```
 * well ──failed──▶ failing ──completed──▶ calming ──quiet for 2 s──▶ well
 *                     ▲─────────failed───────┘
 * ```
 */
export class OutageEpisode {
  private sinceMs: number | null = null;
  private calming: ClockTimer | null = null;
  private closed = false;

  constructor(
    private readonly clock: Clock,
    private readonly listener: OutageListener,
  ) {}

  completed(): void {
    if (this.sinceMs === null || this.calming !== null || this.closed) return;
    const downForMs = Math.round(this.clock.monotonicMs() - this.sinceMs);
    this.calming = this.clock.setTimer(() => this.end(downForMs), QUIET_MS);
  }

  failed(error: unknown): void {
    this.calming?.cancel();
    this.calming = null;
    if (this.sinceMs !== null) return;
    this.sinceMs = this.clock.monotonicMs();
    this.listener.began(error);
  }

  /** Sets no timer any more; an outage that has not ended by now is not said to be over. */
  close(): void {
    this.closed = true;
    this.calming?.cancel();
  }

  private end(downForMs: number): void {
    this.calming = null;
    this.sinceMs = null;
    this.listener.ended(downForMs);
  }
}
