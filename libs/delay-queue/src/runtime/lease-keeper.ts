import type { Clock } from '../core/clock.js';
import type { SettleCode } from '../ports/settle.js';
import type { Run } from './run.js';
import { WakeTimer } from './wake-timer.js';

/** What a lease keeper needs. */
export interface LeaseKeeperParts {
  readonly clock: Clock;
  readonly leaseMs: number;
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

  add(run: Run): void {
    this.runs.add(run);
    if (run.isSuspect) this.suspects++;
    // Its lease is the youngest: what the timer waits for comes first.
    if (!this.timer.isSet) this.schedule();
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

  /** Asks for nothing any more. */
  close(): void {
    this.closed = true;
    this.timer.reset(null);
  }

  /** Whether leases are due for renewal. */
  get renewalDue(): boolean {
    if (this.extendAll) return this.runs.size > 0;
    return this.parts.clock.monotonicMs() - this.oldestLeasedAtMs >= this.parts.leaseMs / 3;
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

  /** A call that carried these runs, sent at `sentAtMs`, has been answered: tells whose lease another holds by now. */
  answered(runs: readonly Run[], codes: readonly SettleCode[], sentAtMs: number): readonly Run[] {
    this.renewed(
      runs.filter((_, index) => codes[index] === 'applied'),
      sentAtMs,
    );
    return runs.filter((run, index) => codes[index] !== 'applied' && !run.settled);
  }

  /** A call that was sent at `sentAtMs` has renewed these leases. */
  renewed(runs: readonly Run[], sentAtMs: number): void {
    for (const run of runs) {
      run.leasedAtMs = sentAtMs;
      if (this.runs.delete(run)) this.runs.add(run);
    }
    this.schedule();
  }

  private get oldestLeasedAtMs(): number {
    for (const run of this.runs) {
      // A settled run that goes on (its handler ignores the abort) has no lease to be renewed.
      if (!run.settled) return run.leasedAtMs;
    }
    return Infinity;
  }

  private schedule(): void {
    if (this.runs.size === 0 || this.closed) return;
    const nowMs = this.parts.clock.monotonicMs();
    const thirdMs = this.parts.leaseMs / 3;
    // What is due already has been asked for; the next look is for a call that did not get through.
    this.timer.fireBy(this.renewalDue ? nowMs + thirdMs : Math.min(this.oldestLeasedAtMs, nowMs) + thirdMs);
  }

  private tick(): void {
    if (this.renewalDue) this.parts.onDue();
    this.schedule();
  }
}
