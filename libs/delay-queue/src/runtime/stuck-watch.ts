import type { Clock } from '../core/clock.js';
import type { QueueObserver } from '../ports/queue-event.js';
import type { StuckHandler } from './queue-health.js';
import { describe, type Run } from './run.js';
import { WakeTimer } from './wake-timer.js';

/** A handler that has not ended so long after its signal was aborted ignores it. */
export const ABORT_GRACE_MS = 1_000;

/** What a stuck watch is made of. */
export interface StuckWatchParts {
  readonly clock: Clock;
  readonly stuckAfterMs: number;
  readonly observer: QueueObserver;
  /** The runs whose handlers have not ended. */
  readonly runs: Iterable<Run>;
}

/** Reports handlers that run far too long, or go on after their signal was aborted: each once, when it is so. */
export class StuckWatch {
  private readonly timer: WakeTimer;
  private closed = false;

  constructor(private readonly parts: StuckWatchParts) {
    this.timer = new WakeTimer(parts.clock, () => this.look());
  }

  /** Handlers that were reported and have not ended since. */
  get stuck(): readonly StuckHandler[] {
    const nowMs = this.parts.clock.monotonicMs();
    const runs = [...this.parts.runs].filter(({ reportedStuck }) => reportedStuck);
    return runs.map(({ type, id, startedAtMs }) => ({ type, id, runningForMs: nowMs - startedAtMs }));
  }

  /** The handler of this run has been started. */
  handlerStarted({ startedAtMs }: Run): void {
    this.lookBy(startedAtMs + this.parts.stuckAfterMs);
  }

  /** An abort was ordered: looks soon whether the handler obeys. */
  handlerAborted(): void {
    this.lookBy(this.parts.clock.monotonicMs() + ABORT_GRACE_MS);
  }

  /** Reports nothing any more. */
  close(): void {
    this.closed = true;
    this.timer.reset(null);
  }

  private lookBy(atMs: number): void {
    if (!this.closed) this.timer.fireBy(atMs);
  }

  private look(): void {
    const nowMs = this.parts.clock.monotonicMs();
    for (const run of this.parts.runs) {
      // A run whose handler has not been started waits to be, aborted or not.
      if (run.reportedStuck || run.startedAtMs === Infinity) continue;
      const stuckAtMs = this.stuckAtMs(run);
      if (stuckAtMs > nowMs) this.timer.fireBy(stuckAtMs);
      else this.report(run, nowMs);
    }
  }

  private stuckAtMs({ startedAtMs, abortCause, abortedAtMs }: Run): number {
    return abortCause === null ? startedAtMs + this.parts.stuckAfterMs : abortedAtMs + ABORT_GRACE_MS;
  }

  private report(run: Run, nowMs: number): void {
    run.reportedStuck = true;
    this.parts.observer.notify({ kind: 'stuck', ...describe(run), runningForMs: nowMs - run.startedAtMs });
  }
}
