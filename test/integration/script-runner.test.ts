import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { QueueClosedError, StoreRejectedError, StoreUnavailableError } from '../../libs/delay-queue/src/core/errors.js';
import type { Mutation, MutationAnswer } from '../../libs/delay-queue/src/ports/mutation.js';
import type { TurnReply, TurnRequest } from '../../libs/delay-queue/src/ports/turn.js';
import { RedisTaskStore } from '../../libs/delay-queue/src/redis/redis-task-store.js';
import { RedisServer } from '../support/redis-server.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { waitFor } from '../support/wait-for.js';

const ref = { type: 't', partition: 0 };

/** Long enough for an answer on a busy machine, short enough to wait for in a test. */
const TIMEOUT_MS = 400;

let server: RedisServer;
let redis: Redis;
let store: RedisTaskStore;

beforeEach(async () => {
  server = await RedisServer.start();
  redis = new Redis(server.url, { retryStrategy: () => 20, maxRetriesPerRequest: null });
  redis.on('error', () => undefined);
});

afterEach(async () => {
  await store.close();
  redis.disconnect();
  await server.stop();
});

async function open(url: string = server.url, callTimeoutMs = TIMEOUT_MS): Promise<void> {
  store = new RedisTaskStore({ connection: url, prefix: 'it', callTimeoutMs });
  await store.open();
}

function schedule(id: string): Mutation {
  return { kind: 'schedule', id, due: { delayMs: 0 }, envelope: 'E', onDuplicate: 'keep' };
}

const claim: TurnRequest = {
  ref,
  holder: 'me',
  settles: [],
  extensions: [],
  claim: { limit: 10, runsSuspect: false, mayCallForHelp: false },
  arm: 'leave',
  leaseMs: 30_000,
  maxLostLeases: 5,
  deadKeepMs: 1_000,
  deadMax: 100,
};

function statuses(answers: readonly MutationAnswer[]): string[] {
  return answers.map((answer) => (answer.ok ? answer.result.status : answer.error.message));
}

/** The connections of the store, by the server's numbers. */
async function storeConnections(): Promise<number[]> {
  const own = await redis.client('ID');
  const ids = Array.from(String(await redis.client('LIST')).matchAll(/^id=(\d+)/gm), ([, id]) => Number(id));
  return ids.filter((id) => id !== own);
}

describe('scripts that the server does not know', () => {
  it('C05 are sent as text, before every call', async () => {
    await open(server.url, 10_000);
    const calls: (() => Promise<unknown>)[] = [
      () => store.register({ type: 't', partitions: 1, dedupeForMs: 0 }),
      () => store.init(ref),
      () => store.mutate(ref, [schedule('a')]),
      () => store.turn(claim),
      () => store.peek({ holder: 'me', lanes: [ref] }),
      () => store.get(ref, 'a'),
      () => store.list(ref, { state: 'running', offset: 0, limit: 5 }),
      () => store.stats(ref),
      () => store.setPaused(ref, false),
      () => store.trim(ref, { deadKeepMs: 1, deadMax: 1 }),
    ];
    for (let round = 0; round < 3; round++) {
      for (const call of calls) {
        await redis.script('FLUSH');
        await call();
      }
    }
    expect(await store.get(ref, 'a')).toMatchObject({ state: 'running', deliveries: 1 });
  });

  it('C05 C51 keep the order of calls in flight', async () => {
    await open(server.url, 10_000);
    await store.mutate(ref, [schedule('warm')]);
    for (let round = 0; round < 50; round++) {
      await redis.script('FLUSH');
      const answers = await Promise.all([
        store.mutate(ref, [schedule('a')]),
        store.mutate(ref, [{ kind: 'cancel', id: 'a' }]),
        store.mutate(ref, [schedule('a')]),
        store.mutate(ref, [{ kind: 'cancel', id: 'a' }]),
      ]);
      expect(answers.flatMap(statuses)).toEqual(['created', 'cancelled', 'created', 'cancelled']);
    }
  });

  it('go by their name afterwards', async () => {
    await open(server.url, 10_000);
    await store.mutate(ref, [schedule('a')]);
    await redis.config('RESETSTAT');
    await store.mutate(ref, [schedule('b')]);
    const commands = await redis.info('commandstats');
    expect(commands).toMatch(/cmdstat_evalsha:calls=1,/);
    expect(commands).not.toMatch(/cmdstat_eval:/);
  });
});

