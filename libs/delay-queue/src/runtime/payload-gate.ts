import { InvalidPayloadError } from '../core/errors.js';
import { clipUtf8 } from '../core/text.js';
import type { ResolvedTypeOptions } from '../options/resolved-options.js';
import type { QueueLogger } from '../ports/queue-event.js';
import type { PayloadVerdict } from '../task/payload-check.js';
import { type ExponentialBackoff, retryDelay } from '../task/retry-policy.js';
import { MAX_REASON_BYTES } from '../task/task-outcome.js';
import { upcastPayload } from '../task/upcast-payload.js';
import type { Run } from './run.js';

/** Waits of a task whose version is not known here: short at first, since a roll-out is usually under way. */
const UNKNOWN_VERSION_WAIT: ExponentialBackoff = { type: 'exponential', baseMs: 1_000, maxMs: 60_000, jitter: 0.2 };

/** Why a handler does not get a task, and what becomes of it instead. */
export type Refusal =
  | { readonly kind: 'bury'; readonly reason: string; readonly error: unknown }
  | { readonly kind: 'wait'; readonly reason: string; readonly delayMs: number };

/** Stands between a claimed task and its handler: brings the payload up to date, and has it checked. */
export class PayloadGate {
  private readonly reported = new Set<number>();

  constructor(
    private readonly settings: Pick<
      ResolvedTypeOptions,
      'type' | 'version' | 'upcast' | 'payloadCheck' | 'onUnknownVersion'
    >,
    private readonly logger: QueueLogger,
  ) {}

  /**
   * Puts the payload that the handler gets into the run.
   *
   * @returns why the handler must not run, or null; at once, unless the check takes its time. A check that throws says
   * nothing about the payload: what it throws is thrown on.
   */
  admit(run: Run): Refusal | null | Promise<Refusal | null> {
    return this.bringUpToDate(run) ?? this.check(run);
  }

  private bringUpToDate(run: Run): Refusal | null {
    if (run.version === this.settings.version) return null;
    const result = upcastPayload(run.payload, run.version, this.settings);
    switch (result.kind) {
      case 'current':
        run.payload = result.payload;
        return null;
      case 'unknown':
        return this.unknownVersion(run, result.reason);
      case 'failed':
        return { kind: 'bury', reason: result.reason, error: result.error };
      default:
        return result satisfies never;
    }
  }

  private unknownVersion(run: Run, reason: string): Refusal {
    if (this.settings.onUnknownVersion === 'bury') return { kind: 'bury', reason, error: undefined };
    if (!this.reported.has(run.version)) {
      this.reported.add(run.version);
      this.logger.warn(`Tasks of '${this.settings.type}' wait for a process that knows their version: ${reason}.`);
    }
    // Deliveries, the only count that goes on while a task waits for its process.
    const { delayMs } = retryDelay({ backoff: UNKNOWN_VERSION_WAIT, failures: run.deliveries, error: undefined });
    return { kind: 'wait', reason, delayMs };
  }

  private check(run: Run): Refusal | null | Promise<Refusal | null> {
    const { payloadCheck } = this.settings;
    if (payloadCheck === null) return null;
    const verdict = payloadCheck(run.payload);
    if (verdict instanceof Promise) return verdict.then((late) => take(run, late));
    return take(run, verdict);
  }
}

function take(run: Run, verdict: PayloadVerdict): Refusal | null {
  switch (verdict.kind) {
    case 'valid':
      run.payload = verdict.payload;
      return null;
    case 'invalid': {
      const error = InvalidPayloadError.ofIssues(verdict.issues);
      return { kind: 'bury', reason: clipUtf8(`invalid payload: ${error.message}`, MAX_REASON_BYTES), error };
    }
    default:
      return verdict satisfies never;
  }
}
