import type { DelayedTask } from '../task/delayed-task.js';

/** The function that runs the tasks of one type. */
export interface TaskHandler {
  readonly type: string;
  /** `Class.method`, for errors and log lines. */
  readonly name: string;
  /** Called once for each delivery; may return a `TaskOutcome`, a promise of one, or anything else for "done". */
  run(task: DelayedTask<string>): unknown;
}