describe('a server that does not answer', () => {
  it('C35 fails each call within its time limit, and says that the outcome is unknown', async () => {
    await open();
    server.pause();
    const calls = [store.turn(claim), store.stats(ref), store.init(ref), store.peek({ holder: 'me', lanes: [ref] })];
    const startedAt = performance.now();
    for (const call of calls) {
      await expect(call).rejects.toThrow(StoreUnavailableError);
      await expect(call).rejects.toMatchObject({ outcome: 'unknown' });
    }
    const [answer] = await store.mutate(ref, [schedule('a')]);
    expect(answer).toMatchObject({ ok: false, error: { outcome: 'unknown' } });
    // Two time limits passed, one after the other; the rest is for a busy machine.
    expect(performance.now() - startedAt).toBeLessThan(2 * TIMEOUT_MS + 2_000);
    server.resume();
  });

  it('C53 hands over the reply of a claim that comes too late', async () => {
    await open();
    await store.mutate(ref, [schedule('a')]);
    server.pause();
    const late: TurnReply[] = [];
    await expect(store.turn(claim, { onLateReply: (reply) => late.push(reply) })).rejects.toThrow(
      StoreUnavailableError,
    );
    expect(late).toEqual([]);
    server.resume();
    await waitFor(() => late.length > 0, { what: 'the late reply' });
    expect(late).toMatchObject([{ claimed: [{ id: 'a', deliveries: 1 }] }]);
  });

  it('works again when it goes on', async () => {
    await open();
    server.pause();
    await expect(store.stats(ref)).rejects.toThrow(StoreUnavailableError);
    server.resume();
    await waitFor(() => store.stats(ref).catch(() => false), { what: 'an answer' });
  });

  it('costs its connection when nothing at all has come back for two time limits', async () => {
    const proxy = await TcpProxy.start(server.port);
    try {
      await open(proxy.url);
      await store.stats(ref);
      proxy.goSilent();
      for (let call = 0; call < 3; call++) await expect(store.stats(ref)).rejects.toThrow(StoreUnavailableError);
      proxy.restore();
      // The old connection stays silent for ever, so the answer comes over another one.
      await waitFor(() => store.stats(ref).catch(() => false), { what: 'an answer over a new connection' });
    } finally {
      await store.close();
      await proxy.stop();
    }
  });

  it('costs a new connection, too, that never becomes usable', async () => {
    const proxy = await TcpProxy.start(server.port);
    try {
      await open(proxy.url);
      proxy.goSilent();
      proxy.dropAll();
      const outcomes = new Set<string>();
      const opened = proxy.connections;
      expect(opened).toBe(0);
      await waitFor(() => proxy.connections > 0, { what: 'a connection into the silence' });
      proxy.restore();
      await waitFor(
        () =>
          store.stats(ref).catch((error: StoreUnavailableError) => {
            outcomes.add(error.outcome);
            return false;
          }),
        { deadlineMs: 15_000, what: 'an answer' },
      );
      expect([...outcomes]).toEqual(['not_sent']);
    } finally {
      await store.close();
      await proxy.stop();
    }
  });
});

