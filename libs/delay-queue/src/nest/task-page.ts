import { InvalidArgumentError } from '../core/errors.js';
import type { TaskType } from '../task/delayed-tasks.js';
import type { TaskView } from './task-view.js';

/** Which page of a list to read. */
export interface PageOptions {
  /** `nextCursor` of the page before. @default the first page */
  readonly cursor?: string | null;
  /** Most tasks on the page, 1 to 500. @default 100 */
  readonly limit?: number;
}

/** One page of a list. */
export interface TaskPage<Type extends string = TaskType> {
  /** May be empty, also on a page that is not the first. */
  readonly items: readonly TaskView<Type>[];
  /** Give it to the next call; null when there is no more. */
  readonly nextCursor: string | null;
}

/** Where a page begins: so many tasks into a partition. */
export interface PagePosition {
  readonly partition: number;
  readonly offset: number;
}

/** Where a page begins, and how long it is. */
export interface PageRequest extends PagePosition {
  readonly limit: number;
}

const DEFAULT_LIMIT = 100;

/** As many as one store call brings. */
const MAX_LIMIT = 500;

/** Two whole numbers that stay exact as JavaScript numbers. */
const CURSOR = /^(\d{1,3}):(\d{1,15})$/;

/**
 * Checks the options of a list call.
 *
 * @throws InvalidArgumentError naming the option.
 */
export function readPageOptions(options: PageOptions, partitions: number): PageRequest {
  if (typeof options !== 'object' || options === null) throw new InvalidArgumentError('options', 'must be an object');
  const unknownKey = Object.keys(options).find((key) => key !== 'cursor' && key !== 'limit');
  if (unknownKey !== undefined) throw new InvalidArgumentError(unknownKey, 'is not known here; there is cursor, limit');
  const { cursor, limit = DEFAULT_LIMIT } = options;
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw new InvalidArgumentError('limit', `must be a whole number from 1 to ${MAX_LIMIT}`);
  }
  return { ...readCursor(cursor ?? '0:0', partitions), limit };
}

/** Writes down where the next page begins. */
export function writeCursor({ partition, offset }: PagePosition): string {
  return `${partition}:${offset}`;
}

function readCursor(cursor: unknown, partitions: number): PagePosition {
  const parts = typeof cursor === 'string' ? CURSOR.exec(cursor) : null;
  const partition = Number(parts?.[1]);
  if (parts === null || partition >= partitions) {
    throw new InvalidArgumentError('cursor', 'must be the `nextCursor` of an earlier page of this type');
  }
  return { partition, offset: Number(parts[2]) };
}
