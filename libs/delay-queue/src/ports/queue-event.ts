import type { MutationStatus } from './mutation.js';

interface TaskEventBase {
  readonly type: string;
  readonly id: string;
}

interface DeliveryEventBase extends TaskEventBase {
  readonly deliveries: number;
  readonly failures: number;
  readonly dueAtMs: number;
}

/** Something that this process did or noticed. */
export type QueueEvent =
  /** A producer's or administrator's call was applied. */
  | (TaskEventBase & {
      readonly kind: 'mutated';
      readonly mutation: 'schedule' | 'reschedule' | 'runNow' | 'cancel' | 'redrive' | 'purgeDead';
      readonly status: MutationStatus;
      readonly dueAtMs: number | null;
    })
  /** A handler starts. Lateness is the time since the due time, by the store's clock. */
  | (DeliveryEventBase & { readonly kind: 'started'; readonly latenessMs: number })
  | (DeliveryEventBase & { readonly kind: 'completed'; readonly durationMs: number })
  /**
   * The work was done before, under this idempotency key (null: by an earlier delivery of this very life of the task). The
   * handler was not called, and the task is complete. The result is undefined when none was kept.
   */
  | (DeliveryEventBase & {
      readonly kind: 'skipped';
      readonly durationMs: number;
      readonly key: string | null;
      readonly result: unknown;
    })
  /** The handler failed; the task waits for another try. */
  | (DeliveryEventBase & {
      readonly kind: 'retried';
      readonly durationMs: number;
      readonly delayMs: number;
      readonly error: unknown;
    })
  | (DeliveryEventBase & { readonly kind: 'snoozed'; readonly durationMs: number; readonly delayMs: number })
  /** The payload has a version that this process does not know: the task waits for one that does. */
  | (DeliveryEventBase & {
      readonly kind: 'version unknown';
      readonly version: number;
      readonly delayMs: number;
      readonly reason: string;
    })
  /** The task was given back, unrun or unfinished, because the process stops; nothing was counted. */
  | (DeliveryEventBase & { readonly kind: 'released' })
  /** The task became a dead letter. */
  | (TaskEventBase & { readonly kind: 'buried'; readonly reason: string; readonly error: unknown })
  /** Another process has taken the task over; what this one still reports about it does not count. */
  | (DeliveryEventBase & { readonly kind: 'lease lost' })
  /** The settle was answered as unknown: sent again after a time-out, the task was not running any more. */
  | (DeliveryEventBase & { readonly kind: 'settle unknown' })
  /** A handler has been running for very long, or has not ended after its signal was aborted. */
  | (DeliveryEventBase & { readonly kind: 'stuck'; readonly runningForMs: number })
  /** The task had ended in the ledger before this delivery: its handler was not run, or what it did was rolled back. */
  | (DeliveryEventBase & { readonly kind: 'ended before'; readonly state: 'done' | 'cancelled' })
  /** The store did not have a task that the ledger has, and has it now. */
  | (TaskEventBase & { readonly kind: 'restored'; readonly by: 'relay' | 'sweep' | 'rebuild' })
  /** A task of the ledger was given up because another one, which is none of the ledger's, has its id. */
  | (TaskEventBase & { readonly kind: 'superseded' })
  /** All that the store had lost of a partition is loaded again, as far as this process had to do with it. */
  | {
      readonly kind: 'rebuilt';
      readonly type: string;
      readonly partition: number;
      readonly tasks: number;
      readonly durationMs: number;
    }
  /** Calls to the database of the ledger have begun to fail. */
  | { readonly kind: 'ledger down'; readonly error: unknown }
  /** They complete again. */
  | { readonly kind: 'ledger up'; readonly downForMs: number }
  /** A due id had no task behind it and was removed. */
  | (TaskEventBase & { readonly kind: 'orphan removed' })
  /**
   * Work went on for longer than its idempotency mark, which was not renewed in time, and another caller took the key over:
   * the work may have been done twice.
   */
  | (DeliveryEventBase & { readonly kind: 'mark lost'; readonly key: string })
  /** The partition's keys have vanished, or have gone back to an earlier state. */
  | {
      readonly kind: 'partition lost';
      readonly type: string;
      readonly partition: number;
      readonly how: 'absent' | 'rolled back';
    }
  /** The store's clock has stepped against this process's monotonic clock. */
  | { readonly kind: 'clock jump'; readonly byMs: number }
  /** Store calls have begun to fail. */
  | { readonly kind: 'store down'; readonly error: unknown }
  /** Store calls complete again. */
  | { readonly kind: 'store up'; readonly downForMs: number };

/** Watches what the queue does; what it throws is logged and changes nothing. */
export interface QueueObserver {
  notify(event: QueueEvent): void;
}

/** Where the queue writes what an operator should read. */
export interface QueueLogger {
  log(message: string): void;
  warn(message: string): void;
  error(message: string, error?: unknown): void;
}
