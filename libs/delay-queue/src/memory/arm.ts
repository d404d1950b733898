import type { PartitionRef } from '../core/partition.js';
import type { ArmRequest } from '../ports/turn.js';
import type { PartitionSignal } from '../ports/wakeup.js';
import type { MemoryPartition } from './memory-partition.js';

/** Who asks, about which partition, and when. */
export interface ArmContext {
  readonly ref: PartitionRef;
  readonly partition: MemoryPartition;
  readonly nowMs: number;
  /** How long an arm holds without being renewed. */
  readonly armHoldMs: number;
}

/** Carries out what a turn wants of the arm; returns the signals to give. */
export function requestArm(context: ArmContext, holder: string, request: ArmRequest): PartitionSignal[] {
  const { partition, ref } = context;
  const mine = holdsArm(partition, holder);
  switch (request) {
    case 'take':
      return mine || !isHeld(context) ? takeArm(context, holder) : [];
    case 'force':
      return takeArm(context, holder);
    case 'leave':
      // The armed time must follow the head, or the holder would not be told of what comes before its timer.
      return mine ? takeArm(context, holder) : [];
    case 'resign':
      if (!mine) return [];
      partition.arm = null;
      return partition.nextAtMs() === null ? [] : [{ kind: 'wake', ref, holder: null }];
    default:
      return request satisfies never;
  }
}

/** Renews the arm of a holder that looks after the partition; true when the holder has it. */
export function renewArm(context: ArmContext, holder: string): boolean {
  if (!holdsArm(context.partition, holder)) return false;
  takeArm(context, holder);
  return true;
}

/** Tells whether the arm bears a holder's name, also when it is no longer alive. */
export function holdsArm(partition: MemoryPartition, holder: string): boolean {
  return partition.arm?.holder === holder;
}

/**
 * Something is due at `lowMs` that may come before what the holder waits for: tells the holder, or everyone when there
 * is no living holder.
 */
export function announceLowered(context: ArmContext, lowMs: number | null): PartitionSignal[] {
  const { partition, ref } = context;
  const { arm } = partition;
  if (partition.paused || lowMs === null) return [];
  if (arm === null || !isHeld(context)) {
    return lowMs <= (partition.due.earliestMs() ?? Infinity) ? [{ kind: 'wake', ref, holder: null }] : [];
  }
  if (arm.armedDueMs !== null && lowMs >= arm.armedDueMs) return [];
  partition.arm = { ...arm, armedDueMs: lowMs };
  return [{ kind: 'wake', ref, holder: arm.holder }];
}

function isHeld({ partition, nowMs }: ArmContext): boolean {
  return partition.arm !== null && partition.arm.heldUntilMs >= nowMs;
}

function takeArm({ partition, ref, nowMs, armHoldMs }: ArmContext, holder: string): PartitionSignal[] {
  const mine = holdsArm(partition, holder);
  partition.arm = { holder, armedDueMs: partition.nextAtMs(), heldUntilMs: nowMs + armHoldMs };
  return mine ? [] : [{ kind: 'beat', ref, holder }];
}
