import { describe, expect, it } from '@jest/globals';
import type { Mutation, MutationResult } from '../ports/mutation.js';
import { MemoryPartition, type Run } from './memory-partition.js';
import { applyMutation } from './mutations.js';
import type { StoreTime } from './store-time.js';

const NOW_MS = Date.UTC(2025, 0, 1);
/** A quarter of a millisecond has passed: a delay must not lose it. */
const TIME: StoreTime = { nowMs: NOW_MS, nowUs: NOW_MS * 1000 + 250 };
const DUE_MS = NOW_MS + 7_000;
const RAN_FOR_MS = NOW_MS - 3_000;
const RUN: Run = { fence: 9, deliveries: 3, failures: 2, lostLeases: 1, redrives: 1, dueAtMs: RAN_FOR_MS };

const STATES = {
  waiting: (partition) => {
    partition.envelopes.set('X', 'old');
    partition.due.set('X', DUE_MS);
  },
  'waiting again': (partition) => {
    STATES.waiting(partition);
    partition.runs.set('X', RUN);
  },
  running: (partition) => {
    partition.envelopes.set('X', 'old');
    partition.runs.set('X', RUN);
    partition.leased.set('X', NOW_MS + 1_000);
  },
  'running, lease over': (partition) => {
    STATES.running(partition);
    partition.leased.set('X', NOW_MS - 1_000);
  },
  dead: (partition) => {
    STATES.running(partition);
    partition.bury('X', { run: RUN, reason: 'why', error: 'boom', nowMs: NOW_MS - 500 });
  },
  done: (partition) => partition.done.set('X', NOW_MS + 1),
  'done, window over': (partition) => partition.done.set('X', NOW_MS),
  none: () => {},
} satisfies Record<string, (partition: MemoryPartition) => void> as Record<
  'waiting' | 'waiting again' | 'running' | 'running, lease over' | 'dead' | 'done' | 'done, window over' | 'none',
  (partition: MemoryPartition) => void
>;

type StateName = keyof typeof STATES;

function partitionWithX(state: StateName): MemoryPartition {
  const partition = new MemoryPartition();
  STATES[state](partition);
  return partition;
}

const keep: Mutation = { kind: 'schedule', id: 'X', envelope: 'new', due: { delayMs: 5 }, onDuplicate: 'keep' };
const replace: Mutation = { ...keep, onDuplicate: 'replace' };
const reschedule: Mutation = { kind: 'reschedule', id: 'X', due: { atMs: NOW_MS + 60_000 } };
const runNow: Mutation = { kind: 'runNow', id: 'X' };
const cancel: Mutation = { kind: 'cancel', id: 'X' };
const redrive: Mutation = { kind: 'redrive', id: 'X' };
const purgeDead: Mutation = { kind: 'purgeDead', id: 'X' };

/** A delay of 5 ms from a quarter past the millisecond ends with the sixth. */
const NEW_DUE_MS = NOW_MS + 6;

type Row = readonly [Mutation, StateName, ...[MutationResult['status'], MutationResult['state'], number | null]];

const CHANGING: readonly Row[] = [
  [keep, 'none', 'created', 'waiting', NEW_DUE_MS],
  [keep, 'done, window over', 'created', 'waiting', NEW_DUE_MS],
  [replace, 'waiting', 'replaced', 'waiting', NEW_DUE_MS],
  [replace, 'waiting again', 'replaced', 'waiting', NEW_DUE_MS],
  [replace, 'dead', 'replaced', 'waiting', NEW_DUE_MS],
  [replace, 'none', 'created', 'waiting', NEW_DUE_MS],
  [replace, 'done, window over', 'created', 'waiting', NEW_DUE_MS],
  [reschedule, 'waiting', 'rescheduled', 'waiting', NOW_MS + 60_000],
  [reschedule, 'waiting again', 'rescheduled', 'waiting', NOW_MS + 60_000],
  [runNow, 'waiting', 'rescheduled', 'waiting', NOW_MS],
  [runNow, 'waiting again', 'rescheduled', 'waiting', NOW_MS],
  [cancel, 'waiting', 'cancelled', 'none', null],
  [cancel, 'waiting again', 'cancelled', 'none', null],
  [cancel, 'dead', 'cancelled', 'none', null],
  [redrive, 'dead', 'redriven', 'waiting', NOW_MS],
  [purgeDead, 'dead', 'purged', 'none', null],
];

