import { nanoid } from 'nanoid';
import { ConfigurationError, InvalidArgumentError } from './errors.js';

/** Longest task id, in bytes of UTF-8. */
export const MAX_TASK_ID_BYTES = 512;

/** What prefixes and task types may look like: a brace, blank or colon would break the key layout. */
const NAME = /^[A-Za-z0-9_.-]{1,100}$/;

/** Characters of a life's nonce: 36^6 values tell the lives of one id apart that were created in the same millisecond. */
export const LIFE_NONCE_LENGTH = 6;

/** All pairs of such characters: number conversions to base 36 cost more than the rest of a nonce. */
const NONCE_PAIRS = Array.from({ length: 36 ** 2 }, (_, pair) => pair.toString(36).padStart(2, '0'));

/** The text of the last creation time: many tasks are made in one millisecond. */
let lastTime = { createdAtMs: Number.NaN, text: '' };

/** Makes an id for a task whose caller gave none: 21 URL-safe characters. */
export function newTaskId(): string {
  return nanoid();
}

/** Makes the name under which one process of one queue holds arms; never reused. */
export function newHolderId(): string {
  return nanoid(12);
}

/** Makes the name of a row of the ledger: the time first, so that an index grows at its end. */
export function newLedgerRow(nowMs: number): string {
  return newLife(nowMs) + noncePair() + noncePair() + noncePair();
}

/** Makes the mark of one life of a task: its creation time in base 36, then a nonce of {@link LIFE_NONCE_LENGTH}. */
export function newLife(createdAtMs: number): string {
  if (createdAtMs !== lastTime.createdAtMs) lastTime = { createdAtMs, text: Math.floor(createdAtMs).toString(36) };
  return lastTime.text + noncePair() + noncePair() + noncePair();
}

/** Nobody gains by guessing a nonce: it need not be secret, only different from others. */
function noncePair(): string {
  return NONCE_PAIRS[Math.floor(Math.random() * NONCE_PAIRS.length)] ?? '00';
}

/** Reads the creation time, in milliseconds since the epoch, out of a life. */
export function createdAtOfLife(life: string): number {
  return Number.parseInt(life.slice(0, -LIFE_NONCE_LENGTH), 36);
}

/**
 * Checks a task id: 1 to 512 bytes of well-formed UTF-8; every character is allowed.
 *
 * @throws InvalidArgumentError
 */
export function assertTaskId(id: unknown, field = 'id'): asserts id is string {
  if (typeof id !== 'string') throw new InvalidArgumentError(field, `must be a string, got ${typeof id}`);
  if (id.length === 0) throw new InvalidArgumentError(field, 'must not be empty');
  if (!id.isWellFormed()) throw new InvalidArgumentError(field, 'must be well-formed Unicode (no lone surrogates)');
  if (id.length * 3 > MAX_TASK_ID_BYTES && Buffer.byteLength(id) > MAX_TASK_ID_BYTES) {
    throw new InvalidArgumentError(field, `must be at most ${MAX_TASK_ID_BYTES} bytes of UTF-8`);
  }
}

/** Tells whether a text may be a prefix or a task type: 1 to 100 of `A-Z a-z 0-9 _ . -`. */
export function isName(value: unknown): value is string {
  return typeof value === 'string' && NAME.test(value);
}

/**
 * Checks a prefix or a task type that stands in the application's set-up.
 *
 * @throws ConfigurationError
 */
export function assertName(value: unknown, field: string): asserts value is string {
  if (!isName(value)) throw new ConfigurationError(field, nameProblem(value));
}

/**
 * Checks a task type that a caller passed.
 *
 * @throws InvalidArgumentError
 */
export function assertTaskType(value: unknown, field = 'type'): asserts value is string {
  if (!isName(value)) throw new InvalidArgumentError(field, nameProblem(value));
}

function nameProblem(value: unknown): string {
  const shown = typeof value === 'string' ? `'${value.slice(0, 120)}'` : typeof value;
  return `must be 1 to 100 characters out of A-Z a-z 0-9 _ . -, got ${shown}`;
}
