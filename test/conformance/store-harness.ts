import type { PartitionRef } from '../../libs/delay-queue/src/core/partition.js';
import type { TaskStore } from '../../libs/delay-queue/src/ports/task-store.js';

/** How long the arms of every store under test hold without being renewed. */
export const ARM_HOLD_MS = 5_000;

/** Where the stepped clocks begin: a quarter past a millisecond, so that rounding shows. */
export const START_US = Date.UTC(2025, 0, 1) * 1_000 + 250;

/** One store under test, with its clock in the hands of the tests. */
export interface StoreHarness {
  readonly store: TaskStore;
  /** Another handle on the same data, as another process has one; the same store where there can be only one. */
  readonly secondStore: TaskStore;
  /** The store's time, in microseconds since the epoch; it stands still. */
  nowUs(): number;
  setNowUs(nowUs: number): Promise<void>;
  /** Loses all data, as FLUSHALL does. */
  loseEverything(): Promise<void>;
  /** Damages a task by removing its envelope. */
  removeEnvelope(ref: PartitionRef, id: string): Promise<void>;
  dispose(): Promise<void>;
}

/** What a store is like, as far as it decides which tests make sense. */
export interface StoreTraits {
  /** Its data can be lost or damaged from outside while the store lives on. */
  readonly dataCanGetLost: boolean;
}

/** Opens a store for one suite. */
export type CreateHarness = () => Promise<StoreHarness>;
