import { types } from 'node:util';
import { MAX_DELAY_MS, parseDurationMs } from '../core/duration.js';
import { InvalidArgumentError } from '../core/errors.js';
import { assertTaskId, newTaskId } from '../core/ids.js';
import type { DueTime, Durability } from '../ports/mutation.js';
import type { TaskOverrides } from '../task/envelope.js';

/** Where the options come from, for the checks and their errors. */
export interface OptionsSource {
  /** Stands before the name of an option in errors, such as `items[3]`; empty for none. */
  readonly path: string;
  /** The process's clock, in milliseconds since the epoch. */
  readonly nowMs: number;
}

/** Checked options of a new task. */
export interface ReadScheduleOptions {
  readonly id: string;
  readonly due: DueTime;
  readonly onDuplicate: 'keep' | 'replace';
  readonly overrides: TaskOverrides;
  readonly durability: Durability | undefined;
}

const TIME_KEYS = ['delay', 'at'];
const SCHEDULE_KEYS = [...TIME_KEYS, 'id', 'onDuplicate', 'maxRetries', 'durability'];

/** A call that waits for replicas holds back those for the same partition, and a replica that lags longer will not catch up. */
const MAX_DURABILITY_MS = 5_000;
const ITEM_KEYS = [...SCHEDULE_KEYS, 'payload'];

/**
 * Checks the options of `schedule`.
 *
 * @throws InvalidArgumentError naming the option.
 */
export function readScheduleOptions(options: unknown, source: OptionsSource): ReadScheduleOptions {
  return readTaskOptions(asRecord(options, source, SCHEDULE_KEYS), source);
}

/**
 * Checks one item of `scheduleMany`, except for its payload.
 *
 * @throws InvalidArgumentError naming the option.
 */
export function readScheduleItem(item: unknown, source: OptionsSource): ReadScheduleOptions {
  return readTaskOptions(asRecord(item, source, ITEM_KEYS), source);
}

/**
 * Checks the options of `reschedule`.
 *
 * @throws InvalidArgumentError naming the option.
 */
export function readScheduleTime(options: unknown, source: OptionsSource): DueTime {
  return readDueTime(asRecord(options, source, TIME_KEYS), source);
}

type OptionRecord = Readonly<Record<string, unknown>>;

function asRecord(options: unknown, source: OptionsSource, known: readonly string[]): OptionRecord {
  if (typeof options !== 'object' || options === null) {
    const problem = `must be an object with \`delay\` or \`at\`, got ${options === null ? 'null' : typeof options}`;
    throw new InvalidArgumentError(source.path === '' ? 'options' : source.path, problem);
  }
  const unknownKey = Object.keys(options).find((key) => !known.includes(key));
  if (unknownKey !== undefined) {
    throw new InvalidArgumentError(fieldOf(source, unknownKey), `is not known here; there is ${known.join(', ')}`);
  }
  return options as OptionRecord;
}

function readTaskOptions(options: OptionRecord, source: OptionsSource): ReadScheduleOptions {
  return {
    due: readDueTime(options, source),
    id: readId(options['id'], fieldOf(source, 'id')),
    onDuplicate: readOnDuplicate(options['onDuplicate'], fieldOf(source, 'onDuplicate')),
    overrides: readOverrides(options['maxRetries'], fieldOf(source, 'maxRetries')),
    durability: readDurability(options['durability'], fieldOf(source, 'durability')),
  };
}

function readDueTime({ delay, at }: OptionRecord, source: OptionsSource): DueTime {
  if (at === undefined) {
    const field = fieldOf(source, 'delay');
    if (delay === undefined) throw new InvalidArgumentError(field, 'is required where there is no `at`');
    return { delayMs: parseDurationMs(delay, field) };
  }
  const field = fieldOf(source, 'at');
  if (delay !== undefined) throw new InvalidArgumentError(field, 'cannot stand beside `delay`: give one of the two');
  return { atMs: readPointInTime(at, field, source.nowMs) };
}

function readPointInTime(at: unknown, field: string, nowMs: number): number {
  if (!types.isDate(at)) {
    throw new InvalidArgumentError(field, `must be a Date, got ${at === null ? 'null' : typeof at}`);
  }
  const atMs = at.getTime();
  if (Number.isNaN(atMs)) throw new InvalidArgumentError(field, 'is an invalid Date');
  if (atMs - nowMs > MAX_DELAY_MS) throw new InvalidArgumentError(field, 'must be at most 100 years ahead');
  return atMs;
}

function readId(id: unknown, field: string): string {
  if (id === undefined) return newTaskId();
  assertTaskId(id, field);
  return id;
}

function readOnDuplicate(value: unknown, field: string): 'keep' | 'replace' {
  if (value === undefined || value === 'keep') return 'keep';
  if (value === 'replace') return 'replace';
  throw new InvalidArgumentError(field, "must be 'keep' or 'replace'");
}

function readOverrides(maxRetries: unknown, field: string): TaskOverrides {
  if (maxRetries === undefined) return {};
  if (typeof maxRetries === 'number' && Number.isSafeInteger(maxRetries) && maxRetries >= 0) return { maxRetries };
  const shown = typeof maxRetries === 'number' ? maxRetries : typeof maxRetries;
  throw new InvalidArgumentError(field, `must be a whole number from 0 on, got ${shown}`);
}

function readDurability(value: unknown, field: string): Durability | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'object' || value === null) {
    throw new InvalidArgumentError(field, 'must be { replicas, timeoutMs }');
  }
  const { replicas, timeoutMs } = value as Partial<Record<keyof Durability, unknown>>;
  return {
    replicas: readCount(replicas, `${field}.replicas`),
    timeoutMs: parseDurationMs(timeoutMs, `${field}.timeoutMs`, { minMs: 1, maxMs: MAX_DURABILITY_MS }),
  };
}

function readCount(value: unknown, field: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value;
  throw new InvalidArgumentError(field, 'must be a whole number from 1 on');
}

function fieldOf({ path }: OptionsSource, option: string): string {
  return path === '' ? option : `${path}.${option}`;
}
