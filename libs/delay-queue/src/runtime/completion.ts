import type { OwnDoneMark } from '../ports/idempotency-store.js';

/** Why a handler was not called. */
export interface SkippedWork {
  /** The idempotency key, or null when it was this very life of the task that was done before. */
  readonly key: string | null;
  /** What was kept of the work, or undefined. */
  readonly result: unknown;
}

/** A completion of which there is more to say than a handler can: to be returned to the executor in its place. */
export class Completion {
  private constructor(
    /** The done mark to be written with it. */
    readonly mark: OwnDoneMark | undefined,
    /** Set when the handler was not called. */
    readonly skipped: SkippedWork | null,
  ) {}

  /** The handler has ended well, and this life of the task is to be remembered as done. */
  static marked(mark: OwnDoneMark): Completion {
    return new Completion(mark, null);
  }

  /** The work was done before. */
  static skipped(skipped: SkippedWork): Completion {
    return new Completion(undefined, skipped);
  }
}
