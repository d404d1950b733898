import type { Clock } from '../core/clock.js';
import type { QueueEvent } from '../ports/queue-event.js';
import type { Settle } from '../ports/settle.js';
import type { ActivityWatcher } from '../runtime/activity-watcher.js';
import type { Run } from '../runtime/run.js';
import { RunLog } from './run-log.js';

/** Whom a queue watch keeps informed. */
export interface QueueWatchHost {
  /** Something has begun or ended. */
  changed(): void;
  /** The queue stops or closes; the promise resolves when it has. */
  stopping(stopped: Promise<void>): void;
}

/** A handler whose outcome is not decided yet. */
export interface RunningHandler {
  readonly run: Run;
  /** `Class.method`. */
  readonly name: string;
}

/** Knows what one queue is doing at this moment, and what its handlers have done. */
export class QueueWatch implements ActivityWatcher {
  readonly log: RunLog;
  private readonly handlers = new Map<Run, RunningHandler>();
  private calls = 0;
  private ledgerWork = 0;
  private lookAtRows: (() => Promise<number>) | null = null;
  /** Rows of the ledger may have committed that nobody has looked at. */
  private hasNewRows = false;

  constructor(
    clock: Clock,
    private readonly host: QueueWatchHost,
  ) {
    this.log = new RunLog(clock);
  }

  /** A call of the store is under way, or about to be made. */
  get isCalling(): boolean {
    return this.calls > 0;
  }

  /** The database of the ledger is at work. */
  get isAtLedger(): boolean {
    return this.ledgerWork > 0;
  }

  /** Whether {@link handling} is not empty. */
  get isHandling(): boolean {
    for (const run of this.handlers.keys()) if (!run.settled) return true;
    return false;
  }

  /** Handlers that run. One whose task was settled before its end, for its time was over, is not waited for. */
  get handling(): readonly RunningHandler[] {
    return [...this.handlers.values()].filter(({ run }) => !run.settled);
  }

  /**
   * Brings tasks to the store that transactions have written to the ledger.
   *
   * @param again looks also at those that were not committed when they were looked at last.
   */
  async seeRows({ again }: { readonly again: boolean }): Promise<void> {
    if (this.lookAtRows === null || !(this.hasNewRows || again)) return;
    this.hasNewRows = false;
    await this.lookAtRows();
  }

  callBegan(): void {
    this.calls++;
    this.host.changed();
  }

  callEnded(): void {
    this.calls--;
    this.host.changed();
  }

  handlerStarted(run: Run, handlerName: string): void {
    this.handlers.set(run, { run, name: handlerName });
    this.log.started(run, handlerName);
    this.host.changed();
  }

  runSettled(run: Run, settle: Settle, event: QueueEvent | null): void {
    this.log.settled(run, settle, event);
    this.host.changed();
  }

  handlerEnded(run: Run): void {
    this.handlers.delete(run);
    this.log.ended(run);
    this.host.changed();
  }

  ledgerWorkBegan(): void {
    this.ledgerWork++;
    this.host.changed();
  }

  ledgerWorkEnded(): void {
    this.ledgerWork--;
    this.host.changed();
  }

  rowsWritten(look: () => Promise<number>): void {
    this.lookAtRows = look;
    this.hasNewRows = true;
    this.host.changed();
  }

  stopping(stopped: Promise<void>): void {
    this.host.stopping(stopped);
  }
}
