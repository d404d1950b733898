import { isDeepStrictEqual } from 'node:util';
import { type Duration, parseDurationMs } from '../core/duration.js';
import { InvalidArgumentError } from '../core/errors.js';
import type { TaskView } from '../nest/task-view.js';
import type { PayloadOf, TaskType } from '../task/delayed-tasks.js';

/** What a test expects of a waiting task; what is left out may be anything. */
export interface ExpectedTask<Type extends string = TaskType> {
  readonly id?: string;
  /** Compared in depth. */
  readonly payload?: PayloadOf<Type>;
  /** When it is due. */
  readonly at?: Date;
  /** When it is due, from the present of the test's clock on. */
  readonly in?: Duration;
}

const KEYS: readonly string[] = ['id', 'payload', 'at', 'in'] satisfies (keyof ExpectedTask)[];

/**
 * Makes a check out of an expectation.
 *
 * @throws InvalidArgumentError naming what is not known, or no time.
 */
export function expectationOf(expected: ExpectedTask, nowMs: number): (task: TaskView) => boolean {
  const unknownKey = Object.keys(expected).find((key) => !KEYS.includes(key));
  if (unknownKey !== undefined)
    throw new InvalidArgumentError(unknownKey, `is not known here; there is ${KEYS.join(', ')}`);
  const { id, payload, at } = expected;
  const dueAtMs = at === undefined ? undefined : at.getTime();
  const inMs = expected.in === undefined ? undefined : Math.ceil(nowMs) + parseDurationMs(expected.in, 'in');
  return (task) =>
    (id === undefined || task.id === id) &&
    (payload === undefined || isDeepStrictEqual(task.payload, payload)) &&
    [dueAtMs, inMs].every((wantedMs) => wantedMs === undefined || task.dueAt?.getTime() === wantedMs);
}
