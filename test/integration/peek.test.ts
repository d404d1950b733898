import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { NOW_MS, NOW_US, PartitionFixture } from './support/partition-fixture.js';

let fixture: PartitionFixture;
beforeAll(async () => {
  fixture = await PartitionFixture.start();
});
afterAll(() => fixture.stop());
beforeEach(() => fixture.reset());

describe('peek', () => {
  it('renews an arm that bears the name of the caller, also one that has lapsed, and publishes the beat', async () => {
    await fixture.turn({ arm: 'take' });
    await fixture.schedule('a', 60_000);
    await fixture.at(9_000);
    const signals = await fixture.signalsOf(async () => {
      const [reply] = await fixture.store.peek({ holder: 'me', lanes: [fixture.ref] });
      expect(reply).toMatchObject({ armed: true, nowUs: NOW_US + 9_000_000, nextAtMs: NOW_MS + 60_001 });
    });
    expect(signals).toEqual(['beat:me']);
    expect((await fixture.contents()).arm).toBe(`me|${NOW_MS + 60_001}|${NOW_MS + 14_000}`);
  });

  it('writes and publishes nothing for anybody else', async () => {
    await fixture.turn({ arm: 'take' });
    const before = await fixture.contents();
    const signals = await fixture.signalsOf(async () => {
      const [reply] = await fixture.store.peek({ holder: 'other', lanes: [fixture.ref] });
      expect(reply?.armed).toBe(false);
    });
    expect(signals).toEqual([]);
    expect(await fixture.contents()).toEqual(before);
  });

  it('answers for many lanes at once, in order, each for itself', async () => {
    const lanes = Array.from({ length: 120 }, (_, partition) => ({ type: 'many', partition }));
    const [, second] = lanes;
    if (second === undefined) throw new Error('there are lanes');
    await fixture.store.init(second);
    await fixture.store.setPaused(second, true);
    await fixture.store.mutate(lanes[7] ?? second, [
      { kind: 'schedule', id: 'a', due: { atMs: NOW_MS + 5 }, envelope: 'E', onDuplicate: 'keep' },
    ]);
    const replies = await fixture.store.peek({ holder: 'me', lanes });
    expect(replies.map(({ ref }) => ref)).toEqual(lanes);
    expect(replies[1]).toMatchObject({ paused: true, epoch: 'present', lastFence: NOW_US, nextAtMs: null });
    expect(replies[7]).toMatchObject({ paused: false, epoch: 'absent', lastFence: 0, nextAtMs: NOW_MS + 5 });
    expect(replies[8]).toMatchObject({ nextAtMs: null, armed: false });
  });

  it('is one command of the client for all lanes', async () => {
    const lanes = Array.from({ length: 20 }, (_, partition) => ({ type: 'many', partition }));
    // The first call carries the text of the script.
    await fixture.store.peek({ holder: 'me', lanes });
    await fixture.redis.config('RESETSTAT');
    await fixture.store.peek({ holder: 'me', lanes });
    expect(await fixture.redis.info('commandstats')).toMatch(/cmdstat_evalsha:calls=1,/);
  });

  it('asks for nothing when there is no lane', async () => {
    expect(await fixture.store.peek({ holder: 'me', lanes: [] })).toEqual([]);
  });
});
