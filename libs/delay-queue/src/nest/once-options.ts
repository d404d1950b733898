import type { Duration } from '../core/duration.js';
import { parseDurationMs } from '../core/duration.js';
import { InvalidArgumentError } from '../core/errors.js';
import { DEFAULT_MARK_TTL_MS } from '../options/option-schemas.js';
import type { OnceSettings } from '../runtime/once-runner.js';

/** What a caller of `IdempotencyService.once` may say. */
export interface OnceOptions {
  /** How long the work is remembered after it was done. @default '24h' */
  readonly ttl?: Duration;
  /** Keeps what the work returned, as JSON, for later callers. @default false */
  readonly keepResult?: boolean;
  /** How long to wait for somebody else who is at it; 0 does not wait. @default '30s' */
  readonly wait?: Duration;
}

const KEYS = ['ttl', 'keepResult', 'wait'];
const DEFAULT_WAIT_MS = 30_000;

/**
 * Checks the options of `once`.
 *
 * @throws InvalidArgumentError naming the option.
 */
export function readOnceOptions(options: unknown): OnceSettings {
  if (typeof options !== 'object' || options === null) throw new InvalidArgumentError('options', 'must be an object');
  const unknownKey = Object.keys(options).find((key) => !KEYS.includes(key));
  if (unknownKey !== undefined) throw new InvalidArgumentError(unknownKey, 'is not known here');
  const { ttl, keepResult = false, wait } = options as Record<keyof OnceOptions, unknown>;
  if (typeof keepResult !== 'boolean') throw new InvalidArgumentError('keepResult', 'must be true or false');
  return {
    ttlMs: ttl === undefined ? DEFAULT_MARK_TTL_MS : parseDurationMs(ttl, 'ttl', { minMs: 1 }),
    keepResult,
    waitMs: wait === undefined ? DEFAULT_WAIT_MS : parseDurationMs(wait, 'wait'),
  };
}
