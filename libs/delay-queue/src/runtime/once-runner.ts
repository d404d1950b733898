import type { Clock } from '../core/clock.js';
import { IdempotencyInProgressError, isStoreError } from '../core/errors.js';
import { newTaskId } from '../core/ids.js';
import type { IdempotencyStore, MarkAnswer, MarkClaim } from '../ports/idempotency-store.js';
import type { QueueLogger } from '../ports/queue-event.js';
import { errorText } from '../task/error-text.js';
import type { FailureEpisode } from './failure-episode.js';
import { finishMark } from './finish-mark.js';
import { decodeResult, encodeResult } from './kept-result.js';
import { type HeldMark, MarkKeeper } from './mark-keeper.js';
import { pause } from './pause.js';

/** What became of a call of `once`. */
export type OnceResult<T> =
  | {
      /** The work was done by this call. */
      readonly status: 'ran';
      readonly result: T;
      /**
       * False when the work could not be noted as done: the store was away, or the mark had run out and another caller
       * has begun. Then the work may be done a second time.
       */
      readonly marked: boolean;
    }
  | {
      /** The work was done before, by another call or by a task. */
      readonly status: 'skipped';
      /** What was kept of it, as it comes back from JSON; undefined when nothing was kept. */
      readonly result: T | undefined;
    };

/** Settings of one call, complete and in milliseconds. */
export interface OnceSettings {
  readonly ttlMs: number;
  readonly keepResult: boolean;
  readonly waitMs: number;
}

/** What runs under a key. */
export interface OnceWork<T> {
  readonly key: string;
  readonly work: () => T | Promise<T>;
}

/** What a once runner needs. */
export interface OnceRunnerParts {
  readonly store: IdempotencyStore;
  readonly clock: Clock;
  readonly logger: QueueLogger;
  readonly failures: FailureEpisode;
  /** Largest result that is kept, in bytes of JSON. */
  readonly maxResultBytes: number;
}

/** How long a process may be silent before its mark counts as that of a crashed one: as the default lease of tasks. */
export const ONCE_HOLD_MS = 30_000;

/** Pauses between looks at a mark that is in progress elsewhere. */
const FIRST_LOOK_MS = 25;
const LONGEST_LOOK_MS = 500;

/** Does work outside handlers that must happen once. */
export class OnceRunner {
  private readonly keeper: MarkKeeper;

  constructor(private readonly parts: OnceRunnerParts) {
    this.keeper = new MarkKeeper(parts);
  }

  /**
   * Does the work, unless it was done before; waits while somebody else is at it.
   *
   * @throws IdempotencyInProgressError when the other is not done in time; StoreUnavailableError, StoreRejectedError,
   * QueueClosedError when the mark could not be begun; whatever the work throws.
   */
  async run<T>({ key, work }: OnceWork<T>, settings: OnceSettings): Promise<OnceResult<T>> {
    // A task's owner begins with the name of its type, which is not empty.
    const claim: MarkClaim = { owner: `:${newTaskId()}`, fence: 0, holdMs: ONCE_HOLD_MS };
    const answer = await this.begin(key, claim, settings.waitMs);
    switch (answer.kind) {
      case 'begun':
        return this.runHeld({ key, work }, { claim, settings });
      case 'done':
        return { status: 'skipped', result: decodeResult(answer.result) as T | undefined };
      case 'in progress':
        throw new IdempotencyInProgressError(key, answer.leftMs);
      case 'superseded':
        throw new Error('The store knows an owner that was made just now.');
      default:
        return answer satisfies never;
    }
  }

  /** Extends no mark any more. */
  close(): void {
    this.keeper.close();
  }

  private async begin(key: string, claim: MarkClaim, waitMs: number): Promise<MarkAnswer> {
    const { clock } = this.parts;
    const giveUpAtMs = clock.monotonicMs() + waitMs;
    for (let lookMs = FIRST_LOOK_MS; ; lookMs = Math.min(LONGEST_LOOK_MS, 2 * lookMs)) {
      const answer = await this.tryToBegin(key, claim);
      const leftMs = giveUpAtMs - clock.monotonicMs();
      if (answer.kind !== 'in progress' || leftMs <= 0) return answer;
      // Part of it at random, so that the callers that wait do not all look in the same millisecond.
      await pause(clock, Math.min(answer.leftMs, leftMs, lookMs * (0.5 + Math.random() / 2)));
    }
  }

  private async tryToBegin(key: string, claim: MarkClaim): Promise<MarkAnswer> {
    try {
      return await this.parts.store.begin(key, claim);
    } catch (error) {
      // It may have been applied: nobody should have to wait for the end of a mark that nobody uses.
      if (isStoreError(error) && error.outcome === 'unknown') this.drop(key, claim);
      throw error;
    }
  }

  private async runHeld<T>(
    { key, work }: OnceWork<T>,
    { claim, settings }: { readonly claim: MarkClaim; readonly settings: OnceSettings },
  ): Promise<OnceResult<T>> {
    const mark: HeldMark = { key, claim, onLost: () => undefined };
    this.keeper.hold(mark);
    try {
      const result = await this.callWork(work, mark);
      return { status: 'ran', result, marked: await this.finish(mark, settings, result) };
    } finally {
      this.keeper.release(mark);
    }
  }

  private async callWork<T>(work: () => T | Promise<T>, { key, claim }: HeldMark): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.drop(key, claim);
      throw error;
    }
  }

  /** Notes the work as done; false, and a warning, when that was not possible. */
  private async finish(
    { key, claim }: HeldMark,
    { ttlMs, keepResult }: OnceSettings,
    result: unknown,
  ): Promise<boolean> {
    const { clock, logger } = this.parts;
    const done = { keepMs: ttlMs, result: keepResult ? this.kept(key, result) : null };
    // Later, somebody else may have begun, and the caller has waited long enough.
    const giveUpAtMs = clock.monotonicMs() + claim.holdMs;
    const mayTryAgain = (): boolean => clock.monotonicMs() < giveUpAtMs;
    try {
      const answer = await finishMark(this.parts, { key, owner: claim, done, mayTryAgain });
      if (answer === 'finished') return true;
      logger.warn(`Work under the idempotency key '${key}' went on for longer than its mark, and was begun elsewhere.`);
    } catch (error) {
      logger.warn(`Work under the idempotency key '${key}' could not be noted as done: ${errorText(error)}`);
    }
    return false;
  }

  /** The result as JSON: the work is done, so one that cannot be kept fails nothing. */
  private kept(key: string, result: unknown): string | null {
    try {
      return encodeResult(result, this.parts.maxResultBytes);
    } catch (error) {
      const problem = errorText(error);
      this.parts.logger.warn(`The result of the work under '${key}' cannot be kept, and is not: ${problem}`);
      return null;
    }
  }

  /** Does not wait: a mark that stays is over with its time. */
  private drop(key: string, claim: MarkClaim): void {
    this.parts.store.drop(key, claim).catch((error: unknown) => this.parts.failures.failed(error));
  }
}
