import { type Duration, parseDurationMs } from '../core/duration.js';
import { InvalidArgumentError } from '../core/errors.js';
import { clipUtf8 } from '../core/text.js';

/** Longest reason that is kept with a dead letter, in bytes of UTF-8: a line or two for people. */
export const MAX_REASON_BYTES = 1024;

/** What becomes of a task after its handler has ended. */
export type TaskOutcomeKind =
  | { readonly kind: 'complete' }
  | { readonly kind: 'retry'; readonly delayMs: number | null; readonly error: unknown }
  | { readonly kind: 'snooze'; readonly delayMs: number }
  | { readonly kind: 'bury'; readonly reason: string; readonly error: unknown };

/**
 * What a handler may return to say more than "done" (by returning) or "try again" (by throwing).
 *
 * @example
 * return TaskOutcome.snooze('10m');
 */
export class TaskOutcome {
  private constructor(
    /** The decision and its details. */
    readonly decision: TaskOutcomeKind,
  ) {}

  /** The task is done; the same as returning anything that is not a `TaskOutcome`. */
  static complete(): TaskOutcome {
    return new TaskOutcome({ kind: 'complete' });
  }

  /**
   * The task failed and is tried again; the same as throwing, but with a delay of its own.
   *
   * @param options `delay` replaces the back-off once; `error` is recorded.
   * @throws InvalidArgumentError when the delay is not a duration, or the options are no object.
   */
  static retry(options: { readonly delay?: Duration; readonly error?: unknown } = {}): TaskOutcome {
    if (typeof options !== 'object' || options === null) {
      throw new InvalidArgumentError('options', "must be an object such as { delay: '10m' }");
    }
    const delayMs = options.delay === undefined ? null : parseDurationMs(options.delay, 'delay');
    return new TaskOutcome({ kind: 'retry', delayMs, error: options.error });
  }

  /**
   * The task is not ready yet: it waits again, and nothing counts as a failure.
   *
   * @throws InvalidArgumentError when the delay is not a duration.
   */
  static snooze(delay: Duration): TaskOutcome {
    return new TaskOutcome({ kind: 'snooze', delayMs: parseDurationMs(delay, 'delay') });
  }

  /**
   * The task can never succeed: it goes to the dead letters at once, whatever retries are left.
   *
   * @param reason shown with the dead letter; cut to 1,024 bytes of UTF-8.
   * @throws InvalidArgumentError when the reason is not a non-empty text.
   */
  static bury(reason: string, error?: unknown): TaskOutcome {
    if (typeof reason !== 'string' || reason.length === 0) {
      throw new InvalidArgumentError('reason', 'must be a non-empty text');
    }
    return new TaskOutcome({ kind: 'bury', reason: clipUtf8(reason, MAX_REASON_BYTES), error });
  }
}
