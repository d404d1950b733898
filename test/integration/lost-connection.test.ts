import { afterEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '../support/wait-for.js';
import { claim, LONG_TIMEOUT_MS, OutageFixture, ref, schedule, statuses } from './support/outage-fixture.js';

let fixture: OutageFixture;
afterEach(() => fixture.stop());

async function start(callTimeoutMs: number): Promise<void> {
  fixture = await OutageFixture.start(callTimeoutMs);
}

describe('a connection that is lost', () => {
  it('fails what is in flight at once, with an unknown outcome, and sends nothing again', async () => {
    await start(30_000);
    await fixture.store.mutate(ref, [schedule('a')]);
    fixture.server.pause();
    const call = fixture.store.turn(claim);
    const startedAt = performance.now();
    await fixture.server.kill();
    await expect(call).rejects.toMatchObject({ code: 'store_unavailable', outcome: 'unknown' });
    expect(performance.now() - startedAt).toBeLessThan(15_000);
    await fixture.server.restart();
    await waitFor(() => fixture.store.stats(ref).catch(() => false), { what: 'the server to be back' });
    // Every turn begins with this command, and nothing else has used it since the start.
    expect(await fixture.redis.info('commandstats')).not.toMatch(/cmdstat_hdel/);
  });

  it('C35 answers at once that nothing was sent while there is none', async () => {
    await start(30_000);
    await fixture.server.kill();
    await waitFor(
      async () => {
        const [answer] = await fixture.store.mutate(ref, [schedule('a')]);
        return answer?.ok === false && answer.error.outcome === 'not_sent';
      },
      { what: 'the connection to be lost' },
    );
    await expect(fixture.store.turn(claim)).rejects.toMatchObject({ code: 'store_unavailable', outcome: 'not_sent' });
    await fixture.server.restart();
    await waitFor(async () => statuses(await fixture.store.mutate(ref, [schedule('a')]))[0] === 'created', {
      what: 'a schedule after the outage',
    });
  });

  it('C01 is made again when it was killed during a claim', async () => {
    await start(LONG_TIMEOUT_MS);
    await fixture.store.mutate(ref, [schedule('a')]);
    for (const id of await fixture.storeConnections()) await fixture.redis.client('KILL', 'ID', id);
    const reply = await waitFor(() => fixture.store.turn(claim).catch(() => null), { what: 'a claim after the kill' });
    expect(reply?.claimed).toMatchObject([{ id: 'a' }]);
  });
});
