import { describe, expect, it } from '@jest/globals';
import { REASON_RETRIES_USED_UP, type Settle } from '../../libs/delay-queue/src/ports/settle.js';
import type { TaskRecord } from '../../libs/delay-queue/src/ports/task-record.js';
import { TASK_STATES, type TaskStateName } from './task-states.js';
import { LEASE_MS, type TestLane } from './test-lane.js';

const SETTLES: readonly Settle[] = [
  { kind: 'complete', id: 'X', fence: 0, dedupeForMs: 0 },
  { kind: 'complete', id: 'X', fence: 0, dedupeForMs: 60_000 },
  { kind: 'retry', id: 'X', fence: 0, delayMs: 5_000, maxRetries: 9, error: 'boom' },
  { kind: 'retry', id: 'X', fence: 0, delayMs: 5_000, maxRetries: 0, error: 'boom' },
  { kind: 'snooze', id: 'X', fence: 0, delayMs: 5_000 },
  { kind: 'release', id: 'X', fence: 0 },
  { kind: 'bury', id: 'X', fence: 0, reason: 'why', error: 'boom' },
];

const NOT_RUNNING: readonly TaskStateName[] = [
  'waiting',
  'waiting again after a retry',
  'waiting again after a release',
  'waiting again after a redrive',
  'dead',
  'done',
  'done, the window over',
  'none',
  'none, having been completed',
];

const RUNNING = ['running', 'running with its lease over'] as const;

/** What each settle makes of a running task; `before` is its record, `nowMs` the millisecond of the settle. */
function expectedAfter(settle: Settle, before: TaskRecord, nowMs: number): Partial<TaskRecord> | null {
  const { deliveries, failures, lostLeases, redrives, envelope } = before;
  const kept = { envelope, deliveries, redrives };
  const dead = { state: 'dead', ...kept, leaseUntilMs: null, deadAtMs: nowMs, dueAtMs: before.dueAtMs } as const;
  const waiting = { state: 'waiting', ...kept, leaseUntilMs: null } as const;
  switch (settle.kind) {
    case 'complete':
      if (settle.dedupeForMs === 0) return null;
      return { state: 'done', doneUntilMs: nowMs + settle.dedupeForMs, envelope: null, dueAtMs: null, deliveries: 0 };
    case 'retry':
      if (failures + 1 <= settle.maxRetries) {
        return { ...waiting, dueAtMs: nowMs + 1 + settle.delayMs, failures: failures + 1, lostLeases: 0 };
      }
      return { ...dead, reason: REASON_RETRIES_USED_UP, error: 'boom', failures: failures + 1, lostLeases: 0 };
    case 'snooze':
      return { ...waiting, dueAtMs: nowMs + 1 + settle.delayMs, failures, lostLeases: 0 };
    case 'release':
      return { ...waiting, dueAtMs: before.dueAtMs, failures, lostLeases };
    case 'bury':
      return { ...dead, reason: 'why', error: 'boom', failures, lostLeases };
    default:
      return settle satisfies never;
  }
}

const nameOf = (settle: Settle): string => {
  if (settle.kind === 'complete') return settle.dedupeForMs === 0 ? 'complete' : 'complete with a dedupe window';
  if (settle.kind === 'retry') return settle.maxRetries === 0 ? 'retry with no retry left' : 'retry';
  return settle.kind;
};

const pairs = <State extends string>(states: readonly State[]): [string, State, Settle][] =>
  SETTLES.flatMap((settle) => states.map((state): [string, State, Settle] => [nameOf(settle), state, settle]));

