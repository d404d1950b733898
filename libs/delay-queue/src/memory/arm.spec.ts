import { describe, expect, it } from '@jest/globals';
import { announceLowered, type ArmContext, renewArm, requestArm } from './arm.js';
import { type Arm, MemoryPartition } from './memory-partition.js';

const NOW_MS = Date.UTC(2025, 0, 1);
const HOLD_MS = 5_000;
const REF = { type: 'mail', partition: 0 };
const HEAD_MS = NOW_MS + 60_000;

/** A partition with one task due in a minute. */
function contextWith(arm: Arm | null): ArmContext {
  const partition = new MemoryPartition();
  partition.due.set('X', HEAD_MS);
  partition.arm = arm;
  return { ref: REF, partition, nowMs: NOW_MS, armHoldMs: HOLD_MS };
}

const held = (holder: string, armedDueMs: number | null = HEAD_MS): Arm => ({
  holder,
  armedDueMs,
  heldUntilMs: NOW_MS,
});
const lapsed = (holder: string): Arm => ({ ...held(holder), heldUntilMs: NOW_MS - 1 });
const TAKEN: Arm = { holder: 'me', armedDueMs: HEAD_MS, heldUntilMs: NOW_MS + HOLD_MS };
const BEAT = { kind: 'beat', ref: REF, holder: 'me' };
const WAKE_ALL = { kind: 'wake', ref: REF, holder: null };

describe('requestArm', () => {
  it.each([
    ['take', 'nobody holds', null, TAKEN, [BEAT]],
    ['take', 'a silent one holds', lapsed('other'), TAKEN, [BEAT]],
    ['take', 'the caller holds', held('me', null), TAKEN, []],
    ['take', 'the caller let lapse', lapsed('me'), TAKEN, []],
    ['take', 'another holds', held('other'), held('other'), []],
    ['force', 'another holds', held('other'), TAKEN, [BEAT]],
    ['force', 'the caller holds', held('me', null), TAKEN, []],
    ['leave', 'nobody holds', null, null, []],
    ['leave', 'the caller holds', held('me', null), TAKEN, []],
    ['leave', 'another holds', held('other'), held('other'), []],
    ['leave', 'another let lapse', lapsed('other'), lapsed('other'), []],
    ['resign', 'the caller holds', held('me'), null, [WAKE_ALL]],
    ['resign', 'another holds', held('other'), held('other'), []],
    ['resign', 'nobody holds', null, null, []],
  ] as const)('%s of an arm that %s', (request, _who, before, after, signals) => {
    const context = contextWith(before);
    expect(requestArm(context, 'me', request)).toEqual(signals);
    expect(context.partition.arm).toEqual(after);
  });

  it('wakes nobody when it is resigned and nothing waits, or when the partition is paused', () => {
    const empty = contextWith(held('me'));
    empty.partition.due.delete('X');
    expect(requestArm(empty, 'me', 'resign')).toEqual([]);
    const paused = contextWith(held('me'));
    paused.partition.paused = true;
    expect(requestArm(paused, 'me', 'resign')).toEqual([]);
  });

  it('is armed for nothing while the partition is paused', () => {
    const paused = contextWith(null);
    paused.partition.paused = true;
    requestArm(paused, 'me', 'take');
    expect(paused.partition.arm).toEqual({ ...TAKEN, armedDueMs: null });
  });

  it('is armed for the end of a lease that comes before every due time', () => {
    const context = contextWith(null);
    context.partition.leased.set('Y', HEAD_MS - 1);
    requestArm(context, 'me', 'take');
    expect(context.partition.arm?.armedDueMs).toBe(HEAD_MS - 1);
  });
});

describe('renewArm', () => {
  it('renews by name, also a lapsed arm, and leaves those of others', () => {
    const mine = contextWith(lapsed('me'));
    expect(renewArm(mine, 'me')).toBe(true);
    expect(mine.partition.arm).toEqual(TAKEN);
    const others = contextWith(held('other'));
    expect(renewArm(others, 'me')).toBe(false);
    expect(others.partition.arm).toEqual(held('other'));
  });
});

describe('announceLowered', () => {
  it('tells the living holder when the time is before the one it is armed for, and moves that', () => {
    const context = contextWith(held('other'));
    expect(announceLowered(context, HEAD_MS - 1)).toEqual([{ kind: 'wake', ref: REF, holder: 'other' }]);
    expect(context.partition.arm).toEqual(held('other', HEAD_MS - 1));
    expect(announceLowered(context, HEAD_MS - 1)).toEqual([]);
  });

  it('tells a holder that is armed for nothing', () => {
    const context = contextWith(held('other', null));
    expect(announceLowered(context, HEAD_MS)).toHaveLength(1);
  });

  it.each([
    ['no holder', null],
    ['a silent holder', lapsed('other')],
  ])('tells everyone when there is %s and nothing is due before', (_who, arm) => {
    const context = contextWith(arm);
    expect(announceLowered(context, HEAD_MS)).toEqual([WAKE_ALL]);
    expect(announceLowered(context, HEAD_MS + 1)).toEqual([]);
    expect(context.partition.arm).toEqual(arm);
  });

  it('is quiet while the partition is paused, and about nothing', () => {
    const context = contextWith(null);
    expect(announceLowered(context, null)).toEqual([]);
    context.partition.paused = true;
    expect(announceLowered(context, HEAD_MS)).toEqual([]);
  });
});
