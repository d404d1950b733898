import type { PayloadOf, TaskType } from '../task/delayed-tasks.js';

/** One run of a handler: one delivery of a task, with what became of it. Times are those of the test's clock. */
export interface TaskRun<Type extends string = TaskType> {
  readonly type: Type;
  readonly id: string;
  readonly payload: PayloadOf<Type>;
  /** `Class.method`. */
  readonly handler: string;
  /** How often the task has been delivered, this time included: 1 for the first. */
  readonly delivery: number;
  readonly dueAt: Date;
  readonly startedAt: Date;
  /**
   * `running` until it is decided. `skipped` is complete without its handler, whose work was done before (`@Idempotent`).
   * `retried` and `snoozed` wait again, `buried` is a dead letter, `released` was given back because the application closed,
   * `lost` was taken over by another holder.
   */
  readonly outcome: 'running' | 'completed' | 'skipped' | 'retried' | 'snoozed' | 'buried' | 'released' | 'lost';
  /** When the outcome was decided. */
  readonly endedAt: Date | null;
  /** When the task is due again, after `retried` and `snoozed`. */
  readonly nextDueAt: Date | null;
  /** What a failed handler threw, as a text; it may be empty. */
  readonly error: string | null;
  /** Why the task is a dead letter. */
  readonly reason: string | null;
}
