import type { Observable } from 'rxjs';
import type { PartitionRef } from '../core/partition.js';
import type { IdempotencyStore } from './idempotency-store.js';
import type { Durability, Mutation, MutationAnswer } from './mutation.js';
import type { ListRequest, PartitionStats, TaskRecord } from './task-record.js';
import type { PeekReply, PeekRequest, TurnOptions, TurnReply, TurnRequest } from './turn.js';
import type { PartitionSignal, Wakeup } from './wakeup.js';

/** What producers and consumers of a type must agree upon; kept in the store. */
export interface TypeMeta {
  readonly type: string;
  readonly partitions: number;
  /** Length of the dedupe window; 0 when it is off. */
  readonly dedupeForMs: number;
}

/** What a caller may ask of one {@link TaskStore.mutate}. */
export interface MutateOptions {
  /** Answers once the replicas have the writes, or their time is over; a store without replicas answers 0. */
  readonly durability?: Durability | undefined;
}

/** Bounds of what a trim keeps. */
export interface TrimLimits {
  readonly deadKeepMs: number;
  readonly deadMax: number;
}

/**
 * Keeps tasks and hands them out when they are due. Every implementation passes the same conformance suite.
 *
 * Every call rejects with a `StoreUnavailableError` or `StoreRejectedError` when the store is away or refuses; each has
 * a time limit of its own.
 */
export interface TaskStore {
  /**
   * Signals cannot get lost on their way: no beat and no sweep is needed. True only for a store inside the process.
   */
  readonly reliableWakeups: boolean;

  /** Marks of work under idempotency keys, kept in the same place. */
  readonly idempotency: IdempotencyStore;

  /** Signals of the partitions that were asked for with {@link listen}. Never errors; completes on {@link close}. */
  readonly wakeups$: Observable<Wakeup>;

  /**
   * Connects, and resolves when the store has answered once. May be called again after it failed.
   *
   * @returns warnings about settings of the server that endanger the promises, in plain words; often none.
   * @throws ConfigurationError when the server cannot serve at all (too old, no permission to run scripts).
   */
  open(): Promise<readonly string[]>;

  /** Gives everything back that {@link open} took. Calls after it reject. */
  close(): Promise<void>;

  /**
   * Compares a type's settings with those that the store knows, or writes them when it knows none.
   *
   * @throws ConfigurationError naming both values when they differ.
   */
  register(meta: TypeMeta): Promise<void>;

  /** Begins a partition's epoch where there is none: claim and schedule never do. True when it was absent. */
  init(ref: PartitionRef): Promise<boolean>;

  /** From when this resolves, signals of these partitions arrive at {@link wakeups$}. */
  listen(refs: readonly PartitionRef[]): Promise<void>;

  /** Tells the other processes something. */
  signal(signal: PartitionSignal): Promise<void>;

  /**
   * Carries out mutations of one partition, in order. One answer per mutation, in order; a store call that fails fails
   * only the mutations it carried. Never rejects.
   */
  mutate(
    ref: PartitionRef,
    mutations: readonly Mutation[],
    options?: MutateOptions,
  ): Promise<readonly MutationAnswer[]>;

  /** Settles, extends and claims, in this order; at most `MAX_TASKS_PER_CALL` tasks named and claimed in all. */
  turn(request: TurnRequest, options?: TurnOptions): Promise<TurnReply>;

  /**
   * Looks after lanes without claiming; one reply per lane, in order. Lanes whose part of the store is away are left out
   * while others answer; it rejects when none does.
   */
  peek(request: PeekRequest): Promise<readonly PeekReply[]>;

  /** Everything known of one task, or null. */
  get(ref: PartitionRef, id: string): Promise<TaskRecord | null>;

  /** One page of tasks. */
  list(ref: PartitionRef, request: ListRequest): Promise<readonly TaskRecord[]>;

  stats(ref: PartitionRef): Promise<PartitionStats>;

  /** Stops (`true`) or lets go on (`false`) the claims of a partition; everything else is not affected. */
  setPaused(ref: PartitionRef, paused: boolean): Promise<void>;

  /** Removes at most 100 outdated dead letters and done marks; returns how many, so that callers can repeat. */
  trim(ref: PartitionRef, limits: TrimLimits): Promise<number>;
}
