import type { Clock } from '../core/clock.js';
import { isThenable } from '../core/thenable.js';
import type { ResolvedTypeOptions } from '../options/resolved-options.js';
import type { QueueEvent, QueueLogger, QueueObserver } from '../ports/queue-event.js';
import { REASON_RETRIES_USED_UP, type Settle } from '../ports/settle.js';
import type { DeliveryEnd } from '../ports/task-tracer.js';
import type { ClaimedTask } from '../ports/turn.js';
import { errorText } from '../task/error-text.js';
import { retriesUsedUp, retryDelay } from '../task/retry-policy.js';
import { TaskOutcome, type TaskOutcomeKind } from '../task/task-outcome.js';
import type { WatchedParts } from './activity-watcher.js';
import { Completion } from './completion.js';
import { completedEvent, latenessOf, startedEvent } from './delivery-events.js';
import { PayloadGate, type Refusal } from './payload-gate.js';
import { abortReason, describe, Run } from './run.js';
import { readEnvelope, UNREADABLE } from './read-envelope.js';
import type { TaskHandler } from './task-handler.js';
import { TimeLimits } from './time-limits.js';
import type { TracedParts } from './tracing/guarded-tracer.js';

/** Reason of a dead letter that no handler could be given. */
export const REASON_UNREADABLE = 'unreadable task';

/** What the executor tells the lane that a run belongs to. */
export interface ExecutorHost {
  /** The outcome is decided and must reach the store. */
  settle(run: Run, settle: Settle, event: QueueEvent | null): void;
  /** The handler has ended and its place is free; always after {@link settle}, if there was one. */
  ended(run: Run): void;
}

/** What an executor needs. */
export interface ExecutorParts extends WatchedParts, TracedParts {
  readonly handler: TaskHandler;
  readonly settings: ResolvedTypeOptions;
  readonly clock: Clock;
  readonly observer: QueueObserver;
  readonly logger: QueueLogger;
  readonly host: ExecutorHost;
}

/** A claimed task and the age of its lease. */
export interface Delivery {
  readonly claimed: ClaimedTask;
  /** When the claim was sent, on the monotonic clock: the lease is at least as young. */
  readonly leasedAtMs: number;
}

/**
 * Brings one delivery from its claim to its outcome: decode, bring the payload up to date and check it, run within the time
 * limit, judge, settle.
 *
 * Nothing here waits for the store: outcomes go to the host, which sends them in batches.
 */
export class Executor {
  private readonly timeLimits: TimeLimits;
  private readonly gate: PayloadGate;

  constructor(private readonly parts: ExecutorParts) {
    this.timeLimits = new TimeLimits(parts.clock, parts.settings.handlerTimeoutMs);
    this.gate = new PayloadGate(parts.settings, parts.logger);
  }

  /** Makes the run of a claimed task; the caller keeps it before it is started. */
  prepare(delivery: Delivery): Run {
    const { settings } = this.parts;
    const { claimed, leasedAtMs } = delivery;
    const envelope = readEnvelope(claimed.envelope);
    const readable = envelope instanceof Error ? UNREADABLE : envelope;
    const run = new Run({
      type: settings.type,
      claimed,
      envelope: readable,
      maxRetries: settings.maxRetries,
      leasedAtMs,
    });
    if (envelope instanceof Error) this.bury(run, REASON_UNREADABLE, envelope);
    return run;
  }

  /**
   * Starts the handler of a prepared run.
   *
   * @param storeOffsetMs the store's time less the monotonic time of this process.
   */
  start(run: Run, storeOffsetMs: number): void {
    run.startedAtMs = this.parts.clock.monotonicMs();
    if (run.settled) {
      this.parts.host.ended(run);
      return;
    }
    this.parts.watcher?.handlerStarted(run, this.parts.handler.name);
    run.trace = this.parts.tracer?.running(run, latenessOf(run, storeOffsetMs)) ?? null;
    const stopTimeout = this.limitTime(run);
    let refusal: ReturnType<PayloadGate['admit']>;
    try {
      refusal = this.gate.admit(run);
    } catch (error) {
      this.failed(run, error, stopTimeout);
      return;
    }
    if (!(refusal instanceof Promise)) {
      this.proceed({ run, storeOffsetMs, stopTimeout }, refusal);
      return;
    }
    refusal.then(
      (late) => this.proceed({ run, storeOffsetMs, stopTimeout }, late),
      (error: unknown) => this.failed(run, error, stopTimeout),
    );
  }

  /** Forgets the time limits of handlers that still run. */
  close(): void {
    this.timeLimits.close();
  }

  /** Gives an unfinished task back: due at once, nothing counted. */
  release(run: Run): void {
    this.settle(run, { kind: 'release', id: run.id, fence: run.fence }, { kind: 'released', ...describe(run) });
  }

  /** Another process holds the lease by now: nothing counts that the handler does from here on. */
  loseLease(run: Run): void {
    run.settled = true;
    run.abort('lease lost', this.parts.clock.monotonicMs());
    const event = { kind: 'lease lost', ...describe(run) } as const;
    run.trace?.ended(event);
    this.parts.observer.notify(event);
  }

  /** Runs the handler, if the payload was admitted and nothing has happened to the task while it was checked. */
  private proceed(started: StartedRun, refusal: Refusal | null): void {
    const { run, storeOffsetMs, stopTimeout } = started;
    if (refusal === null && run.abortCause === null) {
      this.parts.observer.notify(startedEvent(run, latenessOf(run, storeOffsetMs)));
      this.call(run, stopTimeout);
      return;
    }
    stopTimeout?.();
    if (!run.settled) {
      if (refusal === null) this.release(run);
      else this.refuse(run, refusal);
    }
    this.ended(run);
  }

