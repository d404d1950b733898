import { afterEach, describe, expect, it } from '@jest/globals';
import { StoreUnavailableError } from '../../libs/delay-queue/src/core/errors.js';
import type { TurnReply } from '../../libs/delay-queue/src/ports/turn.js';
import { RedisTaskStore } from '../../libs/delay-queue/src/redis/redis-task-store.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { waitFor } from '../support/wait-for.js';
import { claim, OutageFixture, ref, schedule, SHORT_TIMEOUT_MS } from './support/outage-fixture.js';

let fixture: OutageFixture;
afterEach(() => fixture.stop());

async function start(callTimeoutMs: number): Promise<void> {
  fixture = await OutageFixture.start(callTimeoutMs);
}

/** Runs a test with a network between the store and the server that can fall silent. */
async function withProxy(test: (proxy: TcpProxy) => Promise<void>): Promise<void> {
  let proxy: TcpProxy | undefined;
  fixture = await OutageFixture.start(SHORT_TIMEOUT_MS, async ({ port }) => {
    proxy = await TcpProxy.start(port);
    return proxy.url;
  });
  if (proxy === undefined) throw new Error('the proxy has not been started');
  try {
    await test(proxy);
  } finally {
    await fixture.store.close();
    await proxy.stop();
  }
}

describe('a server that does not answer', () => {
  it('C35 fails each call within its time limit, and says that the outcome is unknown', async () => {
    await start(SHORT_TIMEOUT_MS);
    fixture.server.pause();
    const calls = [
      fixture.store.turn(claim),
      fixture.store.stats(ref),
      fixture.store.init(ref),
      fixture.store.peek({ holder: 'me', lanes: [ref] }),
    ];
    const startedAt = performance.now();
    for (const call of calls) {
      await expect(call).rejects.toThrow(StoreUnavailableError);
      await expect(call).rejects.toMatchObject({ outcome: 'unknown' });
    }
    const [answer] = await fixture.store.mutate(ref, [schedule('a')]);
    expect(answer).toMatchObject({ ok: false, error: { outcome: 'unknown' } });
    // Two time limits passed, one after the other; the rest is for a busy machine.
    expect(performance.now() - startedAt).toBeLessThan(2 * SHORT_TIMEOUT_MS + 2_000);
    fixture.server.resume();
  });

  it('C53 hands over the reply of a claim that comes too late', async () => {
    await start(SHORT_TIMEOUT_MS);
    await fixture.store.mutate(ref, [schedule('a')]);
    fixture.server.pause();
    const late: TurnReply[] = [];
    await expect(fixture.store.turn(claim, { onLateReply: (reply) => late.push(reply) })).rejects.toThrow(
      StoreUnavailableError,
    );
    expect(late).toEqual([]);
    fixture.server.resume();
    await waitFor(() => late.length > 0, { what: 'the late reply' });
    expect(late).toMatchObject([{ claimed: [{ id: 'a', deliveries: 1 }] }]);
  });

  it('works again when it goes on', async () => {
    await start(SHORT_TIMEOUT_MS);
    fixture.server.pause();
    await expect(fixture.store.stats(ref)).rejects.toThrow(StoreUnavailableError);
    fixture.server.resume();
    await waitFor(() => fixture.store.stats(ref).catch(() => false), { what: 'an answer' });
  });

  it('costs its connection when nothing at all has come back for two time limits', () =>
    withProxy(async (proxy) => {
      await fixture.store.stats(ref);
      proxy.goSilent();
      for (let call = 0; call < 3; call++)
        await expect(fixture.store.stats(ref)).rejects.toThrow(StoreUnavailableError);
      proxy.restore();
      // The old connection stays silent for ever, so the answer comes over another one.
      const stats = await waitFor(() => fixture.store.stats(ref).catch(() => null), { what: 'an answer' });
      expect(stats).toMatchObject({ waiting: 0 });
    }));

  it('costs a new connection, too, that never becomes usable', () =>
    withProxy(async (proxy) => {
      proxy.goSilent();
      proxy.dropAll();
      const outcomes = new Set<string>();
      await waitFor(() => proxy.connections > 0, { what: 'a connection into the silence' });
      proxy.restore();
      await waitFor(
        () =>
          fixture.store.stats(ref).catch((error: StoreUnavailableError) => {
            outcomes.add(error.outcome);
            return false;
          }),
        { deadlineMs: 15_000, what: 'an answer over a later connection' },
      );
      expect([...outcomes]).toEqual(['not_sent']);
    }));

  it('costs the first connection, too, when a process starts into the silence and only waits for it', () =>
    withProxy(async (proxy) => {
      proxy.goSilent();
      const store = new RedisTaskStore({ connection: proxy.url, prefix: 'p', callTimeoutMs: SHORT_TIMEOUT_MS });
      try {
        await expect(store.open()).rejects.toThrow(StoreUnavailableError);
        proxy.restore();
        await waitFor(() => store.open().catch(() => false), { deadlineMs: 15_000, what: 'a later connection' });
      } finally {
        await store.close();
      }
    }));
});
