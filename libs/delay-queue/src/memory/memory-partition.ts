import type { TaskStateOrNone } from '../task/task-state.js';
import { MarkTable } from './mark-table.js';
import { TimingWheel } from './timing-wheel.js';

/** What is known of a task from its first delivery on. */
export interface Run {
  /** Fence of the latest claim, which alone may settle; 0 after a redrive. */
  readonly fence: number;
  readonly deliveries: number;
  readonly failures: number;
  /** Leases lost in a row. */
  readonly lostLeases: number;
  readonly redrives: number;
  /** Due time of the latest delivery. */
  readonly dueAtMs: number;
}

/** What is kept of a dead task. */
export interface DeadLetter {
  readonly envelope: string;
  readonly reason: string;
  readonly error: string;
  readonly deliveries: number;
  readonly failures: number;
  readonly lostLeases: number;
  readonly redrives: number;
  readonly dueAtMs: number;
}

/** Who watches the partition's next due time. */
export interface Arm {
  readonly holder: string;
  /** The time the holder's timer is set to, or null when nothing is due. */
  readonly armedDueMs: number | null;
  readonly heldUntilMs: number;
}

/** Everything of one partition; each field has a Redis key as its counterpart. */
export class MemoryPartition {
  /** Waiting tasks, by due time. */
  readonly due = new TimingWheel();
  /** Running tasks, by the end of their lease. */
  readonly leased = new TimingWheel();
  /** Dead tasks, by time of death. */
  readonly dead = new TimingWheel();
  /** Done tasks, by the end of their dedupe window. */
  readonly done = new TimingWheel();
  /** Envelopes of waiting and running tasks. */
  readonly envelopes = new Map<string, string>();
  readonly runs = new Map<string, Run>();
  readonly graves = new Map<string, DeadLetter>();
  /** Done marks of lives, by `ownMarkName`. */
  readonly marks = new MarkTable();
  /** The last fence drawn; null before the partition's epoch has begun. */
  fence: number | null = null;
  paused = false;
  arm: Arm | null = null;

  stateOf(id: string, nowMs: number): TaskStateOrNone {
    if (this.leased.has(id)) return 'running';
    if (this.due.has(id)) return 'waiting';
    if (this.dead.has(id)) return 'dead';
    const doneUntilMs = this.done.timeOf(id);
    return doneUntilMs !== undefined && doneUntilMs > nowMs ? 'done' : 'none';
  }

  /** Due time of a waiting task, of the current delivery of a running one, of the last of a dead one; else null. */
  dueOf(id: string): number | null {
    if (this.leased.has(id)) return this.runs.get(id)?.dueAtMs ?? null;
    return this.due.timeOf(id) ?? this.graves.get(id)?.dueAtMs ?? null;
  }

  /** Earliest due time or end of a lease; null when there is none, or when the partition is paused. */
  nextAtMs(): number | null {
    return this.paused ? null : this.headMs();
  }

  /** Earliest due time or end of a lease, also of a paused partition. */
  headMs(): number | null {
    const dueMs = this.due.earliestMs();
    const leaseMs = this.leased.earliestMs();
    if (dueMs === null || leaseMs === null) return dueMs ?? leaseMs;
    return Math.min(dueMs, leaseMs);
  }

  /** Forgets a waiting or running task. */
  remove(id: string): void {
    this.due.delete(id);
    this.leased.delete(id);
    this.envelopes.delete(id);
    this.runs.delete(id);
  }

  /** Forgets a dead letter. */
  removeDead(id: string): void {
    this.dead.delete(id);
    this.graves.delete(id);
  }

  /** Turns a running task into a dead letter. */
  bury(id: string, death: { run: Run; reason: string; error: string; nowMs: number }): void {
    const { run, reason, error, nowMs } = death;
    const { deliveries, failures, lostLeases, redrives, dueAtMs } = run;
    const envelope = this.envelopes.get(id) ?? '';
    this.remove(id);
    this.graves.set(id, { envelope, reason, error, deliveries, failures, lostLeases, redrives, dueAtMs });
    this.dead.set(id, nowMs);
  }
}
