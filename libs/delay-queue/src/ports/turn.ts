import type { PartitionRef } from '../core/partition.js';
import type { LeaseExtension, Settle, SettleCode } from './settle.js';

/** Most tasks that one store call may name or claim, so that no call holds the server for long. */
export const MAX_TASKS_PER_CALL = 500;

/** Most bytes of envelopes that one claim may bring; it always brings at least one task. */
export const MAX_BYTES_PER_CALL = 1_048_576;

/**
 * What a claim does about suspects (tasks with two or more lost leases in a row), of which a process runs one at a time.
 *
 * `take`: brings at most one; others that are met are put off, spread over one lease. `put off`: brings none, because the
 * caller runs one, and puts off those that are met. `leave`: touches neither suspects nor tasks whose lease is over,
 * because another claim of the caller is under way and may bring one.
 */
export type SuspectRule = 'take' | 'put off' | 'leave';

/** A wish to take due tasks. */
export interface ClaimRequest {
  /** At most this many, at least 1. */
  readonly limit: number;
  readonly suspects: SuspectRule;
  /** Publish `help` when overdue tasks are left behind. */
  readonly mayCallForHelp: boolean;
}

/**
 * What the caller wants of the arm, which names the one process that watches the partition's next due time.
 *
 * `take`: become or stay the holder when nobody else holds it, or the holder is silent (`force`); `leave`: do not touch
 * it; `resign`: give it up if it is the caller's, waking the others when something waits.
 */
export type ArmRequest = 'leave' | 'take' | 'force' | 'resign';

/** Settles, extensions and a claim in one call, carried out in this order. */
export interface TurnRequest {
  readonly ref: PartitionRef;
  /** The calling process, see `newHolderId`. */
  readonly holder: string;
  readonly settles: readonly Settle[];
  readonly extensions: readonly LeaseExtension[];
  readonly claim: ClaimRequest | null;
  readonly arm: ArmRequest;
  readonly leaseMs: number;
  readonly maxLostLeases: number;
  /** Dead letters older than this are trimmed. */
  readonly deadKeepMs: number;
  /** Dead letters beyond this number are trimmed, oldest first. */
  readonly deadMax: number;
}

/** A task handed out under a lease. */
export interface ClaimedTask {
  readonly id: string;
  readonly envelope: string;
  readonly fence: number;
  /** This one included. */
  readonly deliveries: number;
  readonly failures: number;
  readonly lostLeases: number;
  readonly redrives: number;
  readonly dueAtMs: number;
}

/** A task that a claim buried because its leases were lost too often. */
export interface BuriedTask {
  readonly id: string;
  readonly lostLeases: number;
}

/** Whether the partition's memory is whole: see the `:fence` key. */
export type Epoch = 'present' | 'absent';

/** Answer to a turn. */
export interface TurnReply {
  /** The store's clock, in microseconds since the epoch. */
  readonly nowUs: number;
  /** One code per settle, in order. */
  readonly settled: readonly SettleCode[];
  /** One code per extension, in order. */
  readonly extended: readonly SettleCode[];
  readonly claimed: readonly ClaimedTask[];
  readonly buried: readonly BuriedTask[];
  /** Ids that were due but had no envelope; they have been removed. */
  readonly orphans: readonly string[];
  /** Earliest due time or lease end, or null when there is none or the partition is paused. */
  readonly nextAtMs: number | null;
  /** Something is due that this call did not take. Always false when no claim was asked for, or when paused. */
  readonly overdueLeft: boolean;
  readonly paused: boolean;
  /** The caller holds the arm after this call. */
  readonly armed: boolean;
  readonly epoch: Epoch;
  /** The last fence drawn, this call included; 0 when the epoch is absent. */
  readonly lastFence: number;
  /** The last fence drawn before this call: a claim draws one that hides that the partition has gone back. */
  readonly fenceBefore: number;
}

/** What a caller may ask of one turn. */
export interface TurnOptions {
  /**
   * Receives the reply of a turn that had already been given up after its time limit, so that what it claimed is run or
   * released and not left leased.
   */
  readonly onLateReply?: (reply: TurnReply) => void;
}

/** Asks after a set of lanes without claiming: the regular look of a process at what it watches. */
export interface PeekRequest {
  readonly holder: string;
  readonly lanes: readonly PartitionRef[];
}

/** Answer to a peek, one per lane. A lane whose arm the caller holds is renewed and its beat published. */
export interface PeekReply {
  readonly ref: PartitionRef;
  readonly nowUs: number;
  readonly nextAtMs: number | null;
  readonly paused: boolean;
  readonly armed: boolean;
  readonly epoch: Epoch;
  readonly lastFence: number;
}
