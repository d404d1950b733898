import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { StoreRejectedError } from '../../libs/delay-queue/src/core/errors.js';
import { RedisKeys } from '../../libs/delay-queue/src/redis/keys.js';
import { NOW_MS, PartitionFixture } from './support/partition-fixture.js';

const LIFE = 'm5d4ruo0abc123';
const HOUR_MS = 3_600_000;
const KEY = 'charge:42';
const claim = { owner: 'charge:life:id|7', fence: 1_700_000_000_000_001, holdMs: HOUR_MS };

const keys = new RedisKeys('it');
const shared = keys.sharedMark(KEY);

let fixture: PartitionFixture;
beforeAll(async () => {
  fixture = await PartitionFixture.start();
});
afterAll(() => fixture.stop());
beforeEach(() => fixture.reset());

/** Schedules `a`, claims it and completes it with a mark. */
async function completeMarked(id: string, result: string | null): Promise<void> {
  await fixture.schedule(id);
  const fence = await fixture.claim();
  const mark = { life: LIFE, keepMs: HOUR_MS, result };
  const { settled } = await fixture.turn({ settles: [{ kind: 'complete', id, fence, dedupeForMs: 0, mark }] });
  expect(settled).toEqual(['applied']);
}

/** The value of a key, when its time to live is an hour, give or take the time of the test. */
async function valueForAnHour(key: string): Promise<string | null> {
  const leftMs = await fixture.redis.pttl(key);
  expect(leftMs).toBeGreaterThan(HOUR_MS - 60_000);
  expect(leftMs).toBeLessThanOrEqual(HOUR_MS);
  return fixture.redis.get(key);
}

describe('marks', () => {
  it('under a key of the application are one string, which Redis removes by itself', async () => {
    const marks = fixture.store.idempotency;
    await marks.begin(KEY, claim);
    expect(await valueForAnHour(shared)).toBe(`p|1700000000000001|${NOW_MS + HOUR_MS}|charge:life:id|7`);
    await fixture.at(1_000);
    await marks.extend(KEY, claim);
    expect(await valueForAnHour(shared)).toBe(`p|1700000000000001|${NOW_MS + 1_000 + HOUR_MS}|charge:life:id|7`);
    await marks.finish(KEY, claim, { keepMs: HOUR_MS, result: '{"a":"|"}' });
    expect(await valueForAnHour(shared)).toBe(`d|${NOW_MS + 1_000 + HOUR_MS}|{"a":"|"}`);
    await fixture.redis.del(shared);
    await marks.begin(KEY, claim);
    await marks.drop(KEY, claim);
    expect(await fixture.redis.exists(shared)).toBe(0);
  });

  it("of a task's own are one string beside its partition, written with the completion", async () => {
    await completeMarked('a', '[1]');
    await completeMarked('b', null);
    expect(await valueForAnHour(`{it:t:0}:mark:${LIFE}:a`)).toBe(`d|${NOW_MS + HOUR_MS}|[1]`);
    expect(await valueForAnHour(`{it:t:0}:mark:${LIFE}:b`)).toBe(`d|${NOW_MS + HOUR_MS}|`);
    expect(await fixture.contents()).toEqual({});
  });

  it('are not there for tasks that are completed without', async () => {
    await fixture.schedule('a');
    const fence = await fixture.claim();
    await fixture.turn({ settles: [{ kind: 'complete', id: 'a', fence, dedupeForMs: 0 }] });
    expect(await fixture.redis.keys('*mark*')).toEqual([]);
  });
});

describe('marks on a server whose memory is full', () => {
  beforeEach(async () => {
    await fixture.schedule('a');
    await fixture.store.idempotency.begin('begun', claim);
    await fixture.redis.config('SET', 'maxmemory', '1');
  });
  afterEach(() => fixture.redis.config('SET', 'maxmemory', '0'));

  it('cannot be begun, and nothing is written', async () => {
    await expect(fixture.store.idempotency.begin(KEY, claim)).rejects.toThrow(StoreRejectedError);
    expect(await fixture.redis.exists(shared)).toBe(0);
  });

  it('can be extended, finished and dropped, looked at, and written by a completion', async () => {
    const marks = fixture.store.idempotency;
    expect(await marks.extend('begun', claim)).toBe(true);
    expect(await marks.finish('begun', claim, { keepMs: HOUR_MS, result: '"much longer than it was before"' })).toBe(
      'finished',
    );
    expect(await marks.begin('begun', claim)).toMatchObject({ kind: 'done' });
    expect(await marks.drop('begun', claim)).toBe(false);
    const fence = await fixture.claim();
    const own = { ref: fixture.ref, id: 'a', life: LIFE, fence };
    expect(await marks.look(own)).toEqual({ kind: 'begun' });
    const mark = { life: LIFE, keepMs: HOUR_MS, result: null };
    const { settled } = await fixture.turn({ settles: [{ kind: 'complete', id: 'a', fence, dedupeForMs: 0, mark }] });
    expect(settled).toEqual(['applied']);
    expect(await fixture.redis.exists(`{it:t:0}:mark:${LIFE}:a`)).toBe(1);
  });
});
