import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { NOW_MS, PartitionFixture } from './support/partition-fixture.js';

let fixture: PartitionFixture;
beforeAll(async () => {
  fixture = await PartitionFixture.start();
});
afterAll(() => fixture.stop());
beforeEach(() => fixture.reset());

describe('list', () => {
  it('pages through the waiting tasks in order of due time and then of bytes', async () => {
    for (const [id, delayMs] of [
      ['b', 5],
      ['z', 1],
      ['a', 5],
      ['é', 5],
    ] as const) {
      await fixture.schedule(id, delayMs);
    }
    const page = (offset: number, limit: number): Promise<string[]> =>
      fixture.store
        .list(fixture.ref, { state: 'waiting', offset, limit })
        .then((records) => records.map(({ id }) => id));
    expect(await page(0, 500)).toEqual(['z', 'a', 'b', 'é']);
    expect(await page(1, 2)).toEqual(['a', 'b']);
    expect(await page(4, 2)).toEqual([]);
  });

  it('tells of running tasks by the end of their leases', async () => {
    await fixture.schedule('a');
    await fixture.claim({ leaseMs: 2_000 });
    await fixture.schedule('b');
    await fixture.claim({ leaseMs: 1_000 });
    expect(await fixture.store.list(fixture.ref, { state: 'running', offset: 0, limit: 9 })).toMatchObject([
      { id: 'b', state: 'running', leaseUntilMs: NOW_MS + 1_000, deliveries: 1 },
      { id: 'a', state: 'running', leaseUntilMs: NOW_MS + 2_000, envelope: 'E(a)' },
    ]);
  });

  it('tells of dead tasks with reason and error, oldest first', async () => {
    await fixture.bury('b', 'boom');
    await fixture.at(1);
    await fixture.bury('a');
    expect(await fixture.store.list(fixture.ref, { state: 'dead', offset: 0, limit: 9 })).toMatchObject([
      { id: 'b', state: 'dead', deadAtMs: NOW_MS, reason: 'why', error: 'boom', envelope: 'E(b)' },
      { id: 'a', state: 'dead', deadAtMs: NOW_MS + 1, error: '' },
    ]);
  });

  it('fills a page of large tasks by several calls, none of them above the limit of bytes by more than a task', async () => {
    const large = 'x'.repeat(600_000);
    for (const id of ['a', 'b', 'c', 'd', 'e']) await fixture.schedule(id, 0, large);
    await fixture.store.list(fixture.ref, { state: 'waiting', offset: 0, limit: 1 });
    await fixture.redis.config('RESETSTAT');
    const records = await fixture.store.list(fixture.ref, { state: 'waiting', offset: 1, limit: 4 });
    expect(records.map(({ id }) => id)).toEqual(['b', 'c', 'd', 'e']);
    expect(await fixture.redis.info('commandstats')).toMatch(/cmdstat_evalsha:calls=2,/);
  });
});
