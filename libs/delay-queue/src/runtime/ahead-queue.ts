import type { Clock } from '../core/clock.js';
import { HORIZON_MS, Pace } from './pace.js';
import type { Run } from './run.js';
import { WakeTimer } from './wake-timer.js';

/** Most tasks that wait here, for each handler that may run at once. */
const MAX_PER_SLOT = 3;

/**
 * How often it is looked whether tasks move on. One that is met by two looks is given back, with all others: the handlers
 * have turned slow. (By one look alone, an event loop that was blocked for a moment would be taken for slow handlers.)
 */
export const LOOK_MS = 2.5 * HORIZON_MS;

/** A claimed task whose handler has not been started. */
export interface AheadTask {
  readonly run: Run;
  /** The store's time less the monotonic time of this process, at the claim. */
  readonly storeOffsetMs: number;
  /** Since when it waits here, on the monotonic clock. */
  readonly sinceMs: number;
}

/** What an ahead queue is made of. */
export interface AheadQueueParts {
  readonly clock: Clock;
  readonly concurrency: number;
  /** Tasks have waited too long: they should be given back. */
  readonly onSlow: () => void;
}

/**
 * Holds tasks that are claimed and not yet started: the next ones, when handlers end faster than the store can be asked.
 *
 * No more of them than are started within about 10 ms, and none when a handler takes longer than that: they would only be
 * kept from processes that have time for them.
 */
export class AheadQueue {
  private readonly pace: Pace;
  private readonly timer: WakeTimer;
  /** A queue whose head moves, so that taking the first of many moves nothing. */
  private tasks: AheadTask[] = [];
  private head = 0;
  private lookedAtMs = -Infinity;

  constructor(private readonly parts: AheadQueueParts) {
    this.pace = new Pace(parts.clock);
    this.timer = new WakeTimer(parts.clock, () => this.look());
  }

  get size(): number {
    return this.tasks.length - this.head;
  }

  /** How many tasks more may be claimed than can be started at once; for `kept` of those that wait there are places. */
  room(kept = 0): number {
    const { concurrency } = this.parts;
    const soon = this.pace.measure();
    // By Little's law, handlers that end slower than this take longer than the horizon.
    if (soon < concurrency) return 0;
    return Math.max(0, Math.min(Math.floor(soon), MAX_PER_SLOT * concurrency) - Math.max(0, this.size - kept));
  }

  handlerEnded(): void {
    this.pace.handlerEnded();
  }

  add(task: AheadTask): void {
    this.tasks.push(task);
  }

  /** Takes the one that has waited longest. */
  shift(): AheadTask | null {
    const task = this.tasks[this.head];
    if (task === undefined) return null;
    this.head++;
    if (this.head === this.tasks.length) this.clear();
    return task;
  }

  /** Looks after what could not be started at once. */
  watch(): void {
    if (this.size > 0 && !this.timer.isSet) this.timer.fireBy(this.parts.clock.monotonicMs() + LOOK_MS);
  }

  /** Takes all of them. */
  takeAll(): readonly AheadTask[] {
    const all = this.tasks.slice(this.head);
    this.clear();
    return all;
  }

  close(): void {
    this.clear();
    this.timer.reset(null);
  }

  private look(): void {
    const first = this.tasks[this.head];
    if (first === undefined) return;
    if (first.sinceMs < this.lookedAtMs) {
      this.parts.onSlow();
      return;
    }
    this.lookedAtMs = this.parts.clock.monotonicMs();
    this.watch();
  }

  private clear(): void {
    this.tasks = [];
    this.head = 0;
  }
}
