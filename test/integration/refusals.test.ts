import { rm } from 'node:fs/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { StoreRejectedError } from '../../libs/delay-queue/src/core/errors.js';
import { waitFor } from '../support/wait-for.js';
import { claim, LONG_TIMEOUT_MS, OutageFixture, ref, schedule, statuses } from './support/outage-fixture.js';

let fixture: OutageFixture;
afterEach(() => fixture.stop());

async function start(callTimeoutMs: number): Promise<void> {
  fixture = await OutageFixture.start(callTimeoutMs);
}

describe('a server that refuses', () => {
  it('C07 as a replica is told by its own word, until it is a primary again', async () => {
    await start(LONG_TIMEOUT_MS);
    await fixture.redis.replicaof('127.0.0.1', 1);
    await expect(fixture.store.turn(claim)).rejects.toMatchObject({ code: 'store_rejected', reason: 'READONLY' });
    await fixture.redis.replicaof('NO', 'ONE');
    await waitFor(() => fixture.store.turn(claim).catch(() => false), { what: 'a claim on the primary' });
  });

  it('C07 as a replica is left, so that the successor can be found where the old primary was', async () => {
    await start(LONG_TIMEOUT_MS);
    const before = await fixture.storeConnections();
    await fixture.redis.replicaof('127.0.0.1', 1);
    await expect(fixture.store.turn(claim)).rejects.toMatchObject({ reason: 'READONLY' });
    await waitFor(
      async () => {
        const after = await fixture.storeConnections();
        return after.length === 1 && !before.includes(after[0] ?? 0);
      },
      { what: 'a new connection' },
    );
  });

  it('C07 for want of disk is told by its own word, until it can write again', async () => {
    await start(LONG_TIMEOUT_MS);
    const [, folder] = (await fixture.redis.config('GET', 'dir')) as [string, string];
    await rm(folder, { recursive: true });
    await fixture.redis.config('SET', 'save', '1 1');
    await fixture.redis.set('changed', '1');
    await waitFor(async () => /rdb_last_bgsave_status:err/.test(await fixture.redis.info('persistence')), {
      deadlineMs: 15_000,
      what: 'a snapshot that failed',
    });
    const [answer] = await fixture.store.mutate(ref, [schedule('a')]);
    expect(answer).toMatchObject({ ok: false, error: { reason: 'MISCONF', outcome: 'not_sent' } });
    await fixture.redis.config('SET', 'save', '');
    expect(statuses(await fixture.store.mutate(ref, [schedule('a')]))).toEqual(['created']);
  });

  it('is told by its own word when it is busy with a script of somebody else', async () => {
    await start(LONG_TIMEOUT_MS);
    await fixture.redis.config('SET', 'busy-reply-threshold', '1');
    const other = new Redis(fixture.server.url);
    try {
      const loop = other.eval('while true do end', 0);
      await waitFor(
        () =>
          fixture.store.stats(ref).then(
            () => false,
            (error: unknown) => error instanceof StoreRejectedError && error.reason === 'BUSY',
          ),
        { what: 'BUSY' },
      );
      await fixture.redis.script('KILL');
      await expect(loop).rejects.toThrow(/killed/);
      await fixture.store.stats(ref);
    } finally {
      other.disconnect();
    }
  });
});