/** Each settle in each state, under each kind of fence. */
export function describeSettleTable(useLane: () => TestLane): void {
  describe('each settle in each state', () => {
    it.each(pairs(RUNNING))('C12 %s of a task that is %s, under its fence: applied', async (_name, from, settle) => {
      const lane = useLane();
      const { fence } = await TASK_STATES[from](lane);
      const before = await lane.get('X');
      expect(await lane.settle({ ...settle, fence })).toBe('applied');
      if (before === null) throw new Error('the running task is not there');
      const expected = expectedAfter(settle, before, lane.nowMs);
      const after = await lane.get('X');
      expect(after).toEqual(expected === null ? null : { ...after, ...expected });
      expect(await lane.idsOf('running')).toEqual([]);
    });

    it.each(pairs(RUNNING))('%s of a task that is %s, under another fence: stale', async (_name, from, settle) => {
      const lane = useLane();
      const { fence } = await TASK_STATES[from](lane);
      const before = await lane.get('X');
      for (const wrong of [fence - 1, fence + 1, 0]) {
        expect(await lane.settle({ ...settle, fence: wrong })).toBe('stale');
      }
      expect(await lane.get('X')).toEqual(before);
    });

    it.each(pairs(NOT_RUNNING))('%s of a task that is %s: gone', async (_name, from, settle) => {
      const lane = useLane();
      const { fence } = await TASK_STATES[from](lane);
      const before = await lane.get('X');
      expect(await lane.settle({ ...settle, fence })).toBe('gone');
      expect(await lane.settle({ ...settle, fence: fence + 1 })).toBe('gone');
      expect(await lane.get('X')).toEqual(before);
    });

    it('retry: the failure that exceeds the retries makes the dead letter, not the one before', async () => {
      const lane = useLane();
      await lane.schedule('X');
      for (const [failures, state] of [
        [1, 'waiting'],
        [2, 'waiting'],
        [3, 'dead'],
      ] as const) {
        const { fence } = await lane.claimOne('X');
        await lane.settle({ kind: 'retry', id: 'X', fence, delayMs: 0, maxRetries: 2, error: 'boom' });
        expect(await lane.get('X')).toMatchObject({ failures, state });
      }
    });

    it('C30 fifty snoozes and fifty releases burn no attempt and bury nothing', async () => {
      const lane = useLane();
      await lane.schedule('X');
      for (let round = 0; round < 50; round++) {
        const first = await lane.claimOne('X');
        await lane.settle({ kind: 'snooze', id: 'X', fence: first.fence, delayMs: 1_000 });
        await lane.advanceMs(1_001);
        const second = await lane.claimOne('X');
        await lane.settle({ kind: 'release', id: 'X', fence: second.fence });
      }
      expect(await lane.get('X')).toMatchObject({ state: 'waiting', deliveries: 100, failures: 0, lostLeases: 0 });
    });

    it('one stale item stops nothing: a code for each, in order', async () => {
      const lane = useLane();
      await lane.scheduleAll(['a', 'b', 'c']);
      const [a, b] = await lane.claim({ limit: 2 });
      const fence = a?.fence ?? 0;
      const reply = await lane.turn({
        settles: [
          { kind: 'complete', id: 'a', fence: fence + 1, dedupeForMs: 0 },
          { kind: 'complete', id: 'c', fence, dedupeForMs: 0 },
          { kind: 'complete', id: 'b', fence: b?.fence ?? 0, dedupeForMs: 0 },
          { kind: 'complete', id: 'b', fence, dedupeForMs: 0 },
        ],
        extensions: [
          { id: 'b', fence },
          { id: 'a', fence },
          { id: 'a', fence: fence - 1 },
        ],
      });
      expect(reply.settled).toEqual(['stale', 'gone', 'applied', 'gone']);
      expect(reply.extended).toEqual(['gone', 'applied', 'stale']);
    });
  });

  describe('each extension in each state', () => {
    it.each(RUNNING)('C13 of a task that is %s: now and one lease, under its fence alone', async (from) => {
      const lane = useLane();
      const { fence } = await TASK_STATES[from](lane);
      const extend = async (under: number) => (await lane.turn({ extensions: [{ id: 'X', fence: under }] })).extended;
      expect(await extend(fence + 1)).toEqual(['stale']);
      expect(await extend(fence)).toEqual(['applied']);
      expect((await lane.get('X'))?.leaseUntilMs).toBe(lane.nowMs + LEASE_MS);
      expect(await lane.settle({ kind: 'complete', id: 'X', fence, dedupeForMs: 0 })).toBe('applied');
    });

    it.each(NOT_RUNNING)('of a task that is %s: gone', async (from) => {
      const lane = useLane();
      const { fence } = await TASK_STATES[from](lane);
      expect((await lane.turn({ extensions: [{ id: 'X', fence }] })).extended).toEqual(['gone']);
    });
  });
}