  private call(run: Run, stopTimeout: (() => void) | null): void {
    let result: unknown;
    try {
      result = run.trace === null ? this.parts.handler.run(run) : run.trace.run(() => this.parts.handler.run(run));
      if (isThenable(result)) result = Promise.resolve(result);
    } catch (error) {
      this.failed(run, error, stopTimeout);
      return;
    }
    if (!(result instanceof Promise)) {
      this.succeeded(run, result, stopTimeout);
      return;
    }
    result.then(
      (value) => this.succeeded(run, value, stopTimeout),
      (error: unknown) => this.failed(run, error, stopTimeout),
    );
  }

  private refuse(run: Run, refusal: Refusal): void {
    switch (refusal.kind) {
      case 'bury':
        this.bury(run, refusal.reason, refusal.error);
        return;
      case 'wait': {
        const { delayMs, reason } = refusal;
        this.settle(
          run,
          { kind: 'snooze', id: run.id, fence: run.fence, delayMs },
          { kind: 'version unknown', ...describe(run), version: run.version, delayMs, reason },
        );
        return;
      }
      default:
        refusal satisfies never;
    }
  }

  private limitTime(run: Run): (() => void) | null {
    return this.timeLimits.begin(() => {
      run.abort('handler timeout', this.parts.clock.monotonicMs());
      // The place stays taken until the handler ends: it is still using the process.
      this.judge(run, { kind: 'retry', delayMs: null, error: abortReason('handler timeout') });
    });
  }

  private succeeded(run: Run, value: unknown, stopTimeout: (() => void) | null): void {
    stopTimeout?.();
    if (value instanceof Completion) this.completeAs(run, value);
    else this.judge(run, value instanceof TaskOutcome ? value.decision : { kind: 'complete' });
    this.ended(run);
  }

  private failed(run: Run, error: unknown, stopTimeout: (() => void) | null): void {
    stopTimeout?.();
    // A handler that obeys the abort of a stop has not failed: the task is given back.
    if (run.abortCause === 'shutdown' && !run.settled) this.release(run);
    else this.judge(run, { kind: 'retry', delayMs: null, error });
    this.ended(run);
  }

  private ended(run: Run): void {
    this.parts.watcher?.handlerEnded(run);
    this.parts.host.ended(run);
  }

  private judge(run: Run, outcome: TaskOutcomeKind): void {
    if (run.settled) return;
    switch (outcome.kind) {
      case 'complete':
        this.complete(run);
        return;
      case 'retry':
        this.retry(run, outcome.delayMs, outcome.error);
        return;
      case 'snooze':
        this.snooze(run, outcome.delayMs);
        return;
      case 'bury':
        this.bury(run, outcome.reason, outcome.error);
        return;
      default:
        outcome satisfies never;
    }
  }

  private complete(run: Run): void {
    const { dedupeForMs } = this.parts.settings;
    const { id, fence } = run;
    const event = completedEvent(run, this.durationMs(run));
    this.settle(run, { kind: 'complete', id, fence, dedupeForMs }, event);
  }

  private completeAs(run: Run, { mark, skipped }: Completion): void {
    if (run.settled) return;
    const { dedupeForMs } = this.parts.settings;
    const ended = { ...describe(run), durationMs: this.durationMs(run) };
    this.settle(
      run,
      { kind: 'complete', id: run.id, fence: run.fence, dedupeForMs, mark },
      skipped === null ? { kind: 'completed', ...ended } : { kind: 'skipped', ...ended, ...skipped },
    );
  }

  private snooze(run: Run, delayMs: number): void {
    this.settle(
      run,
      { kind: 'snooze', id: run.id, fence: run.fence, delayMs },
      { kind: 'snoozed', ...describe(run), durationMs: this.durationMs(run), delayMs },
    );
  }

  private bury(run: Run, reason: string, error: unknown): void {
    this.settle(
      run,
      { kind: 'bury', id: run.id, fence: run.fence, reason, error: error === undefined ? '' : errorText(error) },
      { kind: 'buried', type: run.type, id: run.id, reason, error },
    );
  }

  private retry(run: Run, ownDelayMs: number | null, error: unknown): void {
    const delayMs = ownDelayMs ?? this.backoffDelay(run, error);
    const { type, id, fence, maxRetries } = run;
    const event: DeliveryEnd = retriesUsedUp(run.failures, maxRetries)
      ? { kind: 'buried', type, id, reason: REASON_RETRIES_USED_UP, error }
      : { kind: 'retried', ...describe(run), durationMs: this.durationMs(run), delayMs, error };
    this.settle(run, { kind: 'retry', id, fence, delayMs, maxRetries, error: errorText(error) }, event);
  }

  private backoffDelay(run: Run, error: unknown): number {
    const { backoff } = this.parts.settings;
    const { delayMs, customBackoffProblem } = retryDelay({ backoff, failures: run.failures + 1, error });
    if (customBackoffProblem !== undefined) {
      const problem = errorText(customBackoffProblem);
      this.parts.logger.warn(`The custom back-off of '${run.type}' is not usable, the default is used: ${problem}`);
    }
    return delayMs;
  }

  private settle(run: Run, settle: Settle, event: DeliveryEnd): void {
    run.settled = true;
    run.trace?.ended(event);
    this.parts.watcher?.runSettled(run, settle, event);
    this.parts.host.settle(run, settle, event);
  }

  private durationMs(run: Run): number {
    return this.parts.clock.monotonicMs() - run.startedAtMs;
  }
}

/** A run that was started, and is not with its handler yet. */
interface StartedRun {
  readonly run: Run;
  readonly storeOffsetMs: number;
  readonly stopTimeout: (() => void) | null;
}
