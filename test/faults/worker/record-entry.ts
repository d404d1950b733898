/** A line of a worker's record: what its handlers did and what it noticed, written outside Redis. */
export type RecordEntry =
  | StartEntry
  /** The handler has returned (`ok`), thrown, asked for a snooze, or given up because it was aborted. */
  | {
      readonly at: 'end';
      readonly type: string;
      readonly id: string;
      readonly fence: number;
      readonly how: 'ok' | 'threw' | 'snoozed' | 'gave up';
      /** Its signal was aborted before it ended. */
      readonly aborted: boolean;
      readonly atMs: number;
    }
  /** This delivery made the effect (`made`), or found it made already. */
  | {
      readonly at: 'effect';
      readonly type: string;
      readonly id: string;
      readonly life: string;
      readonly made: boolean;
      readonly atMs: number;
    }
  /** The process could not run, by a deed of its own or because the machine had no time for it. */
  | {
      readonly at: 'stall';
      readonly what: 'blocked event loop' | 'process.exit' | 'stalled machine';
      readonly fromMs: number;
      readonly toMs: number;
    }
  /** An event of the queue; those that come with every task are left out. */
  | {
      readonly at: 'event';
      readonly kind: string;
      readonly id: string | null;
      readonly detail: string;
      readonly atMs: number;
    }
  | { readonly at: 'log'; readonly level: 'log' | 'warn' | 'error'; readonly text: string; readonly atMs: number };

/** A delivery has reached its handler. */
export interface StartEntry {
  readonly at: 'start';
  readonly type: string;
  readonly id: string;
  readonly life: string;
  readonly deliveries: number;
  readonly failures: number;
  readonly lostLeases: number;
  readonly redrives: number;
  readonly fence: number;
  readonly dueMs: number;
  /** By the system clock, which the server of the test reads too. */
  readonly startMs: number;
}

/** An entry and the process that wrote it. */
export type Recorded<Entry extends RecordEntry = RecordEntry> = Entry & { readonly by: string };
