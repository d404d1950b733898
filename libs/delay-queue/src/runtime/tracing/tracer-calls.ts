import type { Clock } from '../../core/clock.js';
import type { QueueLogger } from '../../ports/queue-event.js';
import { errorText } from '../../task/error-text.js';

/**
 * An episode is over when nothing has failed for so long. Not with the next call that does not fail: a tracer may fail with
 * some tasks only, and would be logged each time.
 */
export const QUIET_MS = 60_000;

/** Calls a tracer: what it throws is logged, once an episode, and changes nothing. */
export class TracerCalls {
  private failedAtMs = -Infinity;

  constructor(
    private readonly clock: Clock,
    private readonly logger: QueueLogger,
  ) {}

  /** The tracer's answer, or undefined when it has thrown. */
  attempt<Answer>(call: () => Answer): Answer | undefined {
    try {
      return call();
    } catch (error) {
      this.failed(error);
      return undefined;
    }
  }

  /** Does the work in the context of a trace: once, at once, and whatever the trace does. Throws what the work throws. */
  within<Result>(trace: { within(work: () => void): void }, work: () => Result): Result {
    const call = new SingleCall(work);
    this.attempt(() => trace.within(() => call.make()));
    call.make();
    return call.result();
  }

  private failed(error: unknown): void {
    const nowMs = this.clock.monotonicMs();
    const isKnown = nowMs - this.failedAtMs < QUIET_MS;
    this.failedAtMs = nowMs;
    if (isKnown) return;
    this.logger.warn(`Tracing fails; tasks are scheduled and run all the same: ${errorText(error)}`);
  }
}

/** A call that is made once, and whose outcome is asked for elsewhere. */
class SingleCall<Result> {
  private made = false;
  private threw = false;
  private outcome: unknown;

  constructor(private readonly work: () => Result) {}

  make(): void {
    if (this.made) return;
    this.made = true;
    try {
      this.outcome = this.work();
    } catch (error) {
      this.threw = true;
      this.outcome = error;
    }
  }

  result(): Result {
    // What the work has thrown is passed on as it is, whatever it is.
    if (this.threw) throw this.outcome;
    return this.outcome as Result;
  }
}
