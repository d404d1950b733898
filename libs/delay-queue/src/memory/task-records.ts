import type { ListableState, ListRequest, PartitionStats, TaskRecord } from '../ports/task-record.js';
import type { MemoryPartition } from './memory-partition.js';
import type { StoreTime } from './store-time.js';
import type { TimingWheel } from './timing-wheel.js';

/** Everything known of one task, or null. */
export function readTask(partition: MemoryPartition, id: string, nowMs: number): TaskRecord | null {
  const state = partition.stateOf(id, nowMs);
  switch (state) {
    case 'waiting':
    case 'running':
      return liveRecord(partition, id, state);
    case 'dead':
      return deadRecord(partition, id);
    case 'done':
      return { ...BLANK, id, state, doneUntilMs: partition.done.timeOf(id) ?? null };
    case 'none':
      return null;
    default:
      return state satisfies never;
  }
}

/** One page of a partition's tasks, in order. */
export function listTasks(partition: MemoryPartition, request: ListRequest): readonly TaskRecord[] {
  const { state } = request;
  return wheelOf(partition, state)
    .first(request)
    .map(({ id }) => (state === 'dead' ? deadRecord(partition, id) : liveRecord(partition, id, state)));
}

/** Counts of a partition. */
export function countTasks(partition: MemoryPartition, { nowUs, nowMs }: StoreTime): PartitionStats {
  return {
    nowUs,
    waiting: partition.due.size,
    overdue: partition.due.countUpTo(nowMs),
    running: partition.leased.size,
    dead: partition.dead.size,
    done: partition.done.size - partition.done.countUpTo(nowMs),
    paused: partition.paused,
    nextDueAtMs: partition.due.earliestMs(),
  };
}

const BLANK: Omit<TaskRecord, 'id' | 'state'> = {
  envelope: null,
  dueAtMs: null,
  deliveries: 0,
  failures: 0,
  lostLeases: 0,
  redrives: 0,
  leaseUntilMs: null,
  deadAtMs: null,
  reason: null,
  error: null,
  doneUntilMs: null,
};

function liveRecord(partition: MemoryPartition, id: string, state: 'waiting' | 'running'): TaskRecord {
  const { deliveries, failures, lostLeases, redrives } = partition.runs.get(id) ?? BLANK;
  return {
    ...BLANK,
    id,
    state,
    envelope: partition.envelopes.get(id) ?? null,
    dueAtMs: partition.dueOf(id),
    deliveries,
    failures,
    lostLeases,
    redrives,
    leaseUntilMs: partition.leased.timeOf(id) ?? null,
  };
}

function deadRecord(partition: MemoryPartition, id: string): TaskRecord {
  return { ...BLANK, ...partition.graves.get(id), id, state: 'dead', deadAtMs: partition.dead.timeOf(id) ?? null };
}

function wheelOf(partition: MemoryPartition, state: ListableState): TimingWheel {
  switch (state) {
    case 'waiting':
      return partition.due;
    case 'running':
      return partition.leased;
    case 'dead':
      return partition.dead;
    default:
      return state satisfies never;
  }
}
