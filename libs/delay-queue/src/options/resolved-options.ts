import type { Backoff } from '../task/retry-policy.js';

/** The settings of one task type, complete and in milliseconds. */
export interface ResolvedTypeOptions {
  readonly type: string;
  readonly partitions: number;
  readonly dedupeForMs: number;
  readonly payloadLimitBytes: number;
  readonly deadKeepMs: number;
  /** Dead letters kept in each partition: the type's maximum, shared out. */
  readonly deadMaxPerPartition: number;
  readonly concurrency: number;
  readonly handlerTimeoutMs: number | null;
  readonly maxRetries: number;
  readonly backoff: Backoff;
  readonly leaseMs: number;
  readonly maxLostLeases: number;
  readonly stuckAfterMs: number;
}

/** The settings of a queue, complete and in milliseconds. */
export interface ResolvedQueueOptions {
  readonly prefix: string;
  readonly shutdownTimeoutMs: number;
  readonly storeTimeoutMs: number;
}
