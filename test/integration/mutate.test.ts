import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Mutation } from '../../libs/delay-queue/src/ports/mutation.js';
import { NOW_MS, PartitionFixture } from './support/partition-fixture.js';

const DAY_MS = 86_400_000;

let fixture: PartitionFixture;
beforeAll(async () => {
  fixture = await PartitionFixture.start();
});
afterAll(() => fixture.stop());
beforeEach(() => fixture.reset());

function schedule(id: string, delayMs: number, onDuplicate: 'keep' | 'replace' = 'keep'): Mutation {
  return { kind: 'schedule', id, due: { delayMs }, envelope: `E(${id})`, onDuplicate };
}

describe('mutate: schedule', () => {
  it('writes the due time and the envelope, and nothing else', async () => {
    const [result] = await fixture.mutate(schedule('a', 1_000));
    // The clock stands a quarter past the millisecond, and a delay is never shortened.
    const due = NOW_MS + 1 + 1_000;
    expect(result).toEqual({ status: 'created', state: 'waiting', dueAtMs: due });
    expect(await fixture.contents()).toEqual({ due: [['a', String(due)]], task: [['a', 'E(a)']] });
  });

  it.each([
    ['2^31 - 1 ms', 2 ** 31 - 1],
    ['2^31 ms', 2 ** 31],
    ['2^32 + 5,000 ms', 2 ** 32 + 5_000],
    ['30 days', 30 * DAY_MS],
    ['20 years', 20 * 365 * DAY_MS],
    ['100 years', 100 * 365 * DAY_MS],
  ])('C14 keeps a delay of %s to the millisecond', async (_, delayMs) => {
    const dueAtMs = NOW_MS + 1 + delayMs;
    const [result] = await fixture.mutate(schedule('a', delayMs));
    expect(result?.dueAtMs).toBe(dueAtMs);
    expect(await fixture.contents()).toMatchObject({ due: [['a', String(dueAtMs)]] });
    await fixture.clock.setMs(dueAtMs - 0.001);
    expect((await fixture.turn({ claim: {} })).claimed).toEqual([]);
    await fixture.clock.setMs(dueAtMs);
    expect((await fixture.turn({ claim: {} })).claimed).toMatchObject([{ id: 'a', dueAtMs }]);
  });

  it.each([
    ['past', NOW_MS - 5_000, NOW_MS],
    ['future', NOW_MS + 5_000, NOW_MS + 5_000],
  ])('takes a point in time in the %s', async (_, atMs, dueAtMs) => {
    const due = { atMs };
    const [result] = await fixture.mutate({ kind: 'schedule', id: 'a', due, envelope: 'E', onDuplicate: 'keep' });
    expect(result?.dueAtMs).toBe(dueAtMs);
  });

  it('does not touch a task that is there when it is to be kept', async () => {
    await fixture.mutate(schedule('a', 1_000));
    const before = await fixture.contents();
    const [result] = await fixture.mutate({ ...schedule('a', 5), envelope: 'other' } as Mutation);
    expect(result).toEqual({ status: 'duplicate', state: 'waiting', dueAtMs: NOW_MS + 1_001 });
    expect(await fixture.contents()).toEqual(before);
  });

  it('replaces envelope, due time and counters of a task that waits again', async () => {
    await fixture.schedule('a');
    const fence = await fixture.claim();
    await fixture.turn({ settles: [{ kind: 'retry', id: 'a', fence, delayMs: 9, maxRetries: 3, error: '' }] });
    expect(await fixture.contents()).toHaveProperty('run');
    await fixture.mutate({ kind: 'schedule', id: 'a', due: { delayMs: 5 }, envelope: 'new', onDuplicate: 'replace' });
    expect(await fixture.contents()).toEqual({ due: [['a', String(NOW_MS + 6)]], task: [['a', 'new']] });
  });

  it('puts a replaced dead letter away whole', async () => {
    await fixture.bury('a');
    await fixture.mutate(schedule('a', 5, 'replace'));
    expect(await fixture.contents()).toEqual({ due: [['a', String(NOW_MS + 6)]], task: [['a', 'E(a)']] });
  });

  it('removes a done mark whose window is over, and none other', async () => {
    await fixture.schedule('a');
    const fence = await fixture.claim();
    await fixture.turn({ settles: [{ kind: 'complete', id: 'a', fence, dedupeForMs: 100 }] });
    expect((await fixture.mutate(schedule('a', 0)))[0]).toEqual({ status: 'duplicate', state: 'done', dueAtMs: null });
    expect(await fixture.contents()).toEqual({ done: [['a', String(NOW_MS + 100)]] });
    await fixture.at(100);
    expect((await fixture.mutate(schedule('a', 0)))[0]?.status).toBe('created');
    expect(await fixture.contents()).not.toHaveProperty('done');
  });

  it.each([
    'order:1',
    'a:b:c',
    'https://x/y?z',
    '{slot}',
    '}{',
    '123',
    ' ',
    '\u00e9',
    'e\u0301',
    '😀',
    'a\0b',
    '\0',
    '__proto__',
    'constructor',
    'wake:*',
    '-inf',
    '\r\n',
    '%d%s%%',
    'é'.repeat(256),
  ])('C32 takes the id %j through its whole life', async (id) => {
    const others = ['other', `${id}x`];
    await fixture.mutate(...[id, ...others].map((each) => schedule(each, 0)));
    const { claimed } = await fixture.turn({ claim: {} });
    expect(claimed.map((task) => task.id).toSorted()).toEqual([id, ...others].toSorted());
    const fence = claimed[0]?.fence ?? 0;
    const retry = { kind: 'retry', id, fence, delayMs: 0, maxRetries: 0, error: 'boom' } as const;
    expect((await fixture.turn({ settles: [retry] })).settled).toEqual(['applied']);
    expect(await fixture.store.get(fixture.ref, id)).toMatchObject({ id, state: 'dead', envelope: `E(${id})` });
    const [redriven] = await fixture.mutate({ kind: 'redrive', id });
    expect(redriven?.status).toBe('redriven');
    expect(await fixture.store.list(fixture.ref, { state: 'waiting', offset: 0, limit: 9 })).toMatchObject([{ id }]);
    expect((await fixture.mutate({ kind: 'cancel', id }))[0]?.status).toBe('cancelled');
    expect(await fixture.store.get(fixture.ref, id)).toBeNull();
  });
});

