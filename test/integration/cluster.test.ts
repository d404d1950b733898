import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Cluster } from 'ioredis';
import { ConfigurationError } from '../../libs/delay-queue/src/core/errors.js';
import type { Wakeup } from '../../libs/delay-queue/src/ports/wakeup.js';
import { RedisTaskStore } from '../../libs/delay-queue/src/redis/redis-task-store.js';
import { RedisCluster } from '../support/redis-cluster.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { waitFor } from '../support/wait-for.js';

/** So many partitions that every node has some. */
const lanes = Array.from({ length: 24 }, (_, partition) => ({ type: 'c', partition }));

const turn = {
  holder: 'me',
  settles: [],
  extensions: [],
  claim: { limit: 10, suspects: 'take', mayCallForHelp: true },
  arm: 'take',
  leaseMs: 30_000,
  maxLostLeases: 5,
  deadKeepMs: 60_000,
  deadMax: 100,
} as const;

let cluster: RedisCluster;
let client: Cluster;
let store: RedisTaskStore;

beforeAll(async () => {
  cluster = await RedisCluster.start();
  client = new Cluster(cluster.ports.map((port) => ({ host: '127.0.0.1', port })));
  store = new RedisTaskStore({ connection: client, prefix: 'it', callTimeoutMs: 10_000 });
  await store.open();
}, 60_000);

afterAll(async () => {
  await store.close();
  client.disconnect();
  await cluster.stop();
});

describe('a cluster of three primaries', () => {
  it('C33 serves every call, for partitions on every node', async () => {
    await store.register({ type: 'c', partitions: lanes.length, dedupeForMs: 0 });
    await Promise.all(lanes.map((ref) => store.init(ref)));
    await Promise.all(
      lanes.map(async (ref) => {
        const id = `task {of} ${ref.partition}`;
        const due = { delayMs: 0 };
        const schedule = { kind: 'schedule', id, due, envelope: 'E', onDuplicate: 'replace' } as const;
        expect(await store.mutate(ref, [schedule, { kind: 'runNow', id }])).toMatchObject([{ ok: true }, { ok: true }]);
        const { claimed, armed } = await store.turn({ ...turn, ref });
        expect(claimed.map((task) => task.id)).toEqual([id]);
        expect(armed).toBe(true);
        const fence = claimed[0]?.fence ?? 0;
        const settles = [{ kind: 'bury', id, fence, reason: 'why', error: 'boom' }] as const;
        expect((await store.turn({ ...turn, ref, settles })).settled).toEqual(['applied']);
        expect(await store.list(ref, { state: 'dead', offset: 0, limit: 5 })).toHaveLength(1);
        expect(await store.mutate(ref, [{ kind: 'redrive', id }])).toMatchObject([{ ok: true }]);
        expect(await store.get(ref, id)).toMatchObject({ state: 'waiting', redrives: 1 });
        await store.setPaused(ref, true);
        expect(await store.stats(ref)).toMatchObject({ waiting: 1, paused: true });
        await store.setPaused(ref, false);
        expect(await store.trim(ref, { deadKeepMs: 0, deadMax: 0 })).toBe(0);
      }),
    );
    const held = await Promise.all(client.nodes('master').map((node) => node.dbsize()));
    expect(held.every((keys) => keys > 0)).toBe(true);
  });

  it('C33 keeps marks, those of tasks beside their partitions, those under keys on every node', async () => {
    const marks = store.idempotency;
    await Promise.all(
      lanes.map(async (ref) => {
        const id = `marked {task} of ${ref.partition}`;
        const schedule = { kind: 'schedule', id, due: { delayMs: 0 }, envelope: 'E', onDuplicate: 'keep' } as const;
        for (const expected of ['begun', 'done']) {
          await store.mutate(ref, [schedule]);
          const { claimed } = await store.turn({ ...turn, ref });
          const { fence } = claimed.find((task) => task.id === id) ?? { fence: 0 };
          expect((await marks.look({ ref, id, life: 'life', fence })).kind).toBe(expected);
          const mark = { life: 'life', keepMs: 60_000, result: null };
          const settles = [{ kind: 'complete', id, fence, dedupeForMs: 0, mark }] as const;
          expect((await store.turn({ ...turn, claim: null, ref, settles })).settled).toEqual(['applied']);
        }
        const claim = { owner: 'o', fence: 1, holdMs: 60_000 };
        expect(await marks.begin(`key {${ref.partition}}`, claim)).toEqual({ kind: 'begun' });
        expect(await marks.extend(`key {${ref.partition}}`, claim)).toBe(true);
        expect(await marks.finish(`key {${ref.partition}}`, claim, { keepMs: 60_000, result: null })).toBe('finished');
      }),
    );
  });

  it('answers a peek for lanes on several nodes, in order', async () => {
    await Promise.all(lanes.map((ref) => store.turn({ ...turn, claim: null, ref })));
    const replies = await store.peek({ holder: 'me', lanes });
    expect(replies.map(({ ref }) => ref)).toEqual(lanes);
    expect(replies.every(({ armed, epoch }) => armed && epoch === 'present')).toBe(true);
  });

  it('carries signals between partitions and processes wherever they are', async () => {
    const other = new RedisTaskStore({ connection: client, prefix: 'it', callTimeoutMs: 10_000 });
    try {
      await other.open();
      const heard: Wakeup[] = [];
      other.wakeups$.subscribe((wakeup) => heard.push(wakeup));
      await other.listen(lanes);
      const sent = lanes.map((ref) => ({ kind: 'ping', ref, holder: 'this test' }) as const);
      for (const signal of sent) await store.signal(signal);
      // What other tests have published may still be on its way between the nodes.
      const received = (): Wakeup[] => heard.filter((wakeup) => 'holder' in wakeup && wakeup.holder === 'this test');
      await waitFor(() => received().length >= lanes.length, { what: 'a signal of each partition' });
      expect(received()).toEqual(expect.arrayContaining(sent));
      expect(received()).toHaveLength(lanes.length);
    } finally {
      await other.close();
    }
  });

  it('subscribes anew, through any node, when the connection of the subscription ends', async () => {
    const other = new RedisTaskStore({ connection: client, prefix: 'it', callTimeoutMs: 10_000 });
    try {
      await other.open();
      const heard: Wakeup[] = [];
      other.wakeups$.subscribe((wakeup) => heard.push(wakeup));
      await other.listen(lanes);
      await Promise.all(client.nodes('master').map((node) => node.call('CLIENT', 'KILL', 'TYPE', 'pubsub')));
      await waitFor(() => heard.some(({ kind }) => kind === 'resubscribed'), { what: 'the news of the interruption' });
      heard.length = 0;
      await store.signal({ kind: 'ping', ref: { type: 'c', partition: 0 }, holder: 'this test' });
      await waitFor(() => heard.some(({ kind }) => kind === 'ping'), { what: 'a signal over the new subscription' });
      expect(heard.filter(({ kind }) => kind === 'resubscribed')).toEqual([]);
    } finally {
      await other.close();
    }
  });

  it('C05 C33 knows the scripts anew on a node that forgot them', async () => {
    for (let round = 0; round < 3; round++) {
      await Promise.all(client.nodes('master').map((node) => node.script('FLUSH')));
      expect(await Promise.all(lanes.map((ref) => store.stats(ref)))).toHaveLength(lanes.length);
    }
  });

  it('C37 leaves the client of the application open', async () => {
    const other = new RedisTaskStore({ connection: client, prefix: 'it', callTimeoutMs: 10_000 });
    await other.open();
    await other.close();
    expect(client.status).toBe('ready');
    expect(await client.ping()).toBe('PONG');
  });

  it('is refused when only one of its nodes is named by a URL', async () => {
    const [url = ''] = cluster.urls;
    const alone = new RedisTaskStore({ connection: url, prefix: 'it', callTimeoutMs: 10_000 });
    try {
      await expect(alone.open()).rejects.toThrow(ConfigurationError);
    } finally {
      await alone.close();
    }
  });
});

