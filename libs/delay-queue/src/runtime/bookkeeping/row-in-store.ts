import { isStoreError } from '../../core/errors.js';
import type { TaskKey } from '../../ports/task-ledger.js';
import { errorText } from '../../task/error-text.js';
import { ledgerRowOf } from '../../task/ledger-envelope.js';
import type { TaskState } from '../../task/task-state.js';
import { type BookkeepingContext, partitionFor } from './bookkeeping-context.js';

/** The row of a task that the store has in a state; null when there is none, and when the store cannot be asked. */
export async function rowInStore(
  { store, settings, logger }: BookkeepingContext,
  key: TaskKey,
  states: readonly TaskState[],
): Promise<string | null> {
  try {
    const record = await store.get(partitionFor(settings, key), key.id);
    if (record === null || record.envelope === null || !states.includes(record.state)) return null;
    return ledgerRowOf(record.envelope);
  } catch (error) {
    // An outage is told by the store's own monitor.
    if (!isStoreError(error)) logger.warn(`The task '${key.id}' of '${key.type}' cannot be read: ${errorText(error)}`);
    return null;
  }
}