describe('mutate: the other kinds', () => {
  it('C17 reschedules to the exact time and keeps the counters', async () => {
    await fixture.schedule('a');
    const fence = await fixture.claim();
    await fixture.turn({ settles: [{ kind: 'retry', id: 'a', fence, delayMs: 9, maxRetries: 3, error: '' }] });
    const { run } = await fixture.contents();
    await fixture.mutate({ kind: 'reschedule', id: 'a', due: { delayMs: 3_600_000 } });
    await fixture.mutate({ kind: 'reschedule', id: 'a', due: { delayMs: 1_000 } });
    const due = String(NOW_MS + 1_001);
    expect(await fixture.contents()).toMatchObject({ due: [['a', due]], task: [['a', 'E(a)']], run });
  });

  it('runs a task now, but not later than it would', async () => {
    await fixture.mutate(schedule('early', 0), schedule('late', 9_000));
    await fixture.at(5);
    const [early, late] = await fixture.mutate({ kind: 'runNow', id: 'early' }, { kind: 'runNow', id: 'late' });
    expect(early?.dueAtMs).toBe(NOW_MS);
    expect(late?.dueAtMs).toBe(NOW_MS + 5);
  });

  it('leaves nothing of a cancelled task', async () => {
    await fixture.schedule('a');
    const fence = await fixture.claim();
    await fixture.turn({ settles: [{ kind: 'release', id: 'a', fence }] });
    await fixture.mutate({ kind: 'cancel', id: 'a' });
    expect(await fixture.contents()).toEqual({});
  });

  it('redrives with the envelope and the deliveries of before', async () => {
    await fixture.bury('a', 'error with | and\nline');
    await fixture.at(7);
    const [result] = await fixture.mutate({ kind: 'redrive', id: 'a' });
    expect(result).toEqual({ status: 'redriven', state: 'waiting', dueAtMs: NOW_MS + 7 });
    expect(await fixture.contents()).toEqual({
      due: [['a', String(NOW_MS + 7)]],
      task: [['a', 'E(a)']],
      run: [['a', `0|1|0|0|1|${NOW_MS}`]],
    });
  });

  it('leaves nothing of a purged dead letter', async () => {
    await fixture.bury('a');
    await fixture.mutate({ kind: 'purgeDead', id: 'a' });
    expect(await fixture.contents()).toEqual({});
  });
});

