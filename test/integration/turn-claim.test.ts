import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { NOW_MS, NOW_US, PartitionFixture } from './support/partition-fixture.js';

let fixture: PartitionFixture;
beforeAll(async () => {
  fixture = await PartitionFixture.start();
});
afterAll(() => fixture.stop());
beforeEach(() => fixture.reset());

/** Claims `a` and lets its lease run out, so many times; ends with the clock at the end of the last lease. */
async function loseLeases(times: number, maxLostLeases = 100): Promise<void> {
  await fixture.schedule('a');
  for (let lost = 0; lost <= times; lost++) {
    await fixture.at(lost * 1_000);
    await fixture.claim({ leaseMs: 1_000, maxLostLeases });
  }
  await fixture.at((times + 1) * 1_000);
}

describe('turn: the claim', () => {
  it('moves what is due under a lease, with its run entry', async () => {
    await fixture.store.init(fixture.ref);
    await fixture.schedule('a');
    await fixture.schedule('b', 1);
    await fixture.at(5);
    const reply = await fixture.turn({ claim: {}, leaseMs: 30_000 });
    const fence = NOW_US + 5_000;
    expect(reply).toMatchObject({ nowUs: fence, epoch: 'present', lastFence: fence, nextAtMs: NOW_MS + 30_005 });
    expect(reply.claimed).toEqual(
      [
        { id: 'a', dueAtMs: NOW_MS },
        { id: 'b', dueAtMs: NOW_MS + 2 },
      ].map(({ id, dueAtMs }) => ({
        id,
        dueAtMs,
        envelope: `E(${id})`,
        fence,
        deliveries: 1,
        failures: 0,
        lostLeases: 0,
        redrives: 0,
      })),
    );
    expect(await fixture.contents()).toEqual({
      fence: String(fence),
      leased: [
        ['a', String(NOW_MS + 30_005)],
        ['b', String(NOW_MS + 30_005)],
      ],
      task: [
        ['a', 'E(a)'],
        ['b', 'E(b)'],
      ],
      run: [
        ['a', `${fence}|1|0|0|0|${NOW_MS}`],
        ['b', `${fence}|1|0|0|0|${NOW_MS + 2}`],
      ],
    });
  });

  it('orders ties by the bytes of the ids, not by their UTF-16 units', async () => {
    const ids = ['\u{1F600}', '\uFFFD', 'b', 'a', '\u00e9'];
    for (const id of ids) await fixture.schedule(id);
    const { claimed } = await fixture.turn({ claim: {} });
    expect(claimed.map(({ id }) => id)).toEqual(['a', 'b', '\u00e9', '\uFFFD', '\u{1F600}']);
  });

  it('takes no more than its limit, and says that something is left', async () => {
    for (const id of ['a', 'b', 'c']) await fixture.schedule(id);
    const reply = await fixture.turn({ claim: { limit: 2 } });
    expect(reply.claimed.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(reply).toMatchObject({ overdueLeft: true, nextAtMs: NOW_MS });
    expect((await fixture.turn({ claim: { limit: 2 } })).overdueLeft).toBe(false);
  });

  it('takes leases that are over before what is due', async () => {
    await fixture.schedule('a');
    await fixture.claim({ leaseMs: 1_000 });
    await fixture.schedule('b');
    await fixture.at(1_000);
    const { claimed } = await fixture.turn({ claim: { limit: 1 } });
    expect(claimed).toMatchObject([{ id: 'a', deliveries: 2, lostLeases: 1, dueAtMs: NOW_MS }]);
  });

  it('draws fences that only grow, also when the clock goes back', async () => {
    await fixture.store.init(fixture.ref);
    await fixture.schedule('a');
    const first = await fixture.claim();
    await fixture.clock.setUs(NOW_US - 1_000_000);
    await fixture.schedule('b');
    expect(await fixture.claim()).toBe(first + 1);
    expect((await fixture.contents()).fence).toBe(String(first + 1));
  });

  it('creates no epoch, and works without', async () => {
    await fixture.schedule('a');
    const reply = await fixture.turn({ claim: {} });
    expect(reply).toMatchObject({ epoch: 'absent', lastFence: 0, claimed: [{ id: 'a', fence: NOW_US }] });
    expect(await fixture.contents()).not.toHaveProperty('fence');
  });

  it('removes and reports ids that have no envelope', async () => {
    await fixture.schedule('a');
    await fixture.schedule('b');
    await fixture.claim({ claim: { limit: 1 }, leaseMs: 1_000 });
    await fixture.redis.hdel(fixture.key('task'), 'a', 'b');
    await fixture.at(1_000);
    const reply = await fixture.turn({ claim: {} });
    expect(reply.orphans).toEqual(['a', 'b']);
    expect(reply.claimed).toEqual([]);
    expect(await fixture.contents()).toEqual({});
  });

  it('stops at a megabyte of envelopes, counted in bytes, and leaves the rest where it is', async () => {
    const half = 'é'.repeat(262_144);
    for (const id of ['a', 'b', 'c', 'd']) await fixture.schedule(id, 0, half);
    const reply = await fixture.turn({ claim: {} });
    expect(reply.claimed.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(reply.overdueLeft).toBe(true);
    expect((await fixture.contents()).due).toEqual([
      ['c', String(NOW_MS)],
      ['d', String(NOW_MS)],
    ]);
  });

  it('takes one task even if it alone is above the limit of bytes', async () => {
    await fixture.schedule('a', 0, 'x'.repeat(1_048_577));
    await fixture.schedule('b');
    expect((await fixture.turn({ claim: {} })).claimed.map(({ id }) => id)).toEqual(['a']);
  });

  it('does nothing while the partition is paused, and knows no next time', async () => {
    await fixture.schedule('a');
    await fixture.store.setPaused(fixture.ref, true);
    const before = await fixture.contents();
    const reply = await fixture.turn({ claim: { mayCallForHelp: true } });
    expect(reply).toMatchObject({ claimed: [], paused: true, nextAtMs: null, overdueLeft: false });
    expect(await fixture.contents()).toEqual(before);
  });
});

describe('turn: lost leases', () => {
  it('C27 bury a task in the claim when they are too many', async () => {
    await loseLeases(2, 3);
    const reply = await fixture.turn({ claim: {}, maxLostLeases: 3 });
    expect(reply).toMatchObject({ buried: [{ id: 'a', lostLeases: 3 }], claimed: [] });
    expect(await fixture.contents()).toEqual({
      dead: [['a', String(NOW_MS + 3_000)]],
      grave: [['a', `3|0|3|0|${NOW_MS}|11|0\nleases lostE(a)`]],
    });
  });

  it('C27 let only one suspect run at a time, and spread the others over a lease', async () => {
    for (const id of ['a', 'b', 'c', 'd']) await fixture.schedule(id);
    for (let lost = 0; lost <= 1; lost++) {
      await fixture.at(lost * 1_000);
      await fixture.claim({ leaseMs: 1_000 });
    }
    await fixture.schedule('good', 0);
    await fixture.at(2_000);
    const reply = await fixture.turn({ claim: {}, leaseMs: 1_000 });
    expect(reply.claimed.map(({ id }) => id)).toEqual(['a', 'good']);
    expect((await fixture.contents()).leased).toEqual([
      ['b', String(NOW_MS + 2_250)],
      ['c', String(NOW_MS + 2_500)],
      ['d', String(NOW_MS + 2_750)],
      ['a', String(NOW_MS + 3_000)],
      ['good', String(NOW_MS + 3_000)],
    ]);
  });

  it('let no suspect run beside one that the caller runs already', async () => {
    await loseLeases(1);
    expect((await fixture.turn({ claim: { suspects: 'put off' }, leaseMs: 1_000 })).claimed).toEqual([]);
    expect((await fixture.contents()).leased).toEqual([['a', String(NOW_MS + 2_500)]]);
  });
});
