import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ArmRequest } from '../../libs/delay-queue/src/ports/turn.js';
import { NOW_MS, PartitionFixture } from './support/partition-fixture.js';

let fixture: PartitionFixture;
beforeAll(async () => {
  fixture = await PartitionFixture.start();
});
afterAll(() => fixture.stop());
beforeEach(() => fixture.reset());

const DUE = NOW_MS + 60_001;
const MINE = `me|${DUE}|${NOW_MS + 5_000}`;

describe('turn: the arm', () => {
  const living = `other|${DUE}|${NOW_MS}`;
  const silent = `other|${DUE}|${NOW_MS - 1}`;
  const outdated = `me||${NOW_MS - 60_000}`;

  it.each<[ArmRequest, string, string | null, string | undefined, boolean, string[]]>([
    ['take', 'nobody holds', null, MINE, true, ['beat:me']],
    ['take', 'another one holds', living, living, false, []],
    ['take', 'a silent one held', silent, MINE, true, ['beat:me']],
    ['take', 'the caller holds', outdated, MINE, true, []],
    ['force', 'nobody holds', null, MINE, true, ['beat:me']],
    ['force', 'another one holds', living, MINE, true, ['beat:me']],
    ['leave', 'nobody holds', null, undefined, false, []],
    ['leave', 'another one holds', living, living, false, []],
    ['leave', 'the caller holds', outdated, MINE, true, []],
    ['resign', 'another one holds', living, living, false, []],
    ['resign', 'the caller holds', outdated, undefined, false, ['wake:*']],
  ])('%s, when %s it', async (arm, _, before, after, armed, signals) => {
    await fixture.schedule('a', 60_000);
    if (before !== null) await fixture.redis.set(fixture.key('arm'), before);
    const replies: { armed: boolean }[] = [];
    const published = await fixture.signalsOf(async () => replies.push(await fixture.turn({ arm })));
    expect((await fixture.contents()).arm).toBe(after);
    expect(replies).toMatchObject([{ armed }]);
    expect(published).toEqual(signals);
  });

  it('is held also when nothing is due', async () => {
    await fixture.turn({ arm: 'take' });
    expect((await fixture.contents()).arm).toBe(`me||${NOW_MS + 5_000}`);
  });

  it('is given up without a word when nothing waits', async () => {
    await fixture.turn({ arm: 'take' });
    expect(await fixture.signalsOf(() => fixture.turn({ arm: 'resign' }))).toEqual([]);
  });

  it('C54 is told of what a settle of somebody else put back before its time', async () => {
    await fixture.schedule('a');
    const fence = await fixture.claim({ holder: 'other' });
    await fixture.turn({ arm: 'take' });
    const snooze = { kind: 'snooze', id: 'a', fence, delayMs: 10 } as const;
    const signals = await fixture.signalsOf(() => fixture.turn({ holder: 'other', settles: [snooze] }));
    expect(signals).toEqual(['wake:me']);
    expect((await fixture.contents()).arm).toBe(`me|${NOW_MS + 11}|${NOW_MS + 5_000}`);
  });
});

describe('turn: help', () => {
  it('is called for once when overdue tasks are left, if the caller may', async () => {
    for (const id of ['a', 'b']) await fixture.schedule(id);
    const claim = { limit: 1, mayCallForHelp: true };
    expect(await fixture.signalsOf(() => fixture.turn({ claim }))).toEqual(['help:me']);
    expect(await fixture.signalsOf(() => fixture.turn({ claim }))).toEqual([]);
  });

  it('is not called for when the caller may not, or did not ask for tasks', async () => {
    for (const id of ['a', 'b']) await fixture.schedule(id);
    expect(await fixture.signalsOf(() => fixture.turn({ claim: { limit: 1 } }))).toEqual([]);
    expect(await fixture.signalsOf(() => fixture.turn())).toEqual([]);
  });
});
