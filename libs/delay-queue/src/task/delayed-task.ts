import type { PayloadOf, TaskType } from './delayed-tasks.js';
import type { LedgerConnection } from './ledger-connection.js';
import type { TaskHeaders } from './task-headers.js';

/** One delivery of a task, as a handler sees it. */
export interface DelayedTask<Type extends string = TaskType> {
  readonly type: Type;
  /** Unique within the type. */
  readonly id: string;
  readonly payload: PayloadOf<Type>;
  /** Tells the lives of one id apart: the same through retries and redrives, another after a new `schedule`. */
  readonly life: string;
  /** When this delivery was due, by the store's clock. */
  readonly dueAt: Date;
  /** When the task was scheduled, by the producer's clock. */
  readonly createdAt: Date;
  /** How often the task was handed to a handler, this time included; 1 for the first. */
  readonly deliveries: number;
  /** How often a handler has failed since the task was scheduled or redriven. */
  readonly failures: number;
  /** How many leases in a row ended without an answer (crash, stall) before this delivery. */
  readonly lostLeases: number;
  /** How often the task was brought back from the dead letters. */
  readonly redrives: number;
  /** Failures after which the next one makes it a dead letter. */
  readonly maxRetries: number;
  /** Proves which claim holds the lease; rises with every claim. */
  readonly fence: number;
  /** What the producer has given beside the payload; with tracing, `traceparent` and the like as well. */
  readonly headers: TaskHeaders;
  /** Aborted when the lease is lost, the handler's time is over, or the process stops. */
  readonly signal: AbortSignal;
  /** It was scheduled in a transaction, and has a row in the ledger. */
  readonly ledgered: boolean;
  /**
   * Completes a task of the ledger in a transaction, together with what the handler changes in it: both happen, or neither.
   *
   * Call it first in the transaction. When it throws, let the error pass, so that the transaction is rolled back: then
   * another delivery was there before, or the task was cancelled.
   *
   * @throws TaskEndedError when the task's row is not open any more.
   * @throws InvalidArgumentError when the task is none of the ledger, or `tx` is no connection.
   * @example
   * await dataSource.transaction(async (tx) => {
   *   await task.complete(tx);
   *   await tx.update(Order, { id: orderId, status: 'pending' }, { status: 'cancelled' });
   * });
   */
  complete(tx: LedgerConnection): Promise<void>;
}
