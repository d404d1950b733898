import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Redis, type RedisOptions } from 'ioredis';
import { StoreUnavailableError } from '../../libs/delay-queue/src/core/errors.js';
import type { RedisConnectionOption } from '../../libs/delay-queue/src/redis/redis-connection.js';
import { RedisTaskStore } from '../../libs/delay-queue/src/redis/redis-task-store.js';
import { freePort, RedisServer } from '../support/redis-server.js';
import { waitFor } from '../support/wait-for.js';

const ref = { type: 't', partition: 0 };

let server: RedisServer;
let opened: RedisTaskStore[] = [];

function storeOn(
  connection: RedisConnectionOption,
  onConnectionError: (error: Error) => void = () => undefined,
): RedisTaskStore {
  const store = new RedisTaskStore({ connection, prefix: 'it', callTimeoutMs: 2_000, onConnectionError });
  opened.push(store);
  return store;
}

beforeAll(async () => {
  server = await RedisServer.start();
});
afterAll(() => server.stop());
beforeEach(() => {
  opened = [];
});
afterEach(async () => {
  await Promise.all(opened.map((store) => store.close()));
});

/** Options with which a store on the application's own connection would lose tasks, run them twice or stop. */
const hostile = {
  lazyConnect: true,
  commandTimeout: 1,
  enableOfflineQueue: false,
  enableAutoPipelining: true,
  autoResendUnfulfilledCommands: true,
  autoResubscribe: false,
  maxRetriesPerRequest: null,
  retryStrategy: () => null,
  reconnectOnError: () => 2 as const,
  stringNumbers: true,
  connectionName: 'theirs',
} satisfies RedisOptions;

describe('the connection option', () => {
  const kinds: [string, () => RedisConnectionOption][] = [
    ['a URL', () => server.url],
    ['options', () => ({ ...hostile, host: '127.0.0.1', port: server.port })],
    ['a client', () => new Redis(server.url, hostile)],
    ['a function', () => () => new Redis(server.url, hostile)],
  ];

  it.each(kinds)('may be %s, whatever else is set there', async (_, option) => {
    const store = storeOn(option());
    await store.open();
    const signals: unknown[] = [];
    store.wakeups$.subscribe((signal) => signals.push(signal));
    await store.listen([ref]);
    const [answer] = await store.mutate(ref, [
      { kind: 'schedule', id: 'a', due: { delayMs: 60_000 }, envelope: 'E', onDuplicate: 'replace' },
    ]);
    expect(answer).toMatchObject({ ok: true });
    expect(await store.stats(ref)).toMatchObject({ waiting: 1, paused: false });
    await waitFor(() => signals.length > 0, { what: 'the signal of the schedule' });
  });

  it('C37 leaves a client of the application open, connected and as it was', async () => {
    const client = new Redis(server.url);
    try {
      await client.ping();
      const before = { ...client.options };
      const store = storeOn(client);
      await store.open();
      await store.close();
      expect(client.status).toBe('ready');
      expect(await client.ping()).toBe('PONG');
      expect(client.options).toEqual(before);
    } finally {
      client.disconnect();
    }
  });
});

describe('open', () => {
  it('C35 fails within the time limit when nothing can be reached, says why, and goes on connecting', async () => {
    const late = await RedisServer.start();
    try {
      await late.kill();
      const errors: Error[] = [];
      const store = storeOn(late.url, (error) => errors.push(error));
      const opening = store.open();
      await expect(opening).rejects.toThrow(StoreUnavailableError);
      await expect(opening).rejects.toThrow(/ECONNREFUSED/);
      await expect(opening).rejects.toMatchObject({ outcome: 'not_sent' });
      expect(errors.length).toBeGreaterThan(0);
      await late.restart();
      await store.open();
      await store.stats(ref);
    } finally {
      await Promise.all(opened.map((store) => store.close()));
      await late.stop();
    }
  });

  it('can be called again and again', async () => {
    const store = storeOn(server.url);
    expect(await Promise.all([store.open(), store.open()])).toEqual([[], []]);
    expect(await store.open()).toEqual([]);
  });

  it('C37 ends at once when the store is closed meanwhile, reachable or not', async () => {
    const store = storeOn(`redis://127.0.0.1:${await freePort()}`);
    const opening = store.open();
    const startedAt = performance.now();
    await Promise.all([expect(opening).rejects.toMatchObject({ code: 'closed' }), store.close()]);
    expect(performance.now() - startedAt).toBeLessThan(1_500);
  });
});

describe('close', () => {
  it('C37 leaves no connection behind', async () => {
    const observer = new Redis(server.url);
    try {
      const store = storeOn(server.url);
      await store.open();
      await store.listen([ref]);
      const connections = async (): Promise<number> =>
        String(await observer.client('LIST'))
          .trim()
          .split('\n').length;
      expect(await connections()).toBe(3);
      await store.close();
      await waitFor(async () => (await connections()) === 1, { what: 'the connections to be gone' });
    } finally {
      observer.disconnect();
    }
  });

  it('C37 returns soon also when the server answers nothing any more', async () => {
    const paused = await RedisServer.start();
    try {
      const store = storeOn(paused.url);
      await store.open();
      await store.listen([ref]);
      paused.pause();
      const startedAt = performance.now();
      await store.close();
      expect(performance.now() - startedAt).toBeLessThan(2_500);
    } finally {
      await paused.stop();
    }
  });

  it('may be called twice, and before anything was opened', async () => {
    const store = storeOn(server.url);
    await store.close();
    await expect(store.close()).resolves.toBeUndefined();
  });
});
