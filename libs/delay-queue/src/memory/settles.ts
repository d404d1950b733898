import type { OwnDoneMark } from '../ports/idempotency-store.js';
import type { LeaseExtension, Settle, SettleCode } from '../ports/settle.js';
import { REASON_RETRIES_USED_UP } from '../ports/settle.js';
import { retriesUsedUp } from '../task/retry-policy.js';
import { ownMarkName } from './mark-table.js';
import type { MemoryPartition, Run } from './memory-partition.js';
import { dueAfter, type StoreTime } from './store-time.js';

/** What a settle did, besides its answer. */
export interface AppliedSettle {
  readonly code: SettleCode;
  /** Where the task went; null when nothing was written, or nothing is left of it. */
  readonly movedTo: 'due' | 'dead' | 'done' | null;
}

/** Ends one delivery, if the task is leased under the settle's fence. */
export function applySettle(partition: MemoryPartition, settle: Settle, time: StoreTime): AppliedSettle {
  const held = heldRun(partition, settle);
  if (typeof held === 'string') return { code: held, movedTo: null };
  return { code: 'applied', movedTo: endDelivery(partition, settle, { run: held, time }) };
}

/** Prolongs one lease to now + `leaseMs`, if the task is leased under the extension's fence. */
export function applyExtension(
  partition: MemoryPartition,
  extension: LeaseExtension,
  { leaseMs, time }: { leaseMs: number; time: StoreTime },
): SettleCode {
  const held = heldRun(partition, extension);
  if (typeof held === 'string') return held;
  partition.leased.set(extension.id, time.nowMs + leaseMs);
  return 'applied';
}

/** Both are needed: the id among the leased tasks, and an equal fence. */
function heldRun(partition: MemoryPartition, { id, fence }: LeaseExtension): Run | 'gone' | 'stale' {
  if (!partition.leased.has(id)) return 'gone';
  const run = partition.runs.get(id);
  return run !== undefined && run.fence === fence ? run : 'stale';
}

function endDelivery(
  partition: MemoryPartition,
  settle: Settle,
  { run, time }: { run: Run; time: StoreTime },
): AppliedSettle['movedTo'] {
  const { id } = settle;
  const { nowMs } = time;
  switch (settle.kind) {
    case 'complete':
      partition.remove(id);
      if (settle.mark !== undefined) markDone(partition, id, { mark: settle.mark, nowMs });
      if (settle.dedupeForMs <= 0) return null;
      partition.done.set(id, nowMs + settle.dedupeForMs);
      return 'done';
    case 'retry': {
      const failed = { ...run, failures: run.failures + 1, lostLeases: 0 };
      if (!retriesUsedUp(run.failures, settle.maxRetries)) {
        return putBack(partition, id, { run: failed, dueAtMs: dueAfter(settle.delayMs, time) });
      }
      partition.bury(id, { run: failed, reason: REASON_RETRIES_USED_UP, error: settle.error, nowMs });
      return 'dead';
    }
    case 'snooze':
      return putBack(partition, id, { run: { ...run, lostLeases: 0 }, dueAtMs: dueAfter(settle.delayMs, time) });
    case 'release':
      return putBack(partition, id, { run, dueAtMs: run.dueAtMs });
    case 'bury':
      partition.bury(id, { run, reason: settle.reason, error: settle.error, nowMs });
      return 'dead';
    default:
      return settle satisfies never;
  }
}

function markDone(partition: MemoryPartition, id: string, { mark, nowMs }: { mark: OwnDoneMark; nowMs: number }): void {
  const { life, keepMs, result } = mark;
  partition.marks.set(ownMarkName(id, life), { kind: 'done', endMs: nowMs + keepMs, result }, nowMs);
}

function putBack(partition: MemoryPartition, id: string, { run, dueAtMs }: { run: Run; dueAtMs: number }): 'due' {
  partition.leased.delete(id);
  partition.runs.set(id, run);
  partition.due.set(id, dueAtMs);
  return 'due';
}
