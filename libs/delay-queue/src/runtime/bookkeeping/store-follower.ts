import type { DueTime, Mutation, MutationResult } from '../../ports/mutation.js';
import type { ChangedRow, TaskKey } from '../../ports/task-ledger.js';
import type { Submission } from '../mutation-buffer.js';
import type { BookkeepingContext } from './bookkeeping-context.js';
import type { LedgerDesk } from './ledger-desk.js';
import type { OwnRowWatch } from './own-row-watch.js';
import { rowInStore } from './row-in-store.js';

/** Of many mutations, so many are followed at a time: each takes a connection of the database. */
const FOLLOWED_AT_ONCE = 20;

/** What a follower is made of, beside the context. */
export interface StoreFollowerParts {
  readonly watch: OwnRowWatch;
  readonly desk: LedgerDesk;
}

/**
 * Lets the ledger follow what a call without a transaction has done in the store.
 *
 * The store comes first here, because it alone knows whether a task runs. A crash between the two leaves a row behind that
 * the sweep takes for a forgotten task: who cannot accept that gives the call a transaction.
 */
export class StoreFollower {
  constructor(
    private readonly context: BookkeepingContext,
    private readonly parts: StoreFollowerParts,
  ) {}

  /**
   * Carries the change over to the row of the task, if it has one, and answers for both.
   *
   * @throws LedgerUnavailableError when the store has made the change and the ledger has not; calling again is safe.
   */
  async follow(type: string, mutation: Mutation, result: MutationResult): Promise<MutationResult> {
    const key = { type, id: mutation.id };
    if (!this.mayHaveRow(key)) return result;
    switch (mutation.kind) {
      case 'cancel':
        return this.cancel(key, result);
      case 'reschedule':
        return this.move(key, mutation.due, result);
      case 'runNow':
        return this.move(key, { delayMs: 0 }, result);
      case 'schedule':
        // One that the store has just created replaces what only the ledger had.
        if (mutation.onDuplicate === 'replace' && result.status !== 'duplicate') await this.context.ledger.cancel(key);
        return result;
      case 'purgeDead':
        return this.purge(key, result);
      case 'redrive':
        if (result.status === 'redriven') await this.revive(key);
        return result;
      default:
        return mutation satisfies never;
    }
  }

  /** The same for several mutations; one that the ledger fails to follow has its error in place of its result. */
  async followMany(
    type: string,
    submissions: readonly Submission[],
    outcomes: readonly (MutationResult | Error)[],
  ): Promise<readonly (MutationResult | Error)[]> {
    const followed = [...outcomes];
    const remaining = submissions.entries();
    await Promise.all(
      Array.from({ length: FOLLOWED_AT_ONCE }, async () => {
        for (const [index, { mutation }] of remaining) {
          const outcome = outcomes[index] ?? new Error(`There is no outcome for '${mutation.id}'.`);
          followed[index] =
            outcome instanceof Error ? outcome : await this.follow(type, mutation, outcome).catch(toError);
        }
      }),
    );
    return followed;
  }

  private mayHaveRow({ type, id }: TaskKey): boolean {
    const { types } = this.context.options;
    // A ledger refuses ids with NUL, and PostgreSQL refuses to be asked for one.
    return (types === null || types.has(type)) && !id.includes('\0');
  }

  private async cancel(key: TaskKey, result: MutationResult): Promise<MutationResult> {
    if (result.status === 'running') return result;
    const changed = await this.context.ledger.cancel(key);
    if (changed === null || result.status === 'cancelled') return result;
    // It was staged, and may be on its way to the store.
    this.watch(changed);
    return { status: 'cancelled', state: 'none', dueAtMs: null };
  }

  private async move(key: TaskKey, due: DueTime, result: MutationResult): Promise<MutationResult> {
    if (result.status === 'rescheduled') {
      const staged = await this.context.ledger.retime(key, due);
      if (staged !== null) this.watch(staged);
    }
    if (result.status !== 'not_found' || result.state !== 'none') return result;
    const changed = await this.context.ledger.reschedule(key, due);
    if (changed === null) return result;
    this.watch(changed);
    return { status: 'rescheduled', state: 'waiting', dueAtMs: changed.dueAtMs };
  }

  /** Also a row whose dead letter is gone already: an earlier call may have been cut off, or the letter trimmed. */
  private async purge(key: TaskKey, result: MutationResult): Promise<MutationResult> {
    if (result.status !== 'purged' && result.state !== 'none') return result;
    const isFreed = await this.context.ledger.purge(key);
    return isFreed ? { status: 'purged', state: 'none', dueAtMs: null } : result;
  }

  /** A row that stayed dead would not be loaded again after a loss; when this fails, the next delivery revives it. */
  private async revive(key: TaskKey): Promise<void> {
    const row = await rowInStore(this.context, key, ['waiting', 'running']);
    if (row !== null) await this.context.monitor.attempt(() => this.parts.desk.revive(row));
  }

  private watch({ row, version }: ChangedRow): void {
    this.parts.watch.add(row, version);
  }
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
