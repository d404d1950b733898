import type { Clock } from '../core/clock.js';
import { isStoreError } from '../core/errors.js';
import type { DoneMark, FinishAnswer, IdempotencyStore, MarkOwner } from '../ports/idempotency-store.js';
import type { FailureEpisode } from './failure-episode.js';
import { pause } from './pause.js';

/** What reporting work done needs. */
export interface FinishParts {
  readonly store: IdempotencyStore;
  readonly clock: Clock;
  readonly failures: FailureEpisode;
}

/** Work that was done, under which key and by whom. */
export interface FinishedWork {
  readonly key: string;
  readonly owner: MarkOwner;
  readonly done: DoneMark;
  /** Asked after each try that failed. */
  readonly mayTryAgain: () => boolean;
}

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;

/**
 * Reports work done until the store has answered: a report that is given up means that the work may be done twice.
 *
 * @throws StoreUnavailableError, StoreRejectedError when it may not try again; QueueClosedError
 */
export async function finishMark({ store, clock, failures }: FinishParts, work: FinishedWork): Promise<FinishAnswer> {
  const { key, owner, done } = work;
  let maybeApplied = false;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * pauseMs)) {
    try {
      const answer = await store.finish(key, owner, done);
      failures.succeeded();
      // After a call without an answer, a done mark that is there already is its trace.
      return answer === 'done before' && maybeApplied ? 'finished' : answer;
    } catch (error) {
      if (!isStoreError(error)) throw error;
      failures.failed(error);
      if (!work.mayTryAgain()) throw error;
      maybeApplied ||= error.outcome === 'unknown';
      await pause(clock, pauseMs);
    }
  }
}
