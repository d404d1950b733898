import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { StoreRejectedError, StoreUnavailableError } from '../../libs/delay-queue/src/core/errors.js';
import type { PartitionSignal, Wakeup } from '../../libs/delay-queue/src/ports/wakeup.js';
import { RedisTaskStore } from '../../libs/delay-queue/src/redis/redis-task-store.js';
import { RedisServer, type RedisServerOptions } from '../support/redis-server.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { waitFor } from '../support/wait-for.js';

const ref = { type: 't', partition: 0 };
const other = { type: 't', partition: 1 };
const ping: PartitionSignal = { kind: 'ping', ref, holder: 'me' };

let server: RedisServer;
let redis: Redis;
let store: RedisTaskStore;
let heard: Wakeup[];

async function start(options: RedisServerOptions = {}): Promise<void> {
  server = await RedisServer.start(options);
  redis = new Redis(server.url, { retryStrategy: () => 20, maxRetriesPerRequest: null });
  redis.on('error', () => undefined);
}

function hearing(url: string, callTimeoutMs = 2_000): RedisTaskStore {
  store = new RedisTaskStore({ connection: url, prefix: 'it', callTimeoutMs });
  heard = [];
  store.wakeups$.subscribe((wakeup) => heard.push(wakeup));
  return store;
}

beforeEach(() => start());
afterEach(async () => {
  await store.close();
  redis.disconnect();
  await server.stop();
});

describe('signals', () => {
  it('reach those who listen to their partition, in order, and nobody else', async () => {
    await hearing(server.url).open();
    await store.listen([ref]);
    const sent: PartitionSignal[] = [
      { kind: 'wake', ref, holder: null },
      { kind: 'wake', ref, holder: 'x' },
      { kind: 'beat', ref, holder: 'x' },
      { kind: 'help', ref, holder: 'x' },
      { kind: 'calm', ref, holder: 'x' },
      { kind: 'ping', ref, holder: 'x' },
    ];
    await store.signal({ kind: 'beat', ref: other, holder: 'x' });
    for (const signal of sent) await store.signal(signal);
    await waitFor(() => heard.length >= sent.length, { what: 'the signals' });
    expect(heard).toEqual(sent);
  });

  it('arrive from the moment at which listen resolves', async () => {
    await hearing(server.url).open();
    await Promise.all([store.listen([ref]), store.listen([other])]);
    expect(await redis.pubsub('NUMSUB', '{it:t:0}:wake', '{it:t:1}:wake')).toEqual([
      '{it:t:0}:wake',
      1,
      '{it:t:1}:wake',
      1,
    ]);
  });

  it('of a kind that is not known are passed over', async () => {
    await hearing(server.url).open();
    await store.listen([ref]);
    await redis.publish('{it:t:0}:wake', 'later:x');
    await store.signal(ping);
    await waitFor(() => heard.length > 0, { what: 'the signal' });
    expect(heard).toEqual([ping]);
  });
});

describe('an interruption', () => {
  it('C08 is told of when the subscription is back, and signals arrive again', async () => {
    await hearing(server.url).open();
    await store.listen([ref, other]);
    await redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await waitFor(() => heard.length > 0, { what: 'the news of the interruption' });
    expect(heard).toEqual([{ kind: 'resubscribed' }]);
    await store.signal(ping);
    await waitFor(() => heard.length > 1, { what: 'the signal' });
    expect(heard[1]).toEqual(ping);
  });

  it('may last, and happen again', async () => {
    await hearing(server.url).open();
    await store.listen([ref]);
    for (let round = 1; round <= 2; round++) {
      await server.restart();
      await waitFor(() => heard.length === round, { deadlineMs: 10_000, what: 'the subscription to be back' });
    }
    expect(heard).toEqual([{ kind: 'resubscribed' }, { kind: 'resubscribed' }]);
  });

  it('is noticed also on a connection that has gone silent, once commands flow again', async () => {
    const proxy = await TcpProxy.start(server.port);
    try {
      await hearing(proxy.url, 300).open();
      await store.listen([ref]);
      proxy.goSilent();
      for (let call = 0; call < 3; call++) await expect(store.stats(ref)).rejects.toThrow(StoreUnavailableError);
      proxy.restore();
      await waitFor(() => store.stats(ref).catch(() => false), { what: 'the command connection' });
      await waitFor(() => heard.some(({ kind }) => kind === 'resubscribed'), { what: 'the subscription' });
    } finally {
      await store.close();
      await proxy.stop();
    }
  });
});

describe('listen', () => {
  it('fails within the time limit while there is no server, and is made up for when there is', async () => {
    await hearing(server.url, 300).open();
    await server.kill();
    await expect(store.listen([ref])).rejects.toThrow(StoreUnavailableError);
    await server.restart();
    await waitFor(() => heard.length > 0, { deadlineMs: 10_000, what: 'the subscription' });
    expect(heard).toEqual([{ kind: 'resubscribed' }]);
    await store.listen([ref]);
    expect(await redis.pubsub('NUMSUB', '{it:t:0}:wake')).toEqual(['{it:t:0}:wake', 1]);
  });

  it('tells that the user may not listen', async () => {
    await store?.close();
    redis.disconnect();
    await server.stop();
    await start({
      aclUsers: ['user default on nopass ~* &* +@all', 'user app on >secret ~* resetchannels +@all'],
    });
    await hearing(server.url.replace('redis://', 'redis://app:secret@')).open();
    const listening = store.listen([ref]);
    await expect(listening).rejects.toThrow(StoreRejectedError);
    await expect(listening).rejects.toMatchObject({ reason: 'NOPERM' });
  });
});