describe('a connection that is lost', () => {
  it('fails what is in flight at once, with an unknown outcome, and sends nothing again', async () => {
    await open(server.url, 30_000);
    await store.mutate(ref, [schedule('a')]);
    server.pause();
    const call = store.turn(claim);
    const startedAt = performance.now();
    await server.kill();
    await expect(call).rejects.toMatchObject({ code: 'store_unavailable', outcome: 'unknown' });
    expect(performance.now() - startedAt).toBeLessThan(15_000);
    await server.restart();
    await waitFor(() => store.stats(ref).catch(() => false), { what: 'the server to be back' });
    // Every turn begins with this command, and nothing else has used it since the start.
    expect(await redis.info('commandstats')).not.toMatch(/cmdstat_hdel/);
  });

  it('C35 answers at once that nothing was sent while there is none', async () => {
    await open(server.url, 30_000);
    await server.kill();
    await waitFor(
      async () => {
        const [answer] = await store.mutate(ref, [schedule('a')]);
        return answer?.ok === false && answer.error.outcome === 'not_sent';
      },
      { what: 'the connection to be lost' },
    );
    await expect(store.turn(claim)).rejects.toMatchObject({ code: 'store_unavailable', outcome: 'not_sent' });
    await server.restart();
    await waitFor(async () => statuses(await store.mutate(ref, [schedule('a')]))[0] === 'created', {
      what: 'a schedule after the outage',
    });
  });

  it('C01 is made again when it was killed during a claim', async () => {
    await open(server.url, 10_000);
    await store.mutate(ref, [schedule('a')]);
    for (const id of await storeConnections()) await redis.client('KILL', 'ID', id);
    const reply = await waitFor(() => store.turn(claim).catch(() => null), { what: 'a claim after the kill' });
    expect(reply?.claimed).toMatchObject([{ id: 'a' }]);
  });
});

describe('a server that refuses', () => {
  it('C07 as a replica is told by its own word, until it is a primary again', async () => {
    await open(server.url, 10_000);
    await redis.replicaof('127.0.0.1', 1);
    await expect(store.turn(claim)).rejects.toMatchObject({ code: 'store_rejected', reason: 'READONLY' });
    await redis.replicaof('NO', 'ONE');
    await waitFor(() => store.turn(claim).catch(() => false), { what: 'a claim on the primary' });
  });

  it('C07 as a replica is left, so that the successor can be found where the old primary was', async () => {
    await open(server.url, 10_000);
    const before = await storeConnections();
    await redis.replicaof('127.0.0.1', 1);
    await expect(store.turn(claim)).rejects.toMatchObject({ reason: 'READONLY' });
    await waitFor(
      async () => {
        const after = await storeConnections();
        return after.length === 1 && !before.includes(after[0] ?? 0);
      },
      { what: 'a new connection' },
    );
  });

  it('C07 for want of disk is told by its own word, until it can write again', async () => {
    await open(server.url, 10_000);
    const [, folder] = (await redis.config('GET', 'dir')) as [string, string];
    await rm(folder, { recursive: true });
    await redis.config('SET', 'save', '1 1');
    await redis.set('changed', '1');
    await waitFor(async () => /rdb_last_bgsave_status:err/.test(await redis.info('persistence')), {
      deadlineMs: 15_000,
      what: 'a snapshot that failed',
    });
    const [answer] = await store.mutate(ref, [schedule('a')]);
    expect(answer).toMatchObject({ ok: false, error: { reason: 'MISCONF', outcome: 'not_sent' } });
    await redis.config('SET', 'save', '');
    expect(statuses(await store.mutate(ref, [schedule('a')]))).toEqual(['created']);
  });

  it('is told by its own word when it is busy with a script of somebody else', async () => {
    await open(server.url, 10_000);
    await redis.config('SET', 'busy-reply-threshold', '1');
    const other = new Redis(server.url);
    try {
      const loop = other.eval('while true do end', 0);
      await waitFor(
        () =>
          store.stats(ref).then(
            () => false,
            (error: unknown) => error instanceof StoreRejectedError && error.reason === 'BUSY',
          ),
        { what: 'BUSY' },
      );
      await redis.script('KILL');
      await expect(loop).rejects.toThrow(/killed/);
      await store.stats(ref);
    } finally {
      other.disconnect();
    }
  });
});

it('calls after closing are refused', async () => {
  await open();
  await store.close();
  const calls = [
    store.open(),
    store.turn(claim),
    store.stats(ref),
    store.mutate(ref, [schedule('a')]),
    store.listen([ref]),
    store.signal({ kind: 'ping', ref, holder: 'me' }),
    store.peek({ holder: 'me', lanes: [ref] }),
    store.register({ type: 't', partitions: 1, dedupeForMs: 0 }),
  ];
  for (const call of calls) await expect(call).rejects.toThrow(QueueClosedError);
});
