import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { NOW_US, PartitionFixture } from './support/partition-fixture.js';

let fixture: PartitionFixture;
beforeAll(async () => {
  fixture = await PartitionFixture.start();
});
afterAll(() => fixture.stop());
beforeEach(() => fixture.reset());

it('init begins the epoch at the time in microseconds, digit by digit', async () => {
  expect(await fixture.store.init(fixture.ref)).toBe(true);
  expect(await fixture.contents()).toEqual({ fence: String(NOW_US) });
});

it('init leaves an epoch that has begun', async () => {
  await fixture.store.init(fixture.ref);
  await fixture.at(5);
  expect(await fixture.store.init(fixture.ref)).toBe(false);
  expect(await fixture.contents()).toEqual({ fence: String(NOW_US) });
});
