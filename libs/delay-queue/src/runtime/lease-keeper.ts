import type { Clock } from '../core/clock.js';
import type { QueueObserver } from '../ports/queue-event.js';
import type { StuckHandler } from './queue-health.js';
import { describe, type Run } from './run.js';
import { WakeTimer } from './wake-timer.js';

/** A handler that has not ended so long after its signal was aborted ignores it. */
export const ABORT_GRACE_MS = 1_000;

/** What a lease keeper needs. */
export interface LeaseKeeperParts {
  readonly clock: Clock;
  readonly leaseMs: number;
  readonly stuckAfterMs: number;
  readonly observer: QueueObserver;
  /** A lease is a third over: a call that carries {@link LeaseKeeper.take} should be sent. */
  readonly onDue: () => void;
}

/**
 * Knows the runs of a lane and when their leases must be renewed: together, when the oldest is a third over.
 *
 * Whatever call is composed after that moment carries the extensions, in front of its claim: a process whose event loop
 * hung must not take its own running tasks away from itself.
 */
export class LeaseKeeper {
  /** In order of `leasedAtMs`: a renewed run goes to the end. */
  private readonly runs = new Set<Run>();
  private readonly timer: WakeTimer;
  private suspects = 0;
  private extendAll = false;
  private closed = false;

  constructor(private readonly parts: LeaseKeeperParts) {
    this.timer = new WakeTimer(parts.clock, () => this.tick());
  }

  get size(): number {
    return this.runs.size;
  }

  get runsSuspect(): boolean {
    return this.suspects > 0;
  }

  [Symbol.iterator](): Iterator<Run> {
    return this.runs.values();
  }

  /** Handlers that were reported as stuck and have not ended since. */
  get stuck(): readonly StuckHandler[] {
    const nowMs = this.parts.clock.monotonicMs();
    const runs = [...this.runs].filter(({ reportedStuck }) => reportedStuck);
    return runs.map(({ type, id, startedAtMs }) => ({ type, id, runningForMs: nowMs - startedAtMs }));
  }

  add(run: Run): void {
    this.runs.add(run);
    if (run.isSuspect) this.suspects++;
    this.schedule();
  }

  remove(run: Run): void {
    if (!this.runs.delete(run)) return;
    if (run.isSuspect) this.suspects--;
    if (this.runs.size === 0) this.timer.reset(null);
  }

  /** The next call renews every lease, whatever its age. */
  renewAll(): void {
    this.extendAll = true;
  }

  /** An abort was ordered: looks soon whether the handler obeys. */
  watchAbort(): void {
    if (this.closed) return;
    this.timer.fireBy(this.parts.clock.monotonicMs() + ABORT_GRACE_MS);
  }

  /** Renews and reports nothing any more. */
  close(): void {
    this.closed = true;
    this.timer.reset(null);
  }

  /** Whether leases are due for renewal. */
  get renewalDue(): boolean {
    if (this.extendAll) return this.runs.size > 0;
    return this.oldestAgeMs() >= this.parts.leaseMs / 3;
  }

  /** Runs whose leases the next call should renew; oldest first, at most `limit`. */
  take(limit: number): readonly Run[] {
    if (!this.renewalDue) return [];
    const nowMs = this.parts.clock.monotonicMs();
    // Leases that are not quite due come along, so that a lane renews in few large calls.
    const minAgeMs = this.extendAll ? -Infinity : this.parts.leaseMs / 6;
    const taken: Run[] = [];
    for (const run of this.runs) {
      if (taken.length >= limit || nowMs - run.leasedAtMs < minAgeMs) break;
      if (!run.settled) taken.push(run);
    }
    // What did not fit is asked for again by the next call.
    if (taken.length < limit) this.extendAll = false;
    return taken;
  }

  /** A call that was sent at `sentAtMs` has renewed these leases. */
  renewed(runs: readonly Run[], sentAtMs: number): void {
    for (const run of runs) {
      run.leasedAtMs = sentAtMs;
      if (this.runs.delete(run)) this.runs.add(run);
    }
    this.schedule();
  }

  private oldestAgeMs(): number {
    const nowMs = this.parts.clock.monotonicMs();
    for (const run of this.runs) {
      // A settled run that goes on (its handler ignores the abort) has no lease to be renewed.
      if (!run.settled) return nowMs - run.leasedAtMs;
    }
    return -Infinity;
  }

  private schedule(): void {
    if (this.runs.size === 0 || this.closed) return;
    this.timer.fireBy(this.parts.clock.monotonicMs() + this.parts.leaseMs / 3);
  }

  private tick(): void {
    this.reportStuck();
    if (this.renewalDue) this.parts.onDue();
    this.schedule();
  }

  private reportStuck(): void {
    const nowMs = this.parts.clock.monotonicMs();
    for (const run of this.runs) {
      if (run.reportedStuck || !this.isStuck(run, nowMs)) continue;
      run.reportedStuck = true;
      this.parts.observer.notify({ kind: 'stuck', ...describe(run), runningForMs: nowMs - run.startedAtMs });
    }
  }

  private isStuck(run: Run, nowMs: number): boolean {
    if (run.abortCause !== null) return nowMs - run.abortedAtMs >= ABORT_GRACE_MS;
    return nowMs - run.startedAtMs >= this.parts.stuckAfterMs;
  }
}
