/**
 * State of a task: `waiting` for its due time (also again, after a retry or a snooze), `running` under a lease, `dead`
 * in the dead letters, `done` within the dedupe window.
 */
export type TaskState = 'waiting' | 'running' | 'dead' | 'done';

/** A task's state, or `none` when nothing is known under its id. */
export type TaskStateOrNone = TaskState | 'none';
