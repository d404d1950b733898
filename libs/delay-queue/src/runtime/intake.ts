import type { Clock } from '../core/clock.js';
import type { PartitionRef } from '../core/partition.js';
import type { ResolvedTypeOptions } from '../options/resolved-options.js';
import type { QueueLogger } from '../ports/queue-event.js';
import type { ClaimedTask, TurnReply } from '../ports/turn.js';
import { AheadQueue } from './ahead-queue.js';
import type { ClaimsUnderWay } from './claims-under-way.js';
import type { Executor } from './executor.js';
import type { LeaseKeeper } from './lease-keeper.js';
import type { StuckWatch } from './stuck-watch.js';
import type { CallTimes } from './turn-loop.js';
import type { SlotUser, TypeSlots } from './type-slots.js';

/** What an intake is made of. */
export interface IntakeParts {
  readonly ref: PartitionRef;
  readonly settings: ResolvedTypeOptions;
  readonly clock: Clock;
  readonly slots: TypeSlots;
  readonly user: SlotUser;
  readonly executor: Executor;
  readonly keeper: LeaseKeeper;
  readonly stuckWatch: StuckWatch;
  readonly claims: ClaimsUnderWay;
  readonly logger: QueueLogger;
  readonly phase: () => 'new' | 'open' | 'draining' | 'closed';
}

/** Decides what becomes of the tasks of a claim: they are run here, now or in a moment, or given back. */
export class Intake {
  private readonly ahead: AheadQueue;
  private starting = false;
  /** Places that are reserved for tasks that wait here. */
  private kept = 0;

  constructor(private readonly parts: IntakeParts) {
    const { clock, slots } = parts;
    this.ahead = new AheadQueue({ clock, concurrency: slots.size, onSlow: () => this.giveBackWaiting() });
  }

  /** Tasks that are claimed and not yet started. */
  get waiting(): number {
    return this.ahead.size;
  }

  /** How many tasks may be claimed beyond the free places. */
  get aheadRoom(): number {
    return this.parts.slots.isSuspended ? 0 : Math.max(0, this.ahead.room(this.kept) - this.parts.claims.ahead);
  }

  /**
   * Takes what a claim has brought in time, for which `reserved` places are kept.
   *
   * @returns whether there is anything to start: {@link startTaken} does.
   */
  take(reply: TurnReply, times: CallTimes, reserved: number): boolean {
    if (!this.mayStart(times)) {
      this.parts.slots.release(reserved);
      this.giveBack(reply.claimed, times);
      return false;
    }
    this.add(reply, times);
    this.kept = reserved;
    return true;
  }

  /** Starts what was taken, after those that have been waiting, in the places that are kept. */
  startTaken({ paused }: TurnReply): void {
    const begun = Math.min(this.kept, this.ahead.size);
    let unused = this.kept - begun;
    this.kept = 0;
    this.starting = true;
    for (let place = 0; place < begun; place++) {
      // One that was started here may have had the type suspended, and the others given back.
      if (!this.startFirst()) unused++;
    }
    this.starting = false;
    this.parts.slots.release(unused);
    this.startWaiting();
    if (paused) this.giveBackWaiting();
  }

  /** Takes the tasks of a claim that had been given up; no places are kept any more. */
  takeLate(reply: TurnReply, times: CallTimes): void {
    const { slots } = this.parts;
    const room = this.mayStart(times) ? Math.max(0, slots.free - this.ahead.size) : 0;
    this.add({ claimed: reply.claimed.slice(0, room), nowUs: reply.nowUs }, times);
    this.startWaiting();
    this.giveBack(reply.claimed.slice(room), times);
  }

  handlerEnded(): void {
    this.ahead.handlerEnded();
  }

  /** Starts what waits here, as far as there are places; while the type is suspended, gives it back. */
  startWaiting(): void {
    if (this.parts.slots.isSuspended) this.giveBackWaiting();
    // A handler that ends at once frees its place again: the loop below goes on, and not one inside another.
    if (this.starting) return;
    this.starting = true;
    while (this.ahead.size > 0 && this.parts.slots.reserve(1, this.parts.user) === 1) this.startFirst();
    this.starting = false;
    this.ahead.watch();
  }

  /** Gives back what has not been started. */
  giveBackWaiting(): void {
    const { executor, keeper } = this.parts;
    for (const { run } of this.ahead.takeAll()) {
      keeper.remove(run);
      if (!run.settled) executor.release(run);
    }
  }

  close(): void {
    this.ahead.close();
  }

  /** When the lease is over already, somebody else may be running the tasks by now. */
  private mayStart({ sentAtMs, receivedAtMs }: CallTimes): boolean {
    return this.parts.phase() === 'open' && receivedAtMs - sentAtMs < this.parts.settings.leaseMs;
  }

  private add({ claimed, nowUs }: Pick<TurnReply, 'claimed' | 'nowUs'>, times: CallTimes): void {
    const { executor, keeper } = this.parts;
    const storeOffsetMs = nowUs / 1000 - (times.sentAtMs + times.receivedAtMs) / 2;
    for (const task of claimed) {
      const run = executor.prepare({ claimed: task, leasedAtMs: times.sentAtMs });
      keeper.add(run);
      this.ahead.add({ run, storeOffsetMs, sinceMs: times.receivedAtMs });
    }
  }

  private startFirst(): boolean {
    const task = this.ahead.shift();
    if (task === null) return false;
    this.parts.executor.start(task.run, task.storeOffsetMs);
    this.parts.stuckWatch.handlerStarted(task.run);
    return true;
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
