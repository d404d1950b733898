import type { Clock } from '../../core/clock.js';
import { isStoreError, QueueClosedError } from '../../core/errors.js';
import type { QueueLogger, QueueObserver } from '../../ports/queue-event.js';
import { errorText } from '../../task/error-text.js';
import type { ActivityWatcher } from '../activity-watcher.js';
import { OutageEpisode } from '../outage-episode.js';

/** Says once an episode that the ledger's database is away, and once that it is back. */
export class LedgerMonitor {
  private readonly episode: OutageEpisode;

  constructor(
    clock: Clock,
    observer: QueueObserver,
    logger: QueueLogger,
    private readonly watcher: ActivityWatcher | null = null,
  ) {
    this.episode = new OutageEpisode(clock, {
      began: (error) => {
        logger.error(`The ledger cannot be looked after at the moment, it is tried again: ${errorText(error)}`);
        observer.notify({ kind: 'ledger down', error });
      },
      ended: (downForMs) => {
        logger.log(`The ledger works again, after ${downForMs} ms.`);
        observer.notify({ kind: 'ledger up', downForMs });
      },
    });
  }

  /** Calls the ledger, which may fail, and will be called again: undefined when it did. */
  async attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    this.watcher?.ledgerWorkBegan();
    try {
      const result = await work();
      this.completed();
      return result;
    } catch (error) {
      this.failed(error);
      return undefined;
    } finally {
      this.watcher?.ledgerWorkEnded();
    }
  }

  completed(): void {
    this.episode.completed();
  }

  /** An error of the store says nothing about the ledger, and has a monitor of its own. */
  failed(error: unknown): void {
    if (!isStoreError(error) && !(error instanceof QueueClosedError)) this.episode.failed(error);
  }

  /** Tells nothing any more of an outage that has not ended by now. */
  close(): void {
    this.episode.close();
  }
}
