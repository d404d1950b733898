import type { OwnDoneMark } from './idempotency-store.js';

/**
 * How one delivery ends. It takes effect only while the task is leased under this very fence.
 *
 * `release` gives the task back unrun or unfinished: due again at its old due time, nothing counted.
 */
export type Settle =
  | {
      readonly kind: 'complete';
      readonly id: string;
      readonly fence: number;
      readonly dedupeForMs: number;
      /** Written with the completion, if at all: this life of the task was done. */
      readonly mark?: OwnDoneMark | undefined;
    }
  | {
      readonly kind: 'retry';
      readonly id: string;
      readonly fence: number;
      readonly delayMs: number;
      /** When the failures exceed it, the task becomes a dead letter instead. */
      readonly maxRetries: number;
      /** Kept with the dead letter. */
      readonly error: string;
    }
  | { readonly kind: 'snooze'; readonly id: string; readonly fence: number; readonly delayMs: number }
  | { readonly kind: 'release'; readonly id: string; readonly fence: number }
  | {
      readonly kind: 'bury';
      readonly id: string;
      readonly fence: number;
      readonly reason: string;
      readonly error: string;
    };

/** A lease to be prolonged to now + lease length, also when it has run out and nobody took the task. */
export interface LeaseExtension {
  readonly id: string;
  readonly fence: number;
}

/**
 * Answer to one settle or extension: `applied`; `stale`, another claim holds the task; `gone`, the task is not running.
 */
export type SettleCode = 'applied' | 'stale' | 'gone';

/** Reason of a dead letter whose retries were used up. */
export const REASON_RETRIES_USED_UP = 'retries used up';

/** Reason of a dead letter whose handler took the process down, or stalled it, time and again. */
export const REASON_LEASES_LOST = 'leases lost';
