/** Waiting times between retries, resolved to milliseconds. */
export interface ExponentialBackoff {
  readonly type: 'exponential';
  /** Wait after the first failure. */
  readonly baseMs: number;
  /** Longest wait, before jitter is taken off. */
  readonly maxMs: number;
  /** Share of the wait that is random, 0 to 1: the wait lies between `(1 - jitter) * w` and `w`. */
  readonly jitter: number;
}

/** The same wait after every failure. */
export interface FixedBackoff {
  readonly type: 'fixed';
  readonly delayMs: number;
  readonly jitter: number;
}

/** A wait computed by the application. */
export interface CustomBackoff {
  readonly type: 'custom';
  /** @returns milliseconds to wait; a result that is not a finite, non-negative number falls back to the default. */
  readonly delay: (failures: number, error: unknown) => number;
  readonly maxMs: number;
}

export type Backoff = ExponentialBackoff | FixedBackoff | CustomBackoff;

/** The back-off of a type that sets none: 5 s, 10 s, 20 s … at most 1 h, up to 20 % less at random. */
export const DEFAULT_BACKOFF: ExponentialBackoff = {
  type: 'exponential',
  baseMs: 5_000,
  maxMs: 3_600_000,
  jitter: 0.2,
};

/** A computed wait, and why the application's own function could not be used, if it could not. */
export interface RetryDelay {
  readonly delayMs: number;
  readonly customBackoffProblem?: Error;
}

/** What a wait is computed from. */
export interface RetryDelayInput {
  readonly backoff: Backoff;
  /** Failures including the one just seen; at least 1. */
  readonly failures: number;
  readonly error: unknown;
  /** Uniform in [0, 1); replaced in tests. @default Math.random */
  readonly random?: () => number;
}

/** Computes how long a failed task waits before it is tried again; always finite, whole and at most the cap. */
export function retryDelay({ backoff, failures, error, random = Math.random }: RetryDelayInput): RetryDelay {
  switch (backoff.type) {
    case 'exponential': {
      // 2 ** 1100 is Infinity; Math.min brings it back to the cap.
      const fullMs = Math.min(backoff.maxMs, backoff.baseMs * 2 ** (failures - 1));
      return { delayMs: withJitter(fullMs, backoff.jitter, random) };
    }
    case 'fixed':
      return { delayMs: withJitter(backoff.delayMs, backoff.jitter, random) };
    case 'custom':
      return customDelay(backoff, { failures, error, random });
    default:
      return backoff satisfies never;
  }
}

/** Tells whether a failure makes a task a dead letter. */
export function retriesUsedUp(failuresBefore: number, maxRetries: number): boolean {
  return failuresBefore + 1 > maxRetries;
}

function customDelay(backoff: CustomBackoff, input: Omit<RetryDelayInput, 'backoff'>): RetryDelay {
  try {
    const delayMs = backoff.delay(input.failures, input.error);
    if (Number.isFinite(delayMs) && delayMs >= 0) return { delayMs: Math.ceil(Math.min(delayMs, backoff.maxMs)) };
    return fallback(input, new RangeError(`custom back-off returned ${String(delayMs)}`));
  } catch (cause) {
    return fallback(input, new Error('custom back-off threw', { cause }));
  }
}

function fallback(input: Omit<RetryDelayInput, 'backoff'>, customBackoffProblem: Error): RetryDelay {
  return { ...retryDelay({ ...input, backoff: DEFAULT_BACKOFF }), customBackoffProblem };
}

function withJitter(fullMs: number, jitter: number, random: () => number): number {
  return Math.ceil(fullMs * (1 - jitter * random()));
}
