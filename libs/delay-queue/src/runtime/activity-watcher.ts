import type { QueueEvent } from '../ports/queue-event.js';
import type { Settle } from '../ports/settle.js';
import type { Run } from './run.js';

/**
 * Is told what a runtime is doing, so that somebody can wait until it has come to rest.
 *
 * Between any cause and its effects at least one of these is going on: a call, a handler, or work on the ledger.
 */
export interface ActivityWatcher {
  /** A call of the store is about to be made; always followed by {@link callEnded}. */
  callBegan(): void;
  /** It was answered, and what the answer causes has begun; or there was nothing to call for. */
  callEnded(): void;
  /**
   * Always followed by {@link handlerEnded}, unless the handler never ends.
   *
   * @param handlerName `Class.method`.
   */
  handlerStarted(run: Run, handlerName: string): void;
  /**
   * The outcome of a run is decided, at the latest when its handler ends; also told of runs that were never started.
   *
   * @param event what observers are told when the store has confirmed it.
   */
  runSettled(run: Run, settle: Settle, event: QueueEvent | null): void;
  handlerEnded(run: Run): void;
  /** The database of the ledger is asked, which takes its own time; always followed by {@link ledgerWorkEnded}. */
  ledgerWorkBegan(): void;
  ledgerWorkEnded(): void;
  /**
   * A transaction has written rows to the ledger.
   *
   * @param look brings those to the store that have committed since, and tells how many have not.
   */
  rowsWritten(look: () => Promise<number>): void;
  /** The runtime stops or closes; the promise resolves when it has. */
  stopping(stopped: Promise<void>): void;
}

/** Parts of a runtime that tell a watcher what they do, when there is one. */
export interface WatchedParts {
  readonly watcher?: ActivityWatcher | null | undefined;
}
