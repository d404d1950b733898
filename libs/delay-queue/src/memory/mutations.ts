import type { Mutation, MutationResult, MutationStatus } from '../ports/mutation.js';
import type { TaskStateOrNone } from '../task/task-state.js';
import type { MemoryPartition } from './memory-partition.js';
import { resolveDue, type StoreTime } from './store-time.js';

/** Answer to a mutation, and the due time it put into the waiting tasks, if it did. */
export interface AppliedMutation {
  readonly result: MutationResult;
  readonly putDueMs: number | null;
}

type MutationOf<Kind extends Mutation['kind']> = Extract<Mutation, { kind: Kind }>;

/** Carries out one mutation: the table of operations and states, one function for each operation. */
export function applyMutation(partition: MemoryPartition, mutation: Mutation, time: StoreTime): AppliedMutation {
  switch (mutation.kind) {
    case 'schedule':
      return schedule(partition, mutation, time);
    case 'reschedule':
      return reschedule(partition, mutation, time);
    case 'runNow':
      return runNow(partition, mutation, time);
    case 'cancel':
      return cancel(partition, mutation, time);
    case 'redrive':
      return redrive(partition, mutation, time);
    case 'purgeDead':
      return purgeDead(partition, mutation, time);
    default:
      return mutation satisfies never;
  }
}

function schedule(partition: MemoryPartition, mutation: MutationOf<'schedule'>, time: StoreTime): AppliedMutation {
  const { id, envelope } = mutation;
  const state = partition.stateOf(id, time.nowMs);
  const replaceable = mutation.onDuplicate === 'replace' && (state === 'waiting' || state === 'dead');
  if (state !== 'none' && !replaceable) return unchanged(partition, id, { status: 'duplicate', state });
  partition.remove(id);
  partition.removeDead(id);
  // A done mark that is there although the state is none has run out.
  partition.done.delete(id);
  partition.envelopes.set(id, envelope);
  return put(partition, id, { status: replaceable ? 'replaced' : 'created', dueAtMs: resolveDue(mutation.due, time) });
}

function reschedule(partition: MemoryPartition, mutation: MutationOf<'reschedule'>, time: StoreTime): AppliedMutation {
  const { id } = mutation;
  const state = partition.stateOf(id, time.nowMs);
  if (state !== 'waiting') return untouched(partition, id, state);
  return put(partition, id, { status: 'rescheduled', dueAtMs: resolveDue(mutation.due, time) });
}

function runNow(partition: MemoryPartition, { id }: MutationOf<'runNow'>, time: StoreTime): AppliedMutation {
  const state = partition.stateOf(id, time.nowMs);
  if (state !== 'waiting') return untouched(partition, id, state);
  const dueAtMs = Math.min(partition.due.timeOf(id) ?? time.nowMs, time.nowMs);
  return put(partition, id, { status: 'rescheduled', dueAtMs });
}

function cancel(partition: MemoryPartition, { id }: MutationOf<'cancel'>, time: StoreTime): AppliedMutation {
  const state = partition.stateOf(id, time.nowMs);
  if (state !== 'waiting' && state !== 'dead') return untouched(partition, id, state);
  partition.remove(id);
  partition.removeDead(id);
  return removed('cancelled');
}

function redrive(partition: MemoryPartition, { id }: MutationOf<'redrive'>, time: StoreTime): AppliedMutation {
  const letter = partition.graves.get(id);
  if (letter === undefined) return untouched(partition, id, partition.stateOf(id, time.nowMs));
  const { envelope, deliveries, redrives, dueAtMs } = letter;
  partition.removeDead(id);
  partition.envelopes.set(id, envelope);
  partition.runs.set(id, { fence: 0, deliveries, failures: 0, lostLeases: 0, redrives: redrives + 1, dueAtMs });
  return put(partition, id, { status: 'redriven', dueAtMs: time.nowMs });
}

function purgeDead(partition: MemoryPartition, { id }: MutationOf<'purgeDead'>, time: StoreTime): AppliedMutation {
  const state = partition.stateOf(id, time.nowMs);
  if (state !== 'dead') return unchanged(partition, id, { status: 'not_found', state });
  partition.removeDead(id);
  return removed('purged');
}

function put(
  partition: MemoryPartition,
  id: string,
  { status, dueAtMs }: { status: MutationStatus; dueAtMs: number },
): AppliedMutation {
  partition.due.set(id, dueAtMs);
  return { result: { status, state: 'waiting', dueAtMs }, putDueMs: dueAtMs };
}

function removed(status: MutationStatus): AppliedMutation {
  return { result: { status, state: 'none', dueAtMs: null }, putDueMs: null };
}

function unchanged(
  partition: MemoryPartition,
  id: string,
  { status, state }: { status: MutationStatus; state: TaskStateOrNone },
): AppliedMutation {
  return { result: { status, state, dueAtMs: partition.dueOf(id) }, putDueMs: null };
}

function untouched(partition: MemoryPartition, id: string, state: TaskStateOrNone): AppliedMutation {
  return unchanged(partition, id, { status: state === 'running' ? 'running' : 'not_found', state });
}
