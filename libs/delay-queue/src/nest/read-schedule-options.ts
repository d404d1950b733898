import { types } from 'node:util';
import { MAX_DELAY_MS, parseDurationMs } from '../core/duration.js';
import { InvalidArgumentError } from '../core/errors.js';
import { assertTaskId, newTaskId } from '../core/ids.js';
import type { DueTime, Durability } from '../ports/mutation.js';
import type { TaskOverrides } from '../task/envelope.js';
import { readTaskHeaders, type TaskHeaders } from '../task/task-headers.js';

/** Checked options of a new task. */
export interface ReadScheduleOptions {
  readonly id: string;
  readonly due: DueTime;
  readonly onDuplicate: 'keep' | 'replace';
  readonly overrides: TaskOverrides;
  readonly headers: TaskHeaders;
  readonly durability: Durability | undefined;
}

const TIME_KEYS: ReadonlySet<string> = new Set(['delay', 'at']);
const SCHEDULE_KEYS: ReadonlySet<string> = new Set([
  ...TIME_KEYS,
  'id',
  'onDuplicate',
  'maxRetries',
  'headers',
  'durability',
]);
const ITEM_KEYS: ReadonlySet<string> = new Set([...SCHEDULE_KEYS, 'payload']);

/** A call that waits for replicas holds back those for the same partition, and a replica that lags longer will not catch up. */
const MAX_DURABILITY_MS = 5_000;

const NO_OVERRIDES: TaskOverrides = {};

/**
 * Checks the options of `schedule`.
 *
 * @param nowMs the process's clock, in milliseconds since the epoch.
 * @throws InvalidArgumentError naming the option.
 */
export function readScheduleOptions(options: unknown, nowMs: number): ReadScheduleOptions {
  return readTaskOptions(asRecord(options, SCHEDULE_KEYS, 'options'), nowMs);
}

/**
 * Checks one item of `scheduleMany`, except for its payload.
 *
 * @param nowMs the process's clock, in milliseconds since the epoch.
 * @throws InvalidArgumentError naming the option, or nothing when it is about the item as such: see `itemError`.
 */
export function readScheduleItem(item: unknown, nowMs: number): ReadScheduleOptions {
  return readTaskOptions(asRecord(item, ITEM_KEYS, ''), nowMs);
}

/**
 * Checks the options of `reschedule`.
 *
 * @param nowMs the process's clock, in milliseconds since the epoch.
 * @throws InvalidArgumentError naming the option.
 */
export function readScheduleTime(options: unknown, nowMs: number): DueTime {
  return readDueTime(asRecord(options, TIME_KEYS, 'options'), nowMs);
}

type OptionRecord = Readonly<Record<string, unknown>>;

function asRecord(options: unknown, known: ReadonlySet<string>, field: string): OptionRecord {
  if (typeof options !== 'object' || options === null) {
    const problem = `must be an object with \`delay\` or \`at\`, got ${options === null ? 'null' : typeof options}`;
    throw new InvalidArgumentError(field, problem);
  }
  for (const key in options) {
    if (known.has(key) || !Object.hasOwn(options, key)) continue;
    throw new InvalidArgumentError(key, `is not known here; there is ${[...known].join(', ')}`);
  }
  return options as OptionRecord;
}

function readTaskOptions(options: OptionRecord, nowMs: number): ReadScheduleOptions {
  return {
    due: readDueTime(options, nowMs),
    id: readId(options['id']),
    onDuplicate: readOnDuplicate(options['onDuplicate']),
    overrides: readOverrides(options['maxRetries']),
    headers: readTaskHeaders(options['headers']),
    durability: readDurability(options['durability']),
  };
}

function readDueTime({ delay, at }: OptionRecord, nowMs: number): DueTime {
  if (at === undefined) {
    if (delay === undefined) throw new InvalidArgumentError('delay', 'is required where there is no `at`');
    return { delayMs: parseDurationMs(delay, 'delay') };
  }
  if (delay !== undefined) throw new InvalidArgumentError('at', 'cannot stand beside `delay`: give one of the two');
  return { atMs: readPointInTime(at, nowMs) };
}

function readPointInTime(at: unknown, nowMs: number): number {
  if (!types.isDate(at))
    throw new InvalidArgumentError('at', `must be a Date, got ${at === null ? 'null' : typeof at}`);
  const atMs = at.getTime();
  if (Number.isNaN(atMs)) throw new InvalidArgumentError('at', 'is an invalid Date');
  if (atMs - nowMs > MAX_DELAY_MS) throw new InvalidArgumentError('at', 'must be at most 100 years ahead');
  return atMs;
}

function readId(id: unknown): string {
  if (id === undefined) return newTaskId();
  assertTaskId(id);
  return id;
}

function readOnDuplicate(value: unknown): 'keep' | 'replace' {
  if (value === undefined || value === 'keep') return 'keep';
  if (value === 'replace') return 'replace';
  throw new InvalidArgumentError('onDuplicate', "must be 'keep' or 'replace'");
}

function readOverrides(maxRetries: unknown): TaskOverrides {
  if (maxRetries === undefined) return NO_OVERRIDES;
  if (typeof maxRetries === 'number' && Number.isSafeInteger(maxRetries) && maxRetries >= 0) return { maxRetries };
  const shown = typeof maxRetries === 'number' ? maxRetries : typeof maxRetries;
  throw new InvalidArgumentError('maxRetries', `must be a whole number from 0 on, got ${shown}`);
}

function readDurability(value: unknown): Durability | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'object' || value === null) {
    throw new InvalidArgumentError('durability', 'must be { replicas, timeoutMs }');
  }
  const { replicas, timeoutMs } = value as Partial<Record<keyof Durability, unknown>>;
  return {
    replicas: readCount(replicas, 'durability.replicas'),
    timeoutMs: parseDurationMs(timeoutMs, 'durability.timeoutMs', { minMs: 1, maxMs: MAX_DURABILITY_MS }),
  };
}

function readCount(value: unknown, field: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value;
  throw new InvalidArgumentError(field, 'must be a whole number from 1 on');
}
