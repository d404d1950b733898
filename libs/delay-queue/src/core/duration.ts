import ms, { type StringValue } from 'ms';
import { InvalidArgumentError } from './errors.js';

/**
 * A length of time: a number of milliseconds, or a number with a unit such as `'30m'`, `'1.5h'`, `'10 days'`.
 *
 * A text without a unit is refused: `'1200'` may mean seconds to one reader and milliseconds to another.
 */
export type Duration = number | StringValue;

/** Longest delay that a task may have: 100 years. */
export const MAX_DELAY_MS = 100 * 365.25 * 24 * 60 * 60 * 1000;

/** Bounds of an acceptable duration, in milliseconds. */
export interface DurationBounds {
  /** @default 0 */
  readonly minMs?: number;
  /** @default 100 years */
  readonly maxMs?: number;
}

const ENDS_WITH_UNIT = /[a-z]\s*$/i;

/** The last text that was read: a call in an application passes the same one each time. */
let lastText: { readonly text: string; readonly ms: number } | null = null;

/**
 * Turns a duration into whole milliseconds, rounding fractions up.
 *
 * @param field the argument's name, for the error.
 * @throws InvalidArgumentError when it is neither a finite non-negative number nor a number with a unit, or out of bounds.
 */
export function parseDurationMs(value: unknown, field: string, bounds: DurationBounds = {}): number {
  const { minMs = 0, maxMs = MAX_DELAY_MS } = bounds;
  const parsedMs = Math.ceil(toMilliseconds(value, field));
  if (parsedMs < minMs) throw new InvalidArgumentError(field, `must be at least ${minMs} ms, got ${parsedMs} ms`);
  if (parsedMs > maxMs) throw new InvalidArgumentError(field, `must be at most ${maxMs} ms, got ${parsedMs} ms`);
  // -0 is not negative, and becomes a plain zero here: that prints and compares without surprises.
  return parsedMs + 0;
}

function toMilliseconds(value: unknown, field: string): number {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new InvalidArgumentError(field, `must be finite, got ${value}`);
    if (value < 0) throw new InvalidArgumentError(field, `must not be negative, got ${value}`);
    return value;
  }
  if (typeof value !== 'string') {
    throw new InvalidArgumentError(field, `must be milliseconds or a text such as '30m', got ${kindOf(value)}`);
  }
  if (lastText === null || lastText.text !== value) lastText = { text: value, ms: textToMilliseconds(value, field) };
  return lastText.ms;
}

function textToMilliseconds(value: string, field: string): number {
  const parsed = value.length <= 100 && ENDS_WITH_UNIT.test(value) ? ms(value as StringValue) : undefined;
  if (parsed === undefined || !Number.isFinite(parsed)) {
    throw new InvalidArgumentError(field, `must be a number with a unit, such as '30m', got '${value.slice(0, 40)}'`);
  }
  if (parsed < 0) throw new InvalidArgumentError(field, `must not be negative, got '${value}'`);
  // A decimal fraction times its unit can be off in the last digit: '0.07s' is 70 ms and must not be rounded up to 71.
  return Number(parsed.toPrecision(15));
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (value instanceof Date) return 'a Date (use `at` for a point in time)';
  return typeof value;
}
