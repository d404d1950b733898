import type { QueueEvent } from '../ports/queue-event.js';
import type { Settle, SettleCode } from '../ports/settle.js';
import { describe, type Run } from './run.js';

/** A decided outcome on its way to the store. */
export interface PendingSettle {
  readonly run: Run;
  readonly settle: Settle;
  /** Told when the store has confirmed it. */
  readonly event: QueueEvent | null;
  /** It was sent before and no answer came: `gone` or `stale` may then be the trace of its own first sending. */
  maybeApplied: boolean;
}

/** Outcomes that wait to be sent, and go on waiting until the store has answered. */
export class SettleBuffer {
  private waiting: PendingSettle[] = [];
  private sent = 0;

  /** Outcomes that the store has not answered yet. */
  get size(): number {
    return this.waiting.length + this.sent;
  }

  /** Outcomes that have not been sent. */
  get unsent(): number {
    return this.waiting.length;
  }

  add(pending: PendingSettle): void {
    this.waiting.push(pending);
  }

  /** Takes the oldest ones for a call; each batch is given to {@link answered} or {@link putBack}. */
  take(limit: number): readonly PendingSettle[] {
    const batch = this.waiting.length <= limit ? this.waiting : this.waiting.slice(0, limit);
    this.waiting = this.waiting.length <= limit ? [] : this.waiting.slice(limit);
    this.sent += batch.length;
    return batch;
  }

  /** The store has answered a batch. */
  answered(batch: readonly PendingSettle[]): void {
    this.sent -= batch.length;
  }

  /** No answer came: the batch goes first next time. */
  putBack(batch: readonly PendingSettle[], maybeApplied: boolean): void {
    this.sent -= batch.length;
    for (const pending of batch) pending.maybeApplied ||= maybeApplied;
    this.waiting = [...batch, ...this.waiting];
  }
}

/** The event that tells what an answer means, or null when there is nothing to tell. */
export function eventOfAnswer(pending: PendingSettle, code: SettleCode): QueueEvent | null {
  switch (code) {
    case 'applied':
      return pending.event;
    case 'gone':
    case 'stale':
      return { kind: pending.maybeApplied ? 'settle unknown' : 'lease lost', ...describe(pending.run) };
    default:
      return code satisfies never;
  }
}
