/** A handler that runs far too long, or goes on after its signal was aborted. */
export interface StuckHandler {
  readonly type: string;
  readonly id: string;
  readonly runningForMs: number;
}

/** How the queue of this process is, judged by the store calls that have completed. */
export interface QueueHealth {
  /**
   * `down` when store calls fail, or are due, and none has completed for 10 s. A connection that answers PING proves
   * nothing; a process that has no reason to call the store is not down.
   */
  readonly status: 'up' | 'down';
  /** Time since a store call last completed, or since the process began. */
  readonly sinceCompletedMs: number;
  /** What the last failed call said, while calls fail. */
  readonly error: unknown;
  /** Handlers that run now; a stuck one counts, for it keeps its place. */
  readonly running: number;
  readonly stuck: readonly StuckHandler[];
  /** Settings of the server that endanger the queue's promises. */
  readonly warnings: readonly string[];
}

/** Two sweeps: a shorter silence is a call that is tried again, and no reason to take a process out of service. */
export const DOWN_AFTER_MS = 10_000;
