import type { TrimLimits } from '../ports/task-store.js';
import type { MemoryPartition } from './memory-partition.js';

/** Most entries that one call looks at, so that it is short however much has piled up. */
const TRIMMED_PER_CALL = 100;

/** Removes dead letters that are too old or too many, oldest first; returns how many. */
export function trimDead(partition: MemoryPartition, limits: TrimLimits, nowMs: number): number {
  const surplus = partition.dead.size - limits.deadMax;
  const outdated = partition.dead
    .first({ limit: TRIMMED_PER_CALL })
    .filter((letter, index) => index < surplus || letter.timeMs <= nowMs - limits.deadKeepMs);
  for (const { id } of outdated) partition.removeDead(id);
  return outdated.length;
}

/** Removes done marks whose dedupe window is over; returns how many. */
export function trimDone(partition: MemoryPartition, nowMs: number, limit: number = TRIMMED_PER_CALL): number {
  const outdated = partition.done.first({ limit, untilMs: nowMs });
  for (const { id } of outdated) partition.done.delete(id);
  return outdated.length;
}

/** Both trims, within the bound of one call. */
export function trimAll(partition: MemoryPartition, limits: TrimLimits, nowMs: number): number {
  const removed = trimDead(partition, limits, nowMs);
  return removed + trimDone(partition, nowMs, TRIMMED_PER_CALL - removed);
}
