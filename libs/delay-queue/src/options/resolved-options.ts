import type { PayloadCheck } from '../task/payload-check.js';
import type { Backoff } from '../task/retry-policy.js';
import type { UpcastSteps } from '../task/upcast-payload.js';

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
  /** Null for a type that takes any payload. */
  readonly payloadCheck: PayloadCheck | null;
  /** Version of the payloads that are written here, and that the handler takes. */
  readonly version: number;
  readonly upcast: UpcastSteps;
  readonly onUnknownVersion: 'bury' | 'wait';
}

/** The settings of a queue, complete and in milliseconds. */
export interface ResolvedQueueOptions {
  readonly prefix: string;
  readonly shutdownTimeoutMs: number;
  readonly storeTimeoutMs: number;
}
