import { InvalidArgumentError } from '../core/errors.js';
import { createdAtOfLife } from '../core/ids.js';
import type { ClaimedTask } from '../ports/turn.js';
import type { DelayedTask } from '../task/delayed-task.js';
import type { TaskEnvelope } from '../task/envelope.js';
import type { LedgerConnection } from '../task/ledger-connection.js';
import type { GuardedDelivery } from './tracing/guarded-delivery.js';

/** Why a run was told to stop. */
export type AbortCause = 'lease lost' | 'handler timeout' | 'shutdown';

/** Completes a task in a transaction of the application, or throws. */
export type TransactionalCompletion = (tx: LedgerConnection) => Promise<void>;

/** One delivery of a task in this process, from its claim to its settle; what handlers see of it is `DelayedTask`. */
export class Run implements DelayedTask<string> {
  readonly type: string;
  readonly id: string;
  readonly fence: number;
  readonly deliveries: number;
  readonly failures: number;
  readonly lostLeases: number;
  readonly redrives: number;
  readonly dueAtMs: number;
  readonly maxRetries: number;

  /** As it was stored, until the payload gate has brought it up to date and had it checked. */
  payload: unknown;
  /** When the request that began or last prolonged the lease was sent, on the monotonic clock. */
  leasedAtMs: number;
  /** When the handler was started, on the monotonic clock; in the infinite future until then. */
  startedAtMs = Infinity;
  /** The outcome is decided: nothing that the handler does from now on counts. */
  settled = false;
  /** The handler was reported as stuck. */
  reportedStuck = false;
  abortCause: AbortCause | null = null;
  /** When the run was aborted, on the monotonic clock. */
  abortedAtMs = 0;

  /** Set for a task of the ledger while its handler runs. */
  completion: TransactionalCompletion | null = null;

  /** Follows the run from its start; null when nothing does. */
  trace: GuardedDelivery | null = null;

  private controller: AbortController | null = null;

  constructor(parts: {
    readonly type: string;
    readonly claimed: ClaimedTask;
    readonly envelope: TaskEnvelope;
    readonly maxRetries: number;
    readonly leasedAtMs: number;
  }) {
    const { claimed } = parts;
    this.type = parts.type;
    this.id = claimed.id;
    this.fence = claimed.fence;
    this.deliveries = claimed.deliveries;
    this.failures = claimed.failures;
    this.lostLeases = claimed.lostLeases;
    this.redrives = claimed.redrives;
    this.dueAtMs = claimed.dueAtMs;
    this.maxRetries = parts.envelope.overrides.maxRetries ?? parts.maxRetries;
    this.leasedAtMs = parts.leasedAtMs;
    this.envelope = parts.envelope;
    this.payload = parts.envelope.payload;
  }

  private readonly envelope: TaskEnvelope;

  /** Version of the payload as it was stored. */
  get version(): number {
    return this.envelope.version;
  }

  get life(): string {
    return this.envelope.life;
  }

  get headers(): Readonly<Record<string, string>> {
    return this.envelope.headers;
  }

  get dueAt(): Date {
    return new Date(this.dueAtMs);
  }

  get createdAt(): Date {
    return new Date(createdAtOfLife(this.envelope.life));
  }

  /** The row of the task is to be looked at before it is run. */
  get ledgerCheck(): boolean {
    return this.envelope.ledgerCheck;
  }

  /** Its row in the ledger, or null. */
  get ledgerRow(): string | null {
    return this.envelope.ledgerRow;
  }

  get ledgered(): boolean {
    return this.envelope.ledgerRow !== null;
  }

  async complete(tx: LedgerConnection): Promise<void> {
    if (this.completion === null) {
      const problem = `the task '${this.id}' of '${this.type}' was scheduled without a transaction, so the ledger has no row of it`;
      throw new InvalidArgumentError('tx', problem);
    }
    await this.completion(tx);
  }

  /** A task that has lost two leases in a row is suspected of taking its process down. */
  get isSuspect(): boolean {
    return this.lostLeases >= 2;
  }

  /** Made when first read: most handlers never do, and a controller for each task costs more than running it. */
  get signal(): AbortSignal {
    if (this.controller === null) {
      this.controller = new AbortController();
      if (this.abortCause !== null) this.controller.abort(abortReason(this.abortCause));
    }
    return this.controller.signal;
  }

  /** Aborts the signal that the handler holds; the first cause stays. */
  abort(cause: AbortCause, nowMs: number): void {
    if (this.abortCause !== null) return;
    this.abortCause = cause;
    this.abortedAtMs = nowMs;
    this.controller?.abort(abortReason(cause));
  }
}

/** The reason that a handler finds in its signal. */
export function abortReason(cause: AbortCause): DOMException {
  const name = cause === 'handler timeout' ? 'TimeoutError' : 'AbortError';
  return new DOMException(`The task was aborted: ${cause}.`, name);
}

/** The fields of a run that events about it carry. */
export function describe(run: Run): Pick<Run, 'type' | 'id' | 'deliveries' | 'failures' | 'dueAtMs'> {
  const { type, id, deliveries, failures, dueAtMs } = run;
  return { type, id, deliveries, failures, dueAtMs };
}
