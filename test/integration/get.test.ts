import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { NOW_MS, PartitionFixture } from './support/partition-fixture.js';

let fixture: PartitionFixture;
beforeAll(async () => {
  fixture = await PartitionFixture.start();
});
afterAll(() => fixture.stop());
beforeEach(() => fixture.reset());

const blank = {
  id: 'a',
  envelope: null,
  dueAtMs: null,
  deliveries: 0,
  failures: 0,
  lostLeases: 0,
  redrives: 0,
  leaseUntilMs: null,
  deadAtMs: null,
  reason: null,
  error: null,
  doneUntilMs: null,
};

describe('get', () => {
  const get = (): ReturnType<PartitionFixture['store']['get']> => fixture.store.get(fixture.ref, 'a');

  it('tells of a task in each state, and writes nothing', async () => {
    expect(await get()).toBeNull();
    await fixture.schedule('a', 5);
    expect(await get()).toEqual({ ...blank, state: 'waiting', envelope: 'E(a)', dueAtMs: NOW_MS + 6 });

    await fixture.at(10);
    const fence = await fixture.claim({ leaseMs: 1_000 });
    const running = { envelope: 'E(a)', dueAtMs: NOW_MS + 6, deliveries: 1 };
    const before = await fixture.contents();
    expect(await get()).toEqual({ ...blank, ...running, state: 'running', leaseUntilMs: NOW_MS + 1_010 });
    expect(await fixture.contents()).toEqual(before);

    await fixture.turn({ settles: [{ kind: 'bury', id: 'a', fence, reason: 'why|\n', error: 'é\n' }] });
    expect(await get()).toEqual({
      ...blank,
      ...running,
      state: 'dead',
      deadAtMs: NOW_MS + 10,
      reason: 'why|\n',
      error: 'é\n',
    });
  });

  it('tells of a done task until its window is over', async () => {
    await fixture.schedule('a');
    const fence = await fixture.claim();
    await fixture.turn({ settles: [{ kind: 'complete', id: 'a', fence, dedupeForMs: 100 }] });
    expect(await get()).toEqual({ ...blank, state: 'done', doneUntilMs: NOW_MS + 100 });
    await fixture.at(100);
    expect(await get()).toBeNull();
  });

  it('tells the due time that a task waits for now, not the one of its last delivery', async () => {
    await fixture.schedule('a');
    const fence = await fixture.claim();
    await fixture.turn({ settles: [{ kind: 'retry', id: 'a', fence, delayMs: 500, maxRetries: 3, error: '' }] });
    expect(await get()).toMatchObject({ state: 'waiting', dueAtMs: NOW_MS + 501, deliveries: 1, failures: 1 });
  });

  it('does not hide a task whose envelope is gone', async () => {
    await fixture.schedule('a');
    await fixture.redis.hdel(fixture.key('task'), 'a');
    expect(await get()).toMatchObject({ state: 'waiting', envelope: null });
  });
});
