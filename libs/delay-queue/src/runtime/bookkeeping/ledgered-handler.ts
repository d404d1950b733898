import type { Clock } from '../../core/clock.js';
import { LedgerUnavailableError, TaskEndedError } from '../../core/errors.js';
import type { QueueObserver } from '../../ports/queue-event.js';
import type { TaskLedger } from '../../ports/task-ledger.js';
import type { DelayedTask } from '../../task/delayed-task.js';
import { retriesUsedUp } from '../../task/retry-policy.js';
import { TaskOutcome, type TaskOutcomeKind } from '../../task/task-outcome.js';
import { describe, Run } from '../run.js';
import type { TaskHandler } from '../task-handler.js';
import type { LedgerDesk } from './ledger-desk.js';
import type { LedgerMonitor } from './ledger-monitor.js';

/** Wait of a task whose row could not be looked at, or marked; nothing is counted. */
const LEDGER_AWAY_WAIT_MS = 5_000;

/** For so long a finished task is marked again and again before it is given back, to be done once more. */
const MARK_FOR_MS = 30_000;

const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 2_000;

/** What a ledgered handler is made of. */
export interface LedgeredHandlerParts {
  readonly ledger: TaskLedger;
  readonly desk: LedgerDesk;
  readonly monitor: LedgerMonitor;
  readonly clock: Clock;
  readonly observer: QueueObserver;
  /** The store may have gone back to a time when this task was not done yet. */
  readonly isOfLostTime: (run: Run) => boolean;
}

/**
 * Runs tasks of the ledger by the rule: the ledger first, then the store.
 *
 * A delivery that may come after the task's end looks at the row before anything is done. What ends a task ends its row
 * before the store is told, so whatever is cut off in between is found by the next delivery, or by the sweep.
 */
export class LedgeredHandler implements TaskHandler {
  readonly type: string;
  readonly name: string;

  constructor(
    private readonly inner: TaskHandler,
    private readonly parts: LedgeredHandlerParts,
  ) {
    this.type = inner.type;
    this.name = inner.name;
  }

  run(task: DelayedTask<string>): unknown {
    if (!(task instanceof Run) || task.ledgerRow === null) return this.inner.run(task);
    return this.runLedgered(task, task.ledgerRow);
  }

  private async runLedgered(run: Run, row: string): Promise<unknown> {
    if (this.mustCheck(run)) {
      const verdict = await this.check(run, row);
      if (verdict !== null) return verdict;
    }
    const completion = new RowCompletion(this.parts.ledger, row);
    run.completion = (tx) => completion.complete(tx);
    try {
      const result = await this.inner.run(run);
      return await this.ended(run, row, { result, completion });
    } catch (error) {
      return this.failed(run, row, { error, completion });
    }
  }

  private mustCheck(run: Run): boolean {
    return run.deliveries > 1 || run.ledgerCheck || this.parts.isOfLostTime(run);
  }

  /** The outcome of a task that must not run, or null. */
  private async check(run: Run, row: string): Promise<TaskOutcome | null> {
    const state = await this.parts.monitor.attempt(async () => (await this.parts.desk.stateOf(row)) ?? 'missing');
    switch (state) {
      case undefined:
        return TaskOutcome.snooze(LEDGER_AWAY_WAIT_MS);
      case 'staged':
      case 'indexed':
        return null;
      case 'dead':
        // Redriven, or killed between the mark and the store's answer: it has the try that the store gives it.
        return (await this.attempt(() => this.parts.desk.revive(row))) ? null : TaskOutcome.snooze(LEDGER_AWAY_WAIT_MS);
      case 'done':
      case 'cancelled':
        this.tellEndedBefore(run, state);
        return TaskOutcome.complete();
      case 'missing':
        throw new TaskEndedError('missing', `The ledger has no row '${row}' any more; nothing is done without it.`);
      default:
        return state satisfies never;
    }
  }

  private async ended(
    run: Run,
    row: string,
    { result, completion }: { result: unknown; completion: RowCompletion },
  ): Promise<unknown> {
    const outcome: TaskOutcomeKind = result instanceof TaskOutcome ? result.decision : { kind: 'complete' };
    switch (outcome.kind) {
      case 'complete':
        if (completion.succeeded) return result;
        return (await this.markDone(run, row)) ? result : TaskOutcome.snooze(LEDGER_AWAY_WAIT_MS);
      case 'bury':
        await this.markDead(row);
        return result;
      case 'retry':
        if (retriesUsedUp(run.failures, run.maxRetries)) await this.markDead(row);
        return result;
      case 'snooze':
        return result;
      default:
        return outcome satisfies never;
    }
  }

  private async failed(
    run: Run,
    row: string,
    { error, completion }: { error: unknown; completion: RowCompletion },
  ): Promise<TaskOutcome> {
    const { endedBefore, succeeded } = completion;
    if (endedBefore !== null) {
      this.tellEndedBefore(run, endedBefore);
      return TaskOutcome.complete();
    }
    // It has thrown after its transaction, or because that was rolled back: the row knows.
    if (succeeded && (await this.isDone(row))) return TaskOutcome.complete();
    // What is aborted by a stop is given back, and not a failure.
    if (run.abortCause !== 'shutdown' && retriesUsedUp(run.failures, run.maxRetries)) await this.markDead(row);
    throw error;
  }

  private async isDone(row: string): Promise<boolean> {
    return (await this.parts.monitor.attempt(() => this.parts.desk.stateOf(row))) === 'done';
  }

  /** The effect has happened, so it is worth some tries; false when all failed. */
  private async markDone(run: Run, row: string): Promise<boolean> {
    const { clock, desk } = this.parts;
    const untilMs = clock.monotonicMs() + MARK_FOR_MS;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
      if (await this.attempt(() => desk.end(row, 'done'))) return true;
      if (run.abortCause !== null || clock.monotonicMs() + pauseMs > untilMs) return false;
      await new Promise<void>((resolve) => void clock.setTimer(resolve, pauseMs));
    }
  }

  /** When it fails, the sweep finds the dead letter. */
  private async markDead(row: string): Promise<void> {
    await this.attempt(() => this.parts.desk.end(row, 'dead'));
  }

  private async attempt(work: () => Promise<void>): Promise<boolean> {
    const done = await this.parts.monitor.attempt(async () => {
      await work();
      return true;
    });
    return done === true;
  }

  private tellEndedBefore(run: Run, state: 'done' | 'cancelled'): void {
    this.parts.observer.notify({ kind: 'ended before', ...describe(run), state });
  }
}

/** The completion of one delivery in a transaction of its handler. */
class RowCompletion {
  /** The row was ended, in a transaction that may still be rolled back. */
  succeeded = false;
  /** The state in which the row was found, when that ends the task. */
  endedBefore: 'done' | 'cancelled' | null = null;

  constructor(
    private readonly ledger: TaskLedger,
    private readonly row: string,
  ) {}

  async complete(tx: Parameters<TaskLedger['complete']>[1]): Promise<void> {
    const state = await this.ledger.complete(this.row, tx);
    switch (state) {
      case 'completed':
        this.succeeded = true;
        return;
      case 'done':
      case 'cancelled':
        this.endedBefore = state;
        throw new TaskEndedError(state, `The task is ${state} already; what this delivery did must be rolled back.`);
      case 'dead':
      case 'missing':
        throw new TaskEndedError(state, `The task's row in the ledger is ${state}; it is tried again.`);
      case 'staged':
      case 'indexed':
        throw new LedgerUnavailableError(`The task's row changed while it was being completed; it is tried again.`);
      default:
        state satisfies never;
    }
  }
}
