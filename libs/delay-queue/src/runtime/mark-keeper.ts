import type { Clock } from '../core/clock.js';
import { QueueClosedError } from '../core/errors.js';
import type { IdempotencyStore, MarkClaim } from '../ports/idempotency-store.js';
import type { FailureEpisode } from './failure-episode.js';
import { WakeTimer } from './wake-timer.js';

/** What a mark keeper needs. */
export interface MarkKeeperParts {
  readonly store: IdempotencyStore;
  readonly clock: Clock;
  readonly failures: FailureEpisode;
}

/** A mark in progress that is kept from running out. */
export interface HeldMark {
  readonly key: string;
  readonly claim: MarkClaim;
  /** Somebody else has begun: called once, and the mark is not extended any more. */
  readonly onLost: () => void;
}

/** Longest wait after an extension that failed. */
const RETRY_MS = 1_000;

/** Extends marks in progress each time a third of their length is over, as leases are. */
export class MarkKeeper {
  /** When each mark is to be extended, on the monotonic clock. */
  private readonly dueAtMs = new Map<HeldMark, number>();
  private readonly timer: WakeTimer;
  private closed = false;

  constructor(private readonly parts: MarkKeeperParts) {
    this.timer = new WakeTimer(parts.clock, () => this.tick());
  }

  /** Begins to extend a mark that has just been begun. */
  hold(mark: HeldMark): void {
    if (!this.closed) this.setDue(mark, mark.claim.holdMs / 3);
  }

  /** Lets a mark run out. */
  release(mark: HeldMark): void {
    this.dueAtMs.delete(mark);
    if (this.dueAtMs.size === 0) this.timer.reset(null);
  }

  /** Lets all marks run out, and extends no other. */
  close(): void {
    this.closed = true;
    this.dueAtMs.clear();
    this.timer.reset(null);
  }

  private setDue(mark: HeldMark, afterMs: number): void {
    const atMs = this.parts.clock.monotonicMs() + afterMs;
    this.dueAtMs.set(mark, atMs);
    this.timer.fireBy(atMs);
  }

  private tick(): void {
    const nowMs = this.parts.clock.monotonicMs();
    const due = [...this.dueAtMs].filter(([, atMs]) => atMs <= nowMs);
    for (const [mark] of due) {
      this.setDue(mark, mark.claim.holdMs / 3);
      void this.extend(mark);
    }
    for (const atMs of this.dueAtMs.values()) this.timer.fireBy(atMs);
  }

  private async extend(mark: HeldMark): Promise<void> {
    try {
      const isOurs = await this.parts.store.extend(mark.key, mark.claim);
      this.parts.failures.succeeded();
      if (!isOurs && this.dueAtMs.has(mark)) {
        this.release(mark);
        mark.onLost();
      }
    } catch (error) {
      if (error instanceof QueueClosedError) this.close();
      else this.parts.failures.failed(error);
      if (this.dueAtMs.has(mark)) this.setDue(mark, Math.min(RETRY_MS, mark.claim.holdMs / 10));
    }
  }
}
