import type { Clock } from '../core/clock.js';
import { isStoreError, QueueClosedError } from '../core/errors.js';
import { assertTaskId } from '../core/ids.js';
import { partitionOf } from '../core/partition.js';
import type { ResolvedIdempotency } from '../options/resolved-idempotency.js';
import type { ResolvedTypeOptions } from '../options/resolved-options.js';
import type { IdempotencyStore, MarkClaim } from '../ports/idempotency-store.js';
import type { QueueLogger, QueueObserver } from '../ports/queue-event.js';
import type { DelayedTask } from '../task/delayed-task.js';
import { errorText } from '../task/error-text.js';
import { TaskOutcome } from '../task/task-outcome.js';
import { Completion } from './completion.js';
import type { FailureEpisode } from './failure-episode.js';
import { finishMark } from './finish-mark.js';
import { decodeResult, encodeResult } from './kept-result.js';
import { type HeldMark, MarkKeeper } from './mark-keeper.js';
import type { TaskHandler } from './task-handler.js';

/** What an idempotent handler is made of. */
export interface IdempotentHandlerParts {
  readonly handler: TaskHandler;
  readonly idempotency: ResolvedIdempotency;
  readonly settings: ResolvedTypeOptions;
  readonly store: IdempotencyStore;
  readonly clock: Clock;
  readonly observer: QueueObserver;
  readonly logger: QueueLogger;
  readonly failures: FailureEpisode;
}

/** While somebody else works under the key, looks at least so often whether he is done. */
const LONGEST_SNOOZE_MS = 30_000;

/** Wait before a task is tried again whose mark could not be read. */
const STORE_AWAY_SNOOZE_MS = 1_000;

/** A delivery that has lost its task may say what it likes: it does not count. */
const MOOT = TaskOutcome.snooze(0);

/**
 * Calls a handler only when its work was not done before, and nobody else is at it.
 *
 * A task's own mark is the task's lease while the work goes on, and is written as done by the turn that completes the
 * task. A mark under a key of the application stands elsewhere: it is begun before the handler is called, extended while
 * the handler runs, and written as done before the task is completed.
 */
export class IdempotentHandler implements TaskHandler {
  readonly type: string;
  readonly name: string;
  private readonly keeper: MarkKeeper;
  private warnedOfResult = false;

  constructor(private readonly parts: IdempotentHandlerParts) {
    this.type = parts.handler.type;
    this.name = parts.handler.name;
    this.keeper = new MarkKeeper(parts);
  }

  async run(task: DelayedTask<string>): Promise<unknown> {
    const { keyOf } = this.parts.idempotency;
    if (keyOf === null) return this.runOnce(task);
    const key = keyOf(task.payload, task);
    assertTaskId(key, 'idempotency key');
    return this.runUnder(key, task);
  }

  /** Extends no mark any more. */
  close(): void {
    this.keeper.close();
  }

  private async runOnce(task: DelayedTask<string>): Promise<unknown> {
    const { id, life, fence } = task;
    const ref = { type: this.type, partition: partitionOf(id, this.parts.settings.partitions) };
    const answer = await this.ask(() => this.parts.store.look({ ref, id, life, fence }));
    if (answer === null) return TaskOutcome.snooze(STORE_AWAY_SNOOZE_MS);
    switch (answer.kind) {
      case 'superseded':
        return MOOT;
      case 'done':
        return Completion.skipped({ key: null, result: decodeResult(answer.result) });
      case 'begun': {
        const value = await this.parts.handler.run(task);
        if (!isDone(value)) return value;
        return Completion.marked({ life, keepMs: this.parts.idempotency.ttlMs, result: this.kept(value) });
      }
      default:
        return answer satisfies never;
    }
  }

