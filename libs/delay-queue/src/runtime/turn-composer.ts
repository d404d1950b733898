import type { PartitionRef } from '../core/partition.js';
import type { ResolvedTypeOptions } from '../options/resolved-options.js';
import {
  type ArmRequest,
  type ClaimRequest,
  MAX_TASKS_PER_CALL,
  type SuspectRule,
  type TurnRequest,
} from '../ports/turn.js';
import type { LeaseKeeper } from './lease-keeper.js';
import type { Run } from './run.js';
import type { PendingSettle, SettleBuffer } from './settle-buffer.js';
import type { SlotUser, TypeSlots } from './type-slots.js';

/** Most tasks of one claim: a larger batch holds its last tasks up while the first are started. */
const MAX_CLAIM = 100;

/** Most settles of one call, so that extensions and a claim find room beside them. */
const MAX_SETTLES = 300;

/** A turn that is ready to be sent, and what it carries of ours. */
export interface ComposedTurn {
  readonly request: TurnRequest;
  readonly settles: readonly PendingSettle[];
  readonly extended: readonly Run[];
  /** Places that were reserved for the claim. */
  readonly reserved: number;
  /** Most tasks that the claim may bring beyond those. */
  readonly ahead: number;
  /** Where the changes of the lane stood when it was sent, see `DueTimer`. */
  changesAtSend: number;
}

/** What goes into a request. */
interface Carried {
  readonly settles: readonly PendingSettle[];
  readonly extended: readonly Run[];
  /** Most tasks to claim. */
  readonly limit: number;
}

/** What a lane wants of its next turn. */
export interface TurnWish {
  readonly arm: ArmRequest;
  /** A claim is wanted for its own sake; without, one only goes along with settles. */
  readonly claim: boolean;
  /** The lane takes no more tasks. */
  readonly closed: boolean;
  readonly mayCallForHelp: boolean;
  /** Tasks that may be claimed beyond the places that are free. */
  readonly aheadRoom: number;
  /** Another turn is under way: places that are free are for what that one brings. */
  readonly overlaps: boolean;
  /** A claim that may bring a suspect is under way. */
  readonly suspectUnderWay: boolean;
}

/** The parts of a lane that a turn is composed from. */
export interface TurnComposerParts {
  readonly ref: PartitionRef;
  readonly holder: string;
  readonly settings: ResolvedTypeOptions;
  readonly settles: SettleBuffer;
  readonly keeper: LeaseKeeper;
  readonly slots: TypeSlots;
  readonly user: SlotUser;
}

/** Puts everything that a lane has to tell the store, and all that it wants from it, into one call. */
export class TurnComposer {
  constructor(private readonly parts: TurnComposerParts) {}

  /** Composes the next turn, or null when there is nothing to say. */
  compose(wish: TurnWish): ComposedTurn | null {
    const settles = this.parts.settles.take(MAX_SETTLES);
    const extended = this.parts.keeper.take(MAX_TASKS_PER_CALL - settles.length);
    const room = Math.min(MAX_CLAIM, MAX_TASKS_PER_CALL - settles.length - extended.length);
    const mayClaim = !wish.closed && (wish.claim || settles.length > 0);
    const reserved = mayClaim && !wish.overlaps ? this.parts.slots.reserve(room, this.parts.user) : 0;
    const limit = mayClaim ? Math.min(room, reserved + wish.aheadRoom) : 0;
    if (settles.length === 0 && extended.length === 0 && limit === 0 && wish.arm !== 'resign') return null;
    const request = this.request(wish, { settles, extended, limit });
    return { request, settles, extended, reserved, ahead: Math.max(0, limit - reserved), changesAtSend: 0 };
  }

  private request(wish: TurnWish, carried: Carried): TurnRequest {
    const { ref, holder, settings } = this.parts;
    return {
      ref,
      holder,
      settles: carried.settles.map(({ settle }) => settle),
      extensions: carried.extended.map(({ id, fence }) => ({ id, fence })),
      claim: carried.limit === 0 ? null : this.claim(wish, carried.limit),
      arm: wish.arm,
      leaseMs: settings.leaseMs,
      maxLostLeases: settings.maxLostLeases,
      deadKeepMs: settings.deadKeepMs,
      deadMax: settings.deadMaxPerPartition,
    };
  }

  private claim(wish: TurnWish, limit: number): ClaimRequest {
    return { limit, suspects: this.suspectRule(wish), mayCallForHelp: wish.mayCallForHelp };
  }

  private suspectRule({ suspectUnderWay }: TurnWish): SuspectRule {
    if (suspectUnderWay) return 'leave';
    return this.parts.keeper.runsSuspect ? 'put off' : 'take';
  }
}
