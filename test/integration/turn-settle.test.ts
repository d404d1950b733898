import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Settle } from '../../libs/delay-queue/src/ports/settle.js';
import { NOW_MS, NOW_US, PartitionFixture } from './support/partition-fixture.js';

let fixture: PartitionFixture;
beforeAll(async () => {
  fixture = await PartitionFixture.start();
});
afterAll(() => fixture.stop());
beforeEach(() => fixture.reset());

/** Schedules `a`, claims it at +10 ms and ends it with the settle at +20 ms; returns what is left in Redis. */
async function afterSettle(settle: (fence: number) => Settle): ReturnType<PartitionFixture['contents']> {
  await fixture.schedule('a');
  await fixture.at(10);
  const fence = await fixture.claim();
  await fixture.at(20);
  expect((await fixture.turn({ settles: [settle(fence)] })).settled).toEqual(['applied']);
  return fixture.contents();
}

const FENCE = NOW_US + 10_000;

describe('turn: settles', () => {
  it('leaves nothing of a completed task', async () => {
    expect(await afterSettle((fence) => ({ kind: 'complete', id: 'a', fence, dedupeForMs: 0 }))).toEqual({});
  });

  it('leaves the mark of a task that was completed with a dedupe window', async () => {
    const left = await afterSettle((fence) => ({ kind: 'complete', id: 'a', fence, dedupeForMs: 1_000 }));
    expect(left).toEqual({ done: [['a', String(NOW_MS + 1_020)]] });
  });

  it('puts a failed task back with one failure more', async () => {
    const left = await afterSettle((fence) => ({
      kind: 'retry',
      id: 'a',
      fence,
      delayMs: 100,
      maxRetries: 1,
      error: 'boom',
    }));
    expect(left).toEqual({
      due: [['a', String(NOW_MS + 121)]],
      task: [['a', 'E(a)']],
      run: [['a', `${FENCE}|1|1|0|0|${NOW_MS}`]],
    });
  });

  it('makes a dead letter of a task whose retries are used up', async () => {
    const left = await afterSettle((fence) => ({
      kind: 'retry',
      id: 'a',
      fence,
      delayMs: 100,
      maxRetries: 0,
      error: 'bö|om\n',
    }));
    expect(left).toEqual({
      dead: [['a', String(NOW_MS + 20)]],
      grave: [['a', `1|1|0|0|${NOW_MS}|15|7\nretries used upbö|om\nE(a)`]],
    });
  });

  it('puts a snoozed task back without a failure', async () => {
    const left = await afterSettle((fence) => ({ kind: 'snooze', id: 'a', fence, delayMs: 0 }));
    expect(left).toMatchObject({ due: [['a', String(NOW_MS + 20)]], run: [['a', `${FENCE}|1|0|0|0|${NOW_MS}`]] });
  });

  it('puts a released task back to its old due time', async () => {
    const left = await afterSettle((fence) => ({ kind: 'release', id: 'a', fence }));
    expect(left).toMatchObject({ due: [['a', String(NOW_MS)]], run: [['a', `${FENCE}|1|0|0|0|${NOW_MS}`]] });
  });

  it('buries a task with its reason and error', async () => {
    const left = await afterSettle((fence) => ({ kind: 'bury', id: 'a', fence, reason: 'no', error: '' }));
    expect(left).toEqual({
      dead: [['a', String(NOW_MS + 20)]],
      grave: [['a', `1|0|0|0|${NOW_MS}|2|0\nnoE(a)`]],
    });
  });

  it('answers each of several by itself, in order, and lets a stale one stop nothing', async () => {
    await fixture.schedule('a');
    await fixture.schedule('b');
    const fence = await fixture.claim();
    const { settled, extended } = await fixture.turn({
      settles: [
        { kind: 'retry', id: 'none', fence, delayMs: 1, maxRetries: 1, error: 'x' },
        { kind: 'bury', id: 'a', fence: fence - 1, reason: 'old', error: 'old' },
        { kind: 'snooze', id: 'a', fence, delayMs: 5 },
        { kind: 'complete', id: 'a', fence, dedupeForMs: 0 },
        { kind: 'complete', id: 'b', fence, dedupeForMs: 0 },
      ],
      extensions: [
        { id: 'b', fence },
        { id: 'none', fence },
      ],
    });
    expect(settled).toEqual(['gone', 'stale', 'applied', 'gone', 'applied']);
    expect(extended).toEqual(['gone', 'gone']);
    expect(await fixture.contents()).toMatchObject({ due: [['a', String(NOW_MS + 6)]], task: [['a', 'E(a)']] });
  });

  it('takes a fence that is only the beginning of the stored one for another', async () => {
    await fixture.schedule('a');
    const fence = await fixture.claim();
    const shorter = Number(String(fence).slice(0, -1));
    expect((await fixture.turn({ settles: [{ kind: 'release', id: 'a', fence: shorter }] })).settled).toEqual([
      'stale',
    ]);
  });

  it('settles and extends hundreds of tasks in one call', async () => {
    const ids = Array.from({ length: 500 }, (_, index) => `task ${index}`);
    await fixture.mutate(
      ...ids.map((id) => ({
        kind: 'schedule' as const,
        id,
        due: { delayMs: 0 },
        envelope: 'E',
        onDuplicate: 'keep' as const,
      })),
    );
    const fence = await fixture.claim({ claim: { limit: 500 } });
    const { settled, extended } = await fixture.turn({
      settles: ids.slice(0, 250).map((id) => ({ kind: 'complete', id, fence, dedupeForMs: 10 })),
      extensions: ids.slice(250).map((id) => ({ id, fence })),
    });
    expect(new Set([...settled, ...extended])).toEqual(new Set(['applied']));
    expect(await fixture.store.stats(fixture.ref)).toMatchObject({ running: 250, done: 250, waiting: 0 });
  });
});

