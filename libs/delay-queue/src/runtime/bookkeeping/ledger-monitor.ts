import type { Clock } from '../../core/clock.js';
import { isStoreError, QueueClosedError } from '../../core/errors.js';
import type { QueueLogger, QueueObserver } from '../../ports/queue-event.js';
import { errorText } from '../../task/error-text.js';
import type { ActivityWatcher } from '../activity-watcher.js';

/** Says once an episode that the ledger's database is away, and once that it is back. */
export class LedgerMonitor {
  private downSinceMs: number | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly observer: QueueObserver,
    private readonly logger: QueueLogger,
    private readonly watcher: ActivityWatcher | null = null,
  ) {}

  get isDown(): boolean {
    return this.downSinceMs !== null;
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
    if (this.downSinceMs === null) return;
    const downForMs = this.clock.monotonicMs() - this.downSinceMs;
    this.downSinceMs = null;
    this.logger.log(`The ledger works again, after ${Math.round(downForMs)} ms.`);
    this.observer.notify({ kind: 'ledger up', downForMs });
  }

  /** An error of the store says nothing about the ledger, and has a monitor of its own. */
  failed(error: unknown): void {
    if (this.downSinceMs !== null || isStoreError(error) || error instanceof QueueClosedError) return;
    this.downSinceMs = this.clock.monotonicMs();
    this.logger.error(`The ledger cannot be looked after at the moment, it is tried again: ${errorText(error)}`);
    this.observer.notify({ kind: 'ledger down', error });
  }
}
