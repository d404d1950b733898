import type { TurnReply, TurnRequest } from '../ports/turn.js';
import type { PartitionSignal } from '../ports/wakeup.js';
import { announceLowered, type ArmContext, holdsArm, requestArm } from './arm.js';
import { claimTasks, type ClaimOutcome } from './claim.js';
import { applyExtension, applySettle } from './settles.js';
import type { StoreTime } from './store-time.js';
import { trimDead, trimDone } from './trims.js';

/** The parts of a partition's turn that are not in the request. */
export interface TurnContext extends ArmContext {
  readonly time: StoreTime;
}

/** A turn's answer and the signals to give when it is done. */
export interface AppliedTurn {
  readonly reply: TurnReply;
  readonly signals: readonly PartitionSignal[];
}

const NOTHING_CLAIMED: ClaimOutcome = { claimed: [], buried: [], orphans: [] };

/** Settles, extends, claims, trims and looks after the arm, in this order. */
export function applyTurn(context: TurnContext, request: TurnRequest): AppliedTurn {
  const { partition, time } = context;
  const { claim, leaseMs, holder } = request;
  const fenceBefore = partition.fence ?? 0;
  const settles = request.settles.map((settle) => applySettle(partition, settle, time));
  const extended = request.extensions.map((extension) => applyExtension(partition, extension, { leaseMs, time }));
  const claims = claim !== null && !partition.paused;
  const outcome = claims ? claimTasks(partition, { ...request, claim, time }) : NOTHING_CLAIMED;
  const moved = new Set(settles.map(({ movedTo }) => movedTo));
  if (moved.has('dead') || outcome.buried.length > 0) trimDead(partition, request, time.nowMs);
  if (moved.has('done')) trimDone(partition, time.nowMs);

  const nextAtMs = partition.nextAtMs();
  const overdueLeft = claim !== null && nextAtMs !== null && nextAtMs <= time.nowMs;
  const signals = requestArm(context, holder, request.arm);
  const armed = holdsArm(partition, holder);
  if (!armed && moved.has('due')) signals.push(...announceLowered(context, nextAtMs));
  if (overdueLeft && claim.mayCallForHelp) signals.push({ kind: 'help', ref: context.ref, holder });
  return {
    reply: {
      nowUs: time.nowUs,
      settled: settles.map(({ code }) => code),
      extended,
      ...outcome,
      nextAtMs,
      overdueLeft,
      paused: partition.paused,
      armed,
      epoch: partition.fence === null ? 'absent' : 'present',
      lastFence: partition.fence ?? 0,
      fenceBefore,
    },
    signals,
  };
}