  private async runUnder(key: string, task: DelayedTask<string>): Promise<unknown> {
    const { type, id, life, fence } = task;
    const claim: MarkClaim = { owner: `${type}:${life}:${id}`, fence, holdMs: this.parts.settings.leaseMs };
    const answer = await this.ask(() => this.parts.store.begin(key, claim));
    if (answer === null) return TaskOutcome.snooze(STORE_AWAY_SNOOZE_MS);
    switch (answer.kind) {
      case 'superseded':
        return MOOT;
      case 'done':
        return Completion.skipped({ key, result: decodeResult(answer.result) });
      case 'in progress':
        return TaskOutcome.snooze(Math.min(answer.leftMs, LONGEST_SNOOZE_MS));
      case 'begun':
        return this.runHeld({ key, claim, onLost: once(() => this.observeLost(key, task)) }, task);
      default:
        return answer satisfies never;
    }
  }

  private async runHeld(mark: HeldMark, task: DelayedTask<string>): Promise<unknown> {
    const letGo = (): void => this.keeper.release(mark);
    this.keeper.hold(mark);
    // Without the lease, or after its time, a handler that goes on must not keep the key from others for ever.
    task.signal.addEventListener('abort', letGo, { once: true });
    try {
      const value = await this.callHandler(mark, task);
      if (isDone(value)) await this.finish(mark, task, value);
      return value;
    } finally {
      letGo();
      task.signal.removeEventListener('abort', letGo);
    }
  }

  /** Calls the handler, and gives the mark up when the work was not done. */
  private async callHandler(mark: HeldMark, task: DelayedTask<string>): Promise<unknown> {
    let value: unknown;
    try {
      task.signal.throwIfAborted();
      value = await this.parts.handler.run(task);
    } catch (error) {
      this.drop(mark);
      throw error;
    }
    if (!isDone(value)) this.drop(mark);
    return value;
  }

  private async finish(mark: HeldMark, task: DelayedTask<string>, value: unknown): Promise<void> {
    const done = { keepMs: this.parts.idempotency.ttlMs, result: this.kept(value) };
    const mayTryAgain = (): boolean => !task.signal.aborted;
    const answer = await finishMark(this.parts, { key: mark.key, owner: mark.claim, done, mayTryAgain });
    if (answer !== 'finished') mark.onLost();
  }

  /** Does not wait: a mark that stays is over with its time, and the next delivery of the task may take it before. */
  private drop({ key, claim }: HeldMark): void {
    this.parts.store.drop(key, claim).catch((error: unknown) => this.parts.failures.failed(error));
  }

  /** The store's answer, or null when it is away: then nothing has failed but the store. */
  private async ask<Answer>(call: () => Promise<Answer>): Promise<Answer | null> {
    try {
      const answer = await call();
      this.parts.failures.succeeded();
      return answer;
    } catch (error) {
      if (!isStoreError(error) && !(error instanceof QueueClosedError)) throw error;
      this.parts.failures.failed(error);
      return null;
    }
  }

  /** The result to be kept as JSON: the work is done, so one that cannot be kept fails nothing. */
  private kept(value: unknown): string | null {
    if (!this.parts.idempotency.keepResult || value instanceof TaskOutcome) return null;
    try {
      return encodeResult(value, this.parts.settings.payloadLimitBytes);
    } catch (error) {
      if (!this.warnedOfResult) {
        this.parts.logger.warn(`The result of ${this.name} cannot be kept, and is not: ${errorText(error)}`);
      }
      this.warnedOfResult = true;
      return null;
    }
  }

  private observeLost(key: string, { type, id, deliveries, failures, dueAt }: DelayedTask<string>): void {
    const task = { type, id, deliveries, failures, dueAtMs: dueAt.getTime() };
    this.parts.observer.notify({ kind: 'mark lost', ...task, key });
  }
}

/** Whether the work was done, which a handler may also say by `TaskOutcome.complete()`. */
function isDone(value: unknown): boolean {
  return !(value instanceof TaskOutcome) || value.decision.kind === 'complete';
}

/** The function, but for its second and later calls. */
function once(callback: () => void): () => void {
  let called = false;
  return () => {
    if (!called) callback();
    called = true;
  };
}
