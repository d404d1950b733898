import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { NOW_MS, NOW_US, PartitionFixture } from './support/partition-fixture.js';

let fixture: PartitionFixture;
beforeAll(async () => {
  fixture = await PartitionFixture.start();
});
afterAll(() => fixture.stop());
beforeEach(() => fixture.reset());

it('stats count nothing in an empty partition', async () => {
  expect(await fixture.store.stats(fixture.ref)).toEqual({
    nowUs: NOW_US,
    waiting: 0,
    overdue: 0,
    running: 0,
    dead: 0,
    done: 0,
    paused: false,
    nextDueAtMs: null,
  });
});

it('stats count each state, overdue tasks among the waiting ones, and done marks only while they last', async () => {
  for (const [id, dedupeForMs] of [
    ['over', 5],
    ['lasting', 50],
  ] as const) {
    await fixture.schedule(id);
    const fence = await fixture.claim();
    await fixture.turn({ settles: [{ kind: 'complete', id, fence, dedupeForMs }] });
  }
  await fixture.bury('dead');
  await fixture.schedule('running');
  await fixture.claim();
  await fixture.schedule('due', 4);
  await fixture.schedule('later', 5);
  await fixture.store.setPaused(fixture.ref, true);
  await fixture.at(5);
  expect(await fixture.store.stats(fixture.ref)).toEqual({
    nowUs: NOW_US + 5_000,
    waiting: 2,
    overdue: 1,
    running: 1,
    dead: 1,
    done: 1,
    paused: true,
    nextDueAtMs: NOW_MS + 5,
  });
});