const UNCHANGING: readonly Row[] = [
  [keep, 'waiting', 'duplicate', 'waiting', DUE_MS],
  [keep, 'waiting again', 'duplicate', 'waiting', DUE_MS],
  [keep, 'running', 'duplicate', 'running', RAN_FOR_MS],
  [keep, 'running, lease over', 'duplicate', 'running', RAN_FOR_MS],
  [keep, 'dead', 'duplicate', 'dead', RAN_FOR_MS],
  [keep, 'done', 'duplicate', 'done', null],
  [replace, 'running', 'duplicate', 'running', RAN_FOR_MS],
  [replace, 'running, lease over', 'duplicate', 'running', RAN_FOR_MS],
  [replace, 'done', 'duplicate', 'done', null],
  [reschedule, 'running', 'running', 'running', RAN_FOR_MS],
  [reschedule, 'dead', 'not_found', 'dead', RAN_FOR_MS],
  [reschedule, 'done', 'not_found', 'done', null],
  [reschedule, 'none', 'not_found', 'none', null],
  [runNow, 'running', 'running', 'running', RAN_FOR_MS],
  [runNow, 'dead', 'not_found', 'dead', RAN_FOR_MS],
  [runNow, 'done', 'not_found', 'done', null],
  [runNow, 'none', 'not_found', 'none', null],
  [cancel, 'running', 'running', 'running', RAN_FOR_MS],
  [cancel, 'running, lease over', 'running', 'running', RAN_FOR_MS],
  [cancel, 'done', 'not_found', 'done', null],
  [cancel, 'none', 'not_found', 'none', null],
  [redrive, 'waiting', 'not_found', 'waiting', DUE_MS],
  [redrive, 'running', 'running', 'running', RAN_FOR_MS],
  [redrive, 'done', 'not_found', 'done', null],
  [redrive, 'none', 'not_found', 'none', null],
  [purgeDead, 'waiting', 'not_found', 'waiting', DUE_MS],
  [purgeDead, 'running', 'not_found', 'running', RAN_FOR_MS],
  [purgeDead, 'done', 'not_found', 'done', null],
  [purgeDead, 'none', 'not_found', 'none', null],
];

const title = ([mutation, state, status]: Row): string => {
  const name = mutation.kind === 'schedule' ? `schedule ${mutation.onDuplicate}` : mutation.kind;
  return `${name} of a task that is ${state}: ${status}`;
};

function contentOf(partition: MemoryPartition): object {
  const { due, leased, dead, done, envelopes, runs, graves } = partition;
  const wheels = [due, leased, dead, done].map((wheel) =>
    wheel.first({ limit: 9 }).map(({ id, timeMs }) => [id, timeMs]),
  );
  return structuredClone({ wheels, envelopes, runs, graves });
}

describe('applyMutation', () => {
  it.each([...CHANGING, ...UNCHANGING].map((row) => [title(row), row] as const))('%s', (_title, row) => {
    const [mutation, from, status, state, dueAtMs] = row;
    const { result, putDueMs } = applyMutation(partitionWithX(from), mutation, TIME);
    expect(result).toEqual({ status, state, dueAtMs });
    expect(putDueMs).toBe(CHANGING.includes(row) ? dueAtMs : null);
  });

  it.each(UNCHANGING.map((row) => [title(row), row] as const))('%s, and nothing is written', (_title, row) => {
    const [mutation, from] = row;
    const partition = partitionWithX(from);
    const before = contentOf(partition);
    applyMutation(partition, mutation, TIME);
    expect(contentOf(partition)).toEqual(before);
  });

  it.each(['waiting', 'waiting again', 'dead'] as const)('leaves nothing of a cancelled task that was %s', (from) => {
    const partition = partitionWithX(from);
    applyMutation(partition, cancel, TIME);
    expect(contentOf(partition)).toEqual(contentOf(new MemoryPartition()));
  });

  it.each(['waiting again', 'dead'] as const)('begins a new life when it replaces a task that was %s', (from) => {
    const partition = partitionWithX(from);
    applyMutation(partition, replace, TIME);
    const fresh = new MemoryPartition();
    applyMutation(fresh, replace, TIME);
    expect(contentOf(partition)).toEqual(contentOf(fresh));
  });

  it('keeps the counters of a rescheduled task', () => {
    const partition = partitionWithX('waiting again');
    applyMutation(partition, reschedule, TIME);
    expect(partition.runs.get('X')).toEqual(RUN);
  });

  it('redrives with the old envelope, the deliveries counted and the failures forgotten', () => {
    const partition = partitionWithX('dead');
    applyMutation(partition, redrive, TIME);
    expect(partition.envelopes.get('X')).toBe('old');
    expect(partition.runs.get('X')).toEqual({
      fence: 0,
      deliveries: 3,
      failures: 0,
      lostLeases: 0,
      redrives: 2,
      dueAtMs: RAN_FOR_MS,
    });
    expect(partition.graves.size).toBe(0);
  });

  it('leaves an overdue task at its old place when it is to run now', () => {
    const partition = partitionWithX('waiting');
    partition.due.set('X', NOW_MS - 9_000);
    expect(applyMutation(partition, runNow, TIME).result.dueAtMs).toBe(NOW_MS - 9_000);
  });

  it.each([
    [{ delayMs: 0 }, NOW_MS],
    [{ delayMs: 1 }, NOW_MS + 2],
    [{ atMs: NOW_MS - 1 }, NOW_MS],
    [{ atMs: NOW_MS + 1 }, NOW_MS + 1],
  ])('turns %j into a due time', (due, dueAtMs) => {
    const { result } = applyMutation(new MemoryPartition(), { ...keep, due }, TIME);
    expect(result.dueAtMs).toBe(dueAtMs);
  });
});
