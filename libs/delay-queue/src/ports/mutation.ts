import type { StoreError } from '../core/errors.js';
import type { TaskStateOrNone } from '../task/task-state.js';

/**
 * When a task is due: so long after the store's now, or at a point in time (one that has passed counts as now).
 *
 * Both are whole milliseconds.
 */
export type DueTime = { readonly delayMs: number } | { readonly atMs: number };

/** One change of one task, asked for by a producer or an administrator. */
export type Mutation =
  | {
      readonly kind: 'schedule';
      readonly id: string;
      readonly due: DueTime;
      readonly envelope: string;
      readonly onDuplicate: 'keep' | 'replace';
    }
  | { readonly kind: 'reschedule'; readonly id: string; readonly due: DueTime }
  | { readonly kind: 'runNow'; readonly id: string }
  | { readonly kind: 'cancel'; readonly id: string }
  | { readonly kind: 'redrive'; readonly id: string }
  | { readonly kind: 'purgeDead'; readonly id: string };

/** A wish to know how many replicas have a write before it counts as made. */
export interface Durability {
  /** Wait for so many replicas, at least 1. */
  readonly replicas: number;
  /** But no longer than this, at least 1. */
  readonly timeoutMs: number;
}

/** What a mutation did. */
export type MutationStatus =
  'created' | 'duplicate' | 'replaced' | 'rescheduled' | 'cancelled' | 'redriven' | 'purged' | 'running' | 'not_found';

/** What a mutation did, and how it left the task. */
export interface MutationResult {
  readonly status: MutationStatus;
  /** State after the mutation. */
  readonly state: TaskStateOrNone;
  /** Due time of a waiting task, of the current delivery of a running one, of the last of a dead one; else null. */
  readonly dueAtMs: number | null;
  /** Replicas that have confirmed the write; only when durability was asked for, and possibly fewer than that. */
  readonly replicas?: number;
}

/** A mutation's result, or the error of the store call that carried it. */
export type MutationAnswer =
  { readonly ok: true; readonly result: MutationResult } | { readonly ok: false; readonly error: StoreError };
