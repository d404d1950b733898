/** Machine-readable reason of a {@link DelayQueueError}. */
export type DelayQueueErrorCode =
  | 'invalid_argument'
  | 'invalid_payload'
  | 'configuration'
  | 'store_unavailable'
  | 'store_rejected'
  | 'partial_schedule'
  | 'in_progress'
  | 'ledger_unavailable'
  | 'task_ended'
  | 'closed';

/** Base class of every error that this library throws on purpose. */
export class DelayQueueError extends Error {
  override readonly name: string = 'DelayQueueError';

  constructor(
    /** What went wrong, for programs. */
    readonly code: DelayQueueErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** An argument is not acceptable; nothing was written. */
export class InvalidArgumentError extends DelayQueueError {
  override readonly name = 'InvalidArgumentError';

  constructor(
    /** The offending argument, as a path: `delay`, `id`, `types.order_timeout.partitions`. */
    readonly field: string,
    problem: string,
    options?: ErrorOptions,
  ) {
    super('invalid_argument', `${field}: ${problem}`, options);
  }
}

/** One thing that is wrong with a payload. */
export interface PayloadIssue {
  /** Path to the offending value, for example `payload.items[2].price`. */
  readonly path: string;
  readonly message: string;
}

/** Issues that a message lists; more are only counted. */
const MAX_LISTED_ISSUES = 10;

/** A payload cannot be stored and read back unchanged, or does not fit its type's schema; nothing was written. */
export class InvalidPayloadError extends DelayQueueError {
  override readonly name = 'InvalidPayloadError';
  /** All that is wrong, at least one issue; the first stands at {@link field}. */
  readonly issues: readonly PayloadIssue[];

  constructor(
    /** Path to the offending value, for example `payload.items[2].price`. */
    readonly field: string,
    problem: string,
    options: ErrorOptions & { readonly furtherIssues?: readonly PayloadIssue[] } = {},
  ) {
    const { furtherIssues = [], ...errorOptions } = options;
    const issues = [{ path: field, message: problem }, ...furtherIssues];
    super('invalid_payload', describeIssues(issues), errorOptions);
    this.issues = issues;
  }

  /** The error for what a schema has found; a schema need not say what is wrong. */
  static ofIssues(issues: readonly PayloadIssue[], options: ErrorOptions = {}): InvalidPayloadError {
    const [first = { path: 'payload', message: 'is not acceptable' }, ...furtherIssues] = issues;
    return new InvalidPayloadError(first.path, first.message, { ...options, furtherIssues });
  }
}

/** Lists issues in one line: `payload.to: is required; payload.at: is no date`. */
function describeIssues(issues: readonly PayloadIssue[]): string {
  const listed = issues.slice(0, MAX_LISTED_ISSUES).map(({ path, message }) => `${path}: ${message}`);
  const more = issues.length - listed.length;
  return listed.join('; ') + (more > 0 ? ` (and ${more} more)` : '');
}

/** The module is set up in a way that cannot work; the application does not boot. */
export class ConfigurationError extends DelayQueueError {
  override readonly name = 'ConfigurationError';

  constructor(
    /** The option or declaration at fault, as a path. */
    readonly field: string,
    problem: string,
    options?: ErrorOptions,
  ) {
    super('configuration', `${field}: ${problem}`, options);
  }
}

/**
 * Whether a failed call can have changed anything: `not_sent` means that nothing left this process, `unknown` that the
 * call may have been applied although no answer came.
 */
export type CallOutcome = 'not_sent' | 'unknown';

/** The store did not answer within the time limit, or cannot be reached. */
export class StoreUnavailableError extends DelayQueueError {
  override readonly name = 'StoreUnavailableError';

  constructor(
    /** Whether the call can have been applied. */
    readonly outcome: CallOutcome,
    message: string,
    options?: ErrorOptions,
  ) {
    super('store_unavailable', message, options);
  }
}

/** The store answered with a refusal (read-only replica, memory full, no permission); nothing was written. */
export class StoreRejectedError extends DelayQueueError {
  override readonly name = 'StoreRejectedError';

  constructor(
    /** The store's own error word, for example `OOM`, `READONLY`, `MISCONF`, `NOPERM`. */
    readonly reason: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super('store_rejected', message, options);
  }

  /** A refusal is an answer: nothing was applied. */
  readonly outcome: CallOutcome = 'not_sent';
}

/** Somebody else works under the idempotency key, and was not done in time; this caller's work was not begun. */
export class IdempotencyInProgressError extends DelayQueueError {
  override readonly name = 'IdempotencyInProgressError';

  constructor(
    /** The idempotency key. */
    readonly key: string,
    /** When the other's mark is over, in milliseconds from now, unless it is renewed. */
    readonly leftMs: number,
  ) {
    super('in_progress', `Work under the idempotency key '${key}' is in progress elsewhere.`);
  }
}

/** The queue is shutting down, or has shut down, and takes no more calls. */
export class QueueClosedError extends DelayQueueError {
  override readonly name = 'QueueClosedError';

  constructor(message = 'The delay queue is closed.') {
    super('closed', message);
  }
}

/** An error of the store, whose `outcome` says whether the call can have been applied. */
export type StoreError = StoreUnavailableError | StoreRejectedError;

/** Tells whether a value is one of the errors that a store call rejects with. */
export function isStoreError(error: unknown): error is StoreError {
  return error instanceof StoreUnavailableError || error instanceof StoreRejectedError;
}

/** The database of the ledger did not answer within the time limit, cannot be reached, or refused. */
export class LedgerUnavailableError extends DelayQueueError {
  override readonly name = 'LedgerUnavailableError';

  constructor(message: string, options?: ErrorOptions) {
    super('ledger_unavailable', message, options);
  }
}

/**
 * A task cannot be completed in this transaction, because its row in the ledger is not open: roll the transaction back.
 *
 * Thrown by `task.complete(tx)`. Let it pass: it rolls back what this delivery has done, and the queue knows what to do.
 */
export class TaskEndedError extends DelayQueueError {
  override readonly name = 'TaskEndedError';

  constructor(
    /** State of the row: `done` and `cancelled` end the task, anything else tries it again. */
    readonly state: 'done' | 'cancelled' | 'dead' | 'missing',
    message: string,
  ) {
    super('task_ended', message);
  }
}
