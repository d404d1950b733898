import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { NOW_MS, PartitionFixture } from './support/partition-fixture.js';

let fixture: PartitionFixture;
beforeAll(async () => {
  fixture = await PartitionFixture.start();
});
afterAll(() => fixture.stop());
beforeEach(() => fixture.reset());

it('a pause is one key, and a resumption removes it; both may be repeated', async () => {
  for (const paused of [true, true]) await fixture.store.setPaused(fixture.ref, paused);
  expect(await fixture.contents()).toEqual({ paused: '1' });
  for (const paused of [false, false]) await fixture.store.setPaused(fixture.ref, paused);
  expect(await fixture.contents()).toEqual({});
});

it('C54 a resumption tells the holder, who was not armed during the pause', async () => {
  await fixture.schedule('a', 10);
  await fixture.store.setPaused(fixture.ref, true);
  await fixture.turn({ arm: 'take' });
  expect((await fixture.contents()).arm).toBe(`me||${NOW_MS + 5_000}`);
  expect(await fixture.signalsOf(() => fixture.store.setPaused(fixture.ref, false))).toEqual(['wake:me']);
  expect((await fixture.contents()).arm).toBe(`me|${NOW_MS + 11}|${NOW_MS + 5_000}`);
});

it('a resumption tells everyone when nobody holds the arm, and nobody when nothing is due', async () => {
  await fixture.store.setPaused(fixture.ref, true);
  expect(await fixture.signalsOf(() => fixture.store.setPaused(fixture.ref, false))).toEqual([]);
  await fixture.schedule('a', 10);
  await fixture.store.setPaused(fixture.ref, true);
  expect(await fixture.signalsOf(() => fixture.store.setPaused(fixture.ref, false))).toEqual(['wake:*']);
});

it('a resumption tells of leases that ended during the pause', async () => {
  await fixture.schedule('a');
  await fixture.claim({ leaseMs: 1_000 });
  await fixture.store.setPaused(fixture.ref, true);
  await fixture.turn({ arm: 'take' });
  expect(await fixture.signalsOf(() => fixture.store.setPaused(fixture.ref, false))).toEqual(['wake:me']);
  expect((await fixture.contents()).arm).toBe(`me|${NOW_MS + 1_000}|${NOW_MS + 5_000}`);
});
