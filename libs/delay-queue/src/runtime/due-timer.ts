import type { Clock } from '../core/clock.js';
import { WakeTimer } from './wake-timer.js';

/** What a reply of the store tells of a partition's next due time. */
export interface DueKnowledge {
  readonly armed: boolean;
  readonly nextAtMs: number | null;
  readonly nowUs: number;
}

/**
 * Fires when something falls due in a partition, as far as is known.
 *
 * Each reply tells when that is; one to a call that was sent before a change (a wake, another turn) may only bring the
 * time forward, because it knows nothing of the change.
 */
export class DueTimer {
  private readonly timer: WakeTimer;
  private changes = 0;

  constructor(clock: Clock, onDue: () => void) {
    this.timer = new WakeTimer(clock, onDue);
  }

  /** Where the changes stand; to be noted when a call is sent, and given to {@link learned} with its reply. */
  get changeCount(): number {
    return this.changes;
  }

  /** Something may be due earlier than known. */
  changed(): number {
    return ++this.changes;
  }

  /** Takes over what a reply tells. */
  learned(
    { armed, nextAtMs, nowUs }: DueKnowledge,
    { changesAtSend, receivedAtMs }: { readonly changesAtSend: number; readonly receivedAtMs: number },
  ): void {
    // The delay is the difference of two times of the store, so this process's own clock does not matter.
    const waitMs = armed && nextAtMs !== null ? nextAtMs - nowUs / 1000 : null;
    const atMs = waitMs === null ? null : receivedAtMs + Math.max(0, waitMs);
    if (changesAtSend === this.changes) this.timer.reset(atMs);
    else if (atMs !== null) this.timer.fireBy(atMs);
  }

  /** Fires no more, unless it learns something new. */
  forget(): void {
    this.timer.reset(null);
  }
}