describe('turn: extensions', () => {
  it('C12 prolong a lease also when it was over and nobody had taken the task', async () => {
    await fixture.schedule('a');
    const fence = await fixture.claim({ leaseMs: 1_000 });
    await fixture.at(5_000);
    expect((await fixture.turn({ extensions: [{ id: 'a', fence }], leaseMs: 1_000 })).extended).toEqual(['applied']);
    expect(await fixture.contents()).toMatchObject({ leased: [['a', String(NOW_MS + 6_000)]] });
  });

  it('C52 are written before the claim looks for leases that are over', async () => {
    await fixture.schedule('a');
    const fence = await fixture.claim({ leaseMs: 1_000 });
    await fixture.at(5_000);
    const reply = await fixture.turn({ extensions: [{ id: 'a', fence }], claim: {}, leaseMs: 1_000 });
    expect(reply.extended).toEqual(['applied']);
    expect(reply.claimed).toEqual([]);
  });

  it('C11 are refused when another claim holds the task', async () => {
    await fixture.schedule('a');
    const first = await fixture.claim({ leaseMs: 1_000 });
    await fixture.at(1_000);
    const second = await fixture.claim({ leaseMs: 1_000 });
    expect(second).toBeGreaterThan(first);
    const before = await fixture.contents();
    const reply = await fixture.turn({
      extensions: [{ id: 'a', fence: first }],
      settles: [{ kind: 'complete', id: 'a', fence: first, dedupeForMs: 0 }],
    });
    expect(reply).toMatchObject({ extended: ['stale'], settled: ['stale'] });
    expect(await fixture.contents()).toEqual(before);
  });
});

describe('turn: trims', () => {
  it('keep so many dead letters, whenever one is added', async () => {
    for (const id of ['a', 'b', 'c', 'd']) {
      await fixture.schedule(id);
      const fence = await fixture.claim();
      await fixture.turn({ settles: [{ kind: 'bury', id, fence, reason: 'r', error: '' }], deadMax: 2 });
    }
    expect(await fixture.contents()).toMatchObject({
      dead: [
        ['c', expect.any(String)],
        ['d', expect.any(String)],
      ],
      grave: [
        ['c', expect.any(String)],
        ['d', expect.any(String)],
      ],
    });
  });

  it('remove done marks whose window is over, whenever one is added', async () => {
    await fixture.schedule('a');
    let fence = await fixture.claim();
    await fixture.turn({ settles: [{ kind: 'complete', id: 'a', fence, dedupeForMs: 100 }] });
    await fixture.at(100);
    await fixture.schedule('b');
    fence = await fixture.claim();
    await fixture.turn({ settles: [{ kind: 'complete', id: 'b', fence, dedupeForMs: 100 }] });
    expect(await fixture.contents()).toEqual({ done: [['b', String(NOW_MS + 200)]] });
  });
});
