import type { Clock } from '../../core/clock.js';
import { type PartitionRef, partitionOf } from '../../core/partition.js';
import type { ResolvedLedgerOptions } from '../../options/ledger-options.js';
import type { QueueSettings } from '../../options/queue-settings.js';
import type { QueueLogger, QueueObserver } from '../../ports/queue-event.js';
import type { TaskKey, TaskLedger } from '../../ports/task-ledger.js';
import type { TaskStore } from '../../ports/task-store.js';
import type { WatchedParts } from '../activity-watcher.js';
import type { MutationDesk } from '../mutation-desk.js';
import type { LedgerMonitor } from './ledger-monitor.js';

/** What those need who keep store and ledger in step. */
export interface BookkeepingContext extends WatchedParts {
  readonly ledger: TaskLedger;
  readonly options: ResolvedLedgerOptions;
  readonly monitor: LedgerMonitor;
  readonly store: TaskStore;
  readonly desk: MutationDesk;
  readonly settings: QueueSettings;
  readonly clock: Clock;
  readonly observer: QueueObserver;
  readonly logger: QueueLogger;
}

/** Most rows that are taken, read or marked at once: as many as one call of the store may carry. */
export const ROWS_AT_ONCE = 500;

/** For so long nobody else takes rows that were taken; far longer than the calls that they are taken for. */
export function holdMs({ settings }: BookkeepingContext): number {
  return Math.max(30_000, 4 * settings.queue.storeTimeoutMs);
}

/** The partition that a task belongs to. */
export function partitionFor(settings: QueueSettings, { type, id }: TaskKey): PartitionRef {
  return { type, partition: partitionOf(id, settings.forType(type).partitions) };
}
