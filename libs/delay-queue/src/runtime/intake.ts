import type { PartitionRef } from '../core/partition.js';
import type { QueueLogger } from '../ports/queue-event.js';
import type { ClaimedTask, TurnReply } from '../ports/turn.js';
import type { Executor } from './executor.js';
import type { LeaseKeeper } from './lease-keeper.js';
import type { StuckWatch } from './stuck-watch.js';
import type { CallTimes } from './turn-loop.js';
import type { SlotUser, TypeSlots } from './type-slots.js';

/** What an intake is made of. */
export interface IntakeParts {
  readonly ref: PartitionRef;
  readonly leaseMs: number;
  readonly slots: TypeSlots;
  readonly user: SlotUser;
  readonly executor: Executor;
  readonly keeper: LeaseKeeper;
  readonly stuckWatch: StuckWatch;
  readonly logger: QueueLogger;
  readonly phase: () => 'new' | 'open' | 'draining' | 'closed';
}

/** Decides what becomes of the tasks of a claim: they are run here, or given back. */
export class Intake {
  constructor(private readonly parts: IntakeParts) {}

  /** Takes the tasks of a claim that was answered in time; their places are reserved. */
  take({ claimed, nowUs }: TurnReply, times: CallTimes): void {
    if (this.mayStart(times)) {
      this.start(claimed, nowUs, times);
      return;
    }
    this.parts.slots.release(claimed.length);
    this.giveBack(claimed, times);
  }

  /** Takes the tasks of a claim that had been given up; no places are reserved any more. */
  takeLate({ claimed, nowUs }: TurnReply, times: CallTimes): void {
    const { slots, user } = this.parts;
    const room = this.mayStart(times) ? slots.reserve(claimed.length, user) : 0;
    this.start(claimed.slice(0, room), nowUs, times);
    this.giveBack(claimed.slice(room), times);
  }

  /** When the lease is over already, somebody else may be running the tasks by now. */
  private mayStart({ sentAtMs, receivedAtMs }: CallTimes): boolean {
    return this.parts.phase() === 'open' && receivedAtMs - sentAtMs < this.parts.leaseMs;
  }

  private start(tasks: readonly ClaimedTask[], nowUs: number, times: CallTimes): void {
    if (tasks.length === 0) return;
    const { executor, keeper, stuckWatch } = this.parts;
    const storeOffsetMs = nowUs / 1000 - (times.sentAtMs + times.receivedAtMs) / 2;
    const runs = tasks.map((claimed) => executor.prepare({ claimed, leasedAtMs: times.sentAtMs }));
    for (const run of runs) keeper.add(run);
    for (const run of runs) executor.start(run, storeOffsetMs);
    stuckWatch.handlersStarted();
  }

  /** Tells the store that these tasks are not run here; when it is too late for that, tells whoever reads the log. */
  private giveBack(tasks: readonly ClaimedTask[], { sentAtMs }: CallTimes): void {
    if (tasks.length === 0) return;
    const { executor, logger, ref } = this.parts;
    if (this.parts.phase() === 'closed') {
      const what = `${tasks.length} tasks of '${ref.type}' were claimed while the queue closed`;
      logger.warn(`${what}; they are delivered again when their lease is over.`);
      return;
    }
    for (const claimed of tasks) {
      const run = executor.prepare({ claimed, leasedAtMs: sentAtMs });
      if (!run.settled) executor.release(run);
    }
  }
}
