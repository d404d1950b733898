import type { PartitionRef } from '../core/partition.js';

/** Whose a mark in progress is. */
export interface MarkOwner {
  /** The same for every delivery of one life of a task; of a call outside handlers, its own. */
  readonly owner: string;
  /** Rises with every delivery: a later one may go on where an earlier one was lost. */
  readonly fence: number;
}

/** A wish to work under a key, and how long nobody else may. */
export interface MarkClaim extends MarkOwner {
  /** The mark is over so long after the store's now, unless it is extended; at least 1. */
  readonly holdMs: number;
}

/** What is kept of work that was done. */
export interface DoneMark {
  /** The mark is forgotten so long after the store's now; at least 1. */
  readonly keepMs: number;
  /** JSON, or null when no result is kept. */
  readonly result: string | null;
}

/** The done mark of one life of a task, which the store writes when it completes the task. */
export interface OwnDoneMark extends DoneMark {
  readonly life: string;
}

/** One delivery of one life of a task. */
export interface OwnMarkRef {
  readonly ref: PartitionRef;
  readonly id: string;
  readonly life: string;
  readonly fence: number;
}

/** What a wish to work was answered. */
export type MarkAnswer =
  /** The caller may work now. */
  | { readonly kind: 'begun' }
  /** Somebody else works, and has so many milliseconds left unless the mark is extended; at least 1. */
  | { readonly kind: 'in progress'; readonly leftMs: number }
  /** The work was done before. */
  | { readonly kind: 'done'; readonly result: string | null }
  /** A later delivery of the very task has the word. */
  | { readonly kind: 'superseded' };

/** The same of a task's own mark, which nobody else can hold. */
export type OwnMarkAnswer = Exclude<MarkAnswer, { readonly kind: 'in progress' }>;

/** Answer to a report of work done: written; somebody had reported it before; somebody else works on it now. */
export type FinishAnswer = 'finished' | 'done before' | 'lost';

/**
 * Keeps marks of work under idempotency keys: *in progress* with an owner and an end, then *done*.
 *
 * A mark in progress that is over counts as absent, so work whose process crashed is begun again. A task's own mark has
 * no state in progress of its own: that is the task's lease, which has a fence and an end, is extended, and ends in
 * every way in which a delivery can end. Its done mark is written by the turn that completes the task.
 *
 * Calls reject as those of a `TaskStore` do.
 */
export interface IdempotencyStore {
  /** Looks whether this delivery still has the task's lease, and whether this life was done before; changes nothing. */
  look(own: OwnMarkRef): Promise<OwnMarkAnswer>;

  /**
   * Marks a key as in progress, unless it is done, or in progress elsewhere. The same owner may begin again with a fence
   * that is not lower.
   */
  begin(key: string, claim: MarkClaim): Promise<MarkAnswer>;

  /** Gives a mark another end; also one that is over, when nobody has begun since. False when it is not the owner's. */
  extend(key: string, claim: MarkClaim): Promise<boolean>;

  /** Turns a mark in progress, or one that is over and that nobody has begun since, into a done one. */
  finish(key: string, owner: MarkOwner, done: DoneMark): Promise<FinishAnswer>;

  /** Removes a mark in progress. False when it is not the owner's. */
  drop(key: string, owner: MarkOwner): Promise<boolean>;
}
