import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { StoreRejectedError } from '../../libs/delay-queue/src/core/errors.js';
import type { Mutation } from '../../libs/delay-queue/src/ports/mutation.js';
import { PartitionFixture } from './support/partition-fixture.js';

let fixture: PartitionFixture;
beforeEach(async () => {
  fixture = await PartitionFixture.start();
  await fixture.reset();
});
afterEach(() => fixture.stop());

/** From now on the server is above its limit, whatever is removed. */
async function fillMemory(): Promise<void> {
  await fixture.redis.config('SET', 'maxmemory', '1');
  await expect(fixture.redis.set('more', 'x')).rejects.toThrow(/OOM/);
}

function schedule(id: string): Mutation {
  return { kind: 'schedule', id, due: { delayMs: 0 }, envelope: 'E', onDuplicate: 'keep' };
}

describe('a server whose memory is full', () => {
  const additions: [string, Mutation[]][] = [
    ['a schedule', [schedule('new')]],
    ['a schedule followed by other mutations', [schedule('new'), { kind: 'cancel', id: 'waiting' }]],
    [
      'a replacement',
      [{ kind: 'schedule', id: 'waiting', due: { delayMs: 0 }, envelope: 'F', onDuplicate: 'replace' }],
    ],
    [
      'a replacement of a dead letter',
      [{ kind: 'schedule', id: 'dead', due: { delayMs: 0 }, envelope: 'F', onDuplicate: 'replace' }],
    ],
    ['a redrive', [{ kind: 'redrive', id: 'dead' }]],
    ['a rescheduling', [{ kind: 'reschedule', id: 'waiting', due: { delayMs: 5 } }]],
  ];

  it.each(additions)('refuses %s with OOM, before anything is written', async (_, mutations) => {
    await fixture.bury('dead');
    await fixture.schedule('waiting', 60_000);
    await fillMemory();
    const before = await fixture.contents();
    const answers = await fixture.store.mutate(fixture.ref, mutations);
    expect(answers).toHaveLength(mutations.length);
    for (const answer of answers) {
      expect(answer).toMatchObject({ ok: false, error: { reason: 'OOM', outcome: 'not_sent' } });
    }
    expect(await fixture.contents()).toEqual(before);
  });

  it('still lets tasks be cancelled and dead letters purged', async () => {
    await fixture.bury('dead');
    await fixture.schedule('waiting', 60_000);
    await fillMemory();
    const results = await fixture.mutate({ kind: 'cancel', id: 'waiting' }, { kind: 'purgeDead', id: 'dead' });
    expect(results.map(({ status }) => status)).toEqual(['cancelled', 'purged']);
    expect(await fixture.contents()).toEqual({});
  });

  it('still lets tasks be claimed, extended and settled in every way, and the arm be held', async () => {
    await fixture.store.init(fixture.ref);
    for (const id of ['a', 'b', 'c', 'd', 'e']) await fixture.schedule(id);
    await fillMemory();
    const claimed = await fixture.turn({ claim: {}, arm: 'take', leaseMs: 1_000 });
    expect(claimed).toMatchObject({ armed: true });
    expect(claimed.claimed).toHaveLength(5);
    const fence = claimed.lastFence;
    const reply = await fixture.turn({
      settles: [
        { kind: 'complete', id: 'a', fence, dedupeForMs: 1_000 },
        { kind: 'retry', id: 'b', fence, delayMs: 5_000, maxRetries: 3, error: 'x' },
        { kind: 'bury', id: 'c', fence, reason: 'y', error: '' },
        { kind: 'release', id: 'd', fence },
      ],
      extensions: [{ id: 'e', fence }],
      leaseMs: 1_000,
    });
    expect(reply.settled).toEqual(['applied', 'applied', 'applied', 'applied']);
    expect(reply.extended).toEqual(['applied']);
    const counts = { waiting: 2, running: 1, dead: 1, done: 1 };
    expect(await fixture.store.stats(fixture.ref)).toMatchObject(counts);
    // The clock of the test is a key, and as such refused.
    await fixture.redis.config('SET', 'maxmemory', '0');
    await fixture.at(1_000);
    await fillMemory();
    expect((await fixture.turn({ claim: {} })).claimed.map(({ id }) => id)).toEqual(['e', 'd']);
    expect((await fixture.store.peek({ holder: 'me', lanes: [fixture.ref] }))[0]?.armed).toBe(true);
  });

  it('still lets a partition be paused, resumed and trimmed', async () => {
    await fixture.bury('dead');
    await fillMemory();
    await fixture.store.setPaused(fixture.ref, true);
    await fixture.store.setPaused(fixture.ref, false);
    expect(await fixture.store.trim(fixture.ref, { deadKeepMs: 0, deadMax: 0 })).toBe(1);
    await expect(fixture.store.init(fixture.ref)).rejects.toThrow(StoreRejectedError);
  });
});
