import type { TaskState } from '../task/task-state.js';

/** Everything that the store knows of one task. */
export interface TaskRecord {
  readonly id: string;
  readonly state: TaskState;
  /** Null for a done task, of which only the mark is left. */
  readonly envelope: string | null;
  /** Null for a done task. */
  readonly dueAtMs: number | null;
  readonly deliveries: number;
  readonly failures: number;
  readonly lostLeases: number;
  readonly redrives: number;
  /** End of a running task's lease, else null. */
  readonly leaseUntilMs: number | null;
  /** When a dead task died, else null. */
  readonly deadAtMs: number | null;
  /** Why a dead task died, else null. */
  readonly reason: string | null;
  /** The last error of a dead task, else null. */
  readonly error: string | null;
  /** End of a done task's dedupe window, else null. */
  readonly doneUntilMs: number | null;
}

/** States whose tasks can be listed. */
export type ListableState = 'waiting' | 'running' | 'dead';

/** One page of a partition's tasks. */
export interface ListRequest {
  readonly state: ListableState;
  /** Tasks to pass over, in order of due time, lease end or death; ties by the bytes of the id. */
  readonly offset: number;
  /** 1 to `MAX_TASKS_PER_CALL`. */
  readonly limit: number;
}

/** Counts of one partition. */
export interface PartitionStats {
  readonly nowUs: number;
  readonly waiting: number;
  /** Waiting tasks whose due time has passed. */
  readonly overdue: number;
  readonly running: number;
  readonly dead: number;
  readonly done: number;
  readonly paused: boolean;
  /** Due time of the first waiting task, or null. */
  readonly nextDueAtMs: number | null;
}
