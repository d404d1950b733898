import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { NOW_MS, PartitionFixture } from './support/partition-fixture.js';

let fixture: PartitionFixture;
beforeAll(async () => {
  fixture = await PartitionFixture.start();
});
afterAll(() => fixture.stop());
beforeEach(() => fixture.reset());

/** Puts dead letters there as they would be after a long time: `old 0` the oldest. */
async function leaveLetters(count: number): Promise<void> {
  const entries = Array.from({ length: count }, (_, index) => `old ${index}`);
  await fixture.redis.zadd(fixture.key('dead'), ...entries.flatMap((id, index) => [NOW_MS - 10_000 + index, id]));
  await fixture.redis.hset(fixture.key('grave'), ...entries.flatMap((id) => [id, '1|1|0|0|1|0|0\nE']));
}

async function leaveMarks(count: number, endMs: number): Promise<void> {
  const entries = Array.from({ length: count }, (_, index) => `${endMs} ${index}`);
  await fixture.redis.zadd(fixture.key('done'), ...entries.flatMap((id) => [endMs, id]));
}

it('trim removes what is too old, to the millisecond', async () => {
  await leaveLetters(4);
  expect(await fixture.store.trim(fixture.ref, { deadKeepMs: 9_998, deadMax: 100 })).toBe(3);
  expect(await fixture.contents()).toEqual({
    dead: [['old 3', String(NOW_MS - 9_997)]],
    grave: [['old 3', '1|1|0|0|1|0|0\nE']],
  });
});

it('trim removes what is too much, oldest first', async () => {
  await leaveLetters(5);
  expect(await fixture.store.trim(fixture.ref, { deadKeepMs: 1e9, deadMax: 2 })).toBe(3);
  expect(await fixture.redis.zrange(fixture.key('dead'), '0', '-1')).toEqual(['old 3', 'old 4']);
});

it('trim removes at most 100 entries a call, dead letters before done marks', async () => {
  await leaveLetters(150);
  await leaveMarks(80, NOW_MS);
  await leaveMarks(1, NOW_MS + 1);
  const limits = { deadKeepMs: 0, deadMax: 0 };
  expect(await fixture.store.trim(fixture.ref, limits)).toBe(100);
  expect(await fixture.redis.zcard(fixture.key('done'))).toBe(81);
  expect(await fixture.store.trim(fixture.ref, limits)).toBe(100);
  expect(await fixture.redis.zcard(fixture.key('done'))).toBe(31);
  expect(await fixture.store.trim(fixture.ref, limits)).toBe(30);
  expect(await fixture.store.trim(fixture.ref, limits)).toBe(0);
  expect(await fixture.contents()).toEqual({ done: [[`${NOW_MS + 1} 0`, String(NOW_MS + 1)]] });
});
