import type { Duration } from '../core/duration.js';
import type { TaskHeaders } from '../task/task-headers.js';
import type { TaskState, TaskStateOrNone } from '../task/task-state.js';

/** When a task is due: after a delay, or at a point in time. Exactly one of the two. */
export type ScheduleTime =
  | {
      /** From now on, by the store's clock: milliseconds, or a text such as `'30m'`; 0 runs at once. At most 100 years. */
      readonly delay: Duration;
      readonly at?: never;
    }
  | {
      /** A point in time, at most 100 years ahead; one that has passed runs at once. */
      readonly at: Date;
      readonly delay?: never;
    };

/** What a producer may say about a task beside its payload. */
export type ScheduleOptions = ScheduleTime & {
  /** 1 to 512 bytes of UTF-8, unique within the type. @default 21 random characters */
  readonly id?: string;
  /**
   * What happens when a task with this id is waiting or dead: `keep` leaves it as it is, `replace` puts the new one in
   * its place. A running one, and a done one within its dedupe window, always stay.
   *
   * @default 'keep'
   */
  readonly onDuplicate?: 'keep' | 'replace';
  /** Failures that are followed by another try, instead of the type's setting; 0 means one attempt. */
  readonly maxRetries?: number;
  /**
   * Texts beside the payload, such as a tenant or a request's id: handlers find them in `task.headers`. They count towards
   * the type's `payloadLimit`; names that begin with `delay-queue-` are taken.
   *
   * @default none
   */
  readonly headers?: TaskHeaders;
  /**
   * Waits until so many replicas have the task, at most `timeoutMs` (1 to 5,000), and says in the result how many did. It
   * narrows what a failover can lose, and does not close the gap: a replica may be promoted that was not among them.
   */
  readonly durability?: { readonly replicas: number; readonly timeoutMs: number };
};

/** One of the tasks of `scheduleMany`. */
export type ScheduleItem<Payload> = ScheduleOptions & { readonly payload: Payload };

/** What became of a call of `schedule`. */
export interface ScheduleResult {
  readonly id: string;
  /** `duplicate`: a task with this id was there already and stays as it was. */
  readonly status: 'created' | 'duplicate' | 'replaced';
  /** State of the task that now has the id. */
  readonly state: TaskState;
  /** When it is due, or its running delivery was; null for a done one. */
  readonly dueAt: Date | null;
  /** Replicas that have confirmed the task; only with `durability`, and possibly fewer than were asked for. */
  readonly replicas?: number;
}

/** What became of a call of `reschedule` or `runNow`. */
export interface RescheduleResult {
  /** `running`: it is too late, nothing was changed. `not_found`: no such task is waiting. */
  readonly status: 'rescheduled' | 'running' | 'not_found';
  readonly state: TaskStateOrNone;
  readonly dueAt: Date | null;
}

/** What became of a call of `cancel`. */
export interface CancelResult {
  /** `running`: it is too late, the task goes to its end, retries included. */
  readonly status: 'cancelled' | 'running' | 'not_found';
  readonly state: TaskStateOrNone;
}