describe('mutate: several in one call', () => {
  it('C51 carries them out in order, each seeing those before', async () => {
    const results = await fixture.mutate(
      schedule('a', 100),
      schedule('a', 5),
      { kind: 'reschedule', id: 'a', due: { delayMs: 50 } },
      schedule('a', 70, 'replace'),
      { kind: 'cancel', id: 'a' },
      { kind: 'cancel', id: 'a' },
      schedule('a', 3),
    );
    expect(results.map(({ status }) => status)).toEqual([
      'created',
      'duplicate',
      'rescheduled',
      'replaced',
      'cancelled',
      'not_found',
      'created',
    ]);
    expect(await fixture.contents()).toEqual({ due: [['a', String(NOW_MS + 4)]], task: [['a', 'E(a)']] });
  });

  it('answers every one of more than fit into one call, in order', async () => {
    const mutations = Array.from({ length: 1_203 }, (_, index) => schedule(`task ${index}`, index));
    const results = await fixture.mutate(...mutations);
    expect(results.map(({ dueAtMs }) => dueAtMs)).toEqual(
      mutations.map((_, index) => (index === 0 ? NOW_MS : NOW_MS + 1 + index)),
    );
    expect(await fixture.redis.zcard(fixture.key('due'))).toBe(1_203);
    expect(await fixture.redis.hlen(fixture.key('task'))).toBe(1_203);
  });
});

describe('mutate: telling of an earlier head', () => {
  it('tells everyone when nobody holds the arm and the head is new', async () => {
    expect(await fixture.signalsOf(() => fixture.schedule('a', 100))).toEqual(['wake:*']);
    expect(await fixture.signalsOf(() => fixture.schedule('b', 200))).toEqual([]);
    expect(await fixture.signalsOf(() => fixture.schedule('c', 50))).toEqual(['wake:*']);
  });

  it('tells the living holder, who is armed for the new time from then on', async () => {
    await fixture.schedule('a', 60_000);
    await fixture.turn({ arm: 'take' });
    expect(await fixture.signalsOf(() => fixture.schedule('b', 70_000))).toEqual([]);
    expect(await fixture.signalsOf(() => fixture.schedule('c', 1_000))).toEqual(['wake:me']);
    expect((await fixture.contents()).arm).toBe(`me|${NOW_MS + 1_001}|${NOW_MS + 5_000}`);
    expect(await fixture.signalsOf(() => fixture.schedule('d', 2_000))).toEqual([]);
  });

  it('tells of what is left when the earliest is cancelled in the same call', async () => {
    await fixture.schedule('far', 60_000);
    await fixture.turn({ arm: 'take' });
    const act = (): Promise<unknown> =>
      fixture.mutate(schedule('a', 1_000), schedule('b', 2_000), { kind: 'cancel', id: 'a' });
    expect(await fixture.signalsOf(act)).toEqual(['wake:me']);
    expect((await fixture.contents()).arm).toBe(`me|${NOW_MS + 2_001}|${NOW_MS + 5_000}`);
  });

  it('tells everyone when the holder has been silent for too long', async () => {
    await fixture.turn({ arm: 'take' });
    await fixture.at(5_001);
    expect(await fixture.signalsOf(() => fixture.schedule('a', 1_000))).toEqual(['wake:*']);
  });

  it('tells nobody while the partition is paused', async () => {
    await fixture.store.setPaused(fixture.ref, true);
    expect(await fixture.signalsOf(() => fixture.schedule('a'))).toEqual([]);
  });
});