describe('a node of a cluster that went silent', () => {
  it('costs its connection after two time limits, while the others are served', async () => {
    const [first, ...rest] = cluster.ports;
    const proxy = await TcpProxy.start(first ?? 0);
    const behindProxy = new Cluster(
      rest.map((port) => ({ host: '127.0.0.1', port })),
      { natMap: { [`127.0.0.1:${first}`]: { host: '127.0.0.1', port: proxy.port } } },
    );
    const other = new RedisTaskStore({ connection: behindProxy, prefix: 'it', callTimeoutMs: 400 });
    try {
      await other.open();
      const statsOfAll = (): Promise<PromiseSettledResult<unknown>[]> =>
        Promise.allSettled(lanes.map((ref) => other.stats(ref)));
      const isServed = async (): Promise<boolean> => (await statsOfAll()).every(({ status }) => status === 'fulfilled');
      await waitFor(isServed, { what: 'every partition to be served' });
      expect(proxy.connections).toBeGreaterThan(0);
      proxy.goSilent();
      const during = new Set((await statsOfAll()).map(({ status }) => status));
      expect(during).toEqual(new Set(['fulfilled', 'rejected']));
      const peeked = await other.peek({ holder: 'me', lanes });
      expect(peeked.length).toBeGreaterThan(0);
      expect(peeked.length).toBeLessThan(lanes.length);
      expect(lanes).toEqual(expect.arrayContaining(peeked.map(({ ref }) => ref)));
      proxy.restore();
      // The old connection stays silent for ever, so the answers come over another one.
      await waitFor(isServed, { deadlineMs: 15_000, what: 'every partition to be served again' });
    } finally {
      await other.close();
      behindProxy.disconnect();
      await proxy.stop();
    }
  });
});

describe('a cluster that lost a primary', () => {
  it('C33 refuses or fails what concerns it, serves again when it is back, and says so in words of its own', async () => {
    const [node] = cluster.servers;
    await node?.kill();
    const codes: string[] = [];
    await waitFor(
      async () => {
        const calls = await Promise.allSettled(lanes.map((ref) => store.stats(ref)));
        for (const call of calls) if (call.status === 'rejected') codes.push((call.reason as { code: string }).code);
        return codes.length > 0;
      },
      { deadlineMs: 30_000, what: 'calls to fail' },
    );
    for (const code of codes) expect(code).toMatch(/^store_(unavailable|rejected)$/);
    await node?.restart();
    await waitFor(
      async () =>
        (await Promise.allSettled(lanes.map((ref) => store.stats(ref)))).every((c) => c.status === 'fulfilled'),
      { deadlineMs: 60_000, what: 'every partition to be served again' },
    );
  }, 120_000);
});
