import type { Mutation, MutationResult } from '../../ports/mutation.js';
import type { TaskKey } from '../../ports/task-ledger.js';
import type { BookkeepingContext } from './bookkeeping-context.js';
import type { OwnRowWatch } from './own-row-watch.js';

/**
 * Lets the ledger follow what a call without a transaction has done in the store.
 *
 * The store comes first here, because it alone knows whether a task runs. A crash between the two leaves a row behind that
 * the sweep takes for a forgotten task: who cannot accept that gives the call a transaction.
 */
export class StoreFollower {
  constructor(
    private readonly context: BookkeepingContext,
    private readonly watch: OwnRowWatch,
  ) {}

  /**
   * Carries the change over to the row of the task, if it has one, and answers for both.
   *
   * @throws LedgerUnavailableError when the store has made the change and the ledger has not; calling again is safe.
   */
  async follow(type: string, mutation: Mutation, result: MutationResult): Promise<MutationResult> {
    const { types } = this.context.options;
    if (types !== null && !types.has(type)) return result;
    const key = { type, id: mutation.id };
    switch (mutation.kind) {
      case 'cancel':
        return this.cancel(key, result);
      case 'reschedule':
        return this.move(key, mutation.due, result);
      case 'runNow':
        return this.move(key, { delayMs: 0 }, result);
      case 'schedule':
        if (result.status === 'replaced') await this.context.ledger.cancel(key);
        return result;
      case 'purgeDead':
        if (result.status === 'purged') await this.context.ledger.cancel(key);
        return result;
      case 'redrive':
        // The next delivery finds its row dead, and revives it.
        return result;
      default:
        return mutation satisfies never;
    }
  }

  private async cancel(key: TaskKey, result: MutationResult): Promise<MutationResult> {
    if (result.status === 'running') return result;
    const changed = await this.context.ledger.cancel(key);
    if (changed === null || result.status === 'cancelled') return result;
    // It was staged, and may be on its way to the store.
    this.watch.add(changed.row);
    return { status: 'cancelled', state: 'none', dueAtMs: null };
  }

  private async move(
    key: TaskKey,
    due: Extract<Mutation, { kind: 'reschedule' }>['due'],
    result: MutationResult,
  ): Promise<MutationResult> {
    if (result.status === 'rescheduled') await this.context.ledger.retime(key, due);
    if (result.status !== 'not_found' || result.state !== 'none') return result;
    const changed = await this.context.ledger.reschedule(key, due);
    if (changed === null) return result;
    this.watch.add(changed.row);
    return { status: 'rescheduled', state: 'waiting', dueAtMs: changed.dueAtMs };
  }
}
