import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import type { Mutation } from '../../libs/delay-queue/src/ports/mutation.js';
import { RedisTaskStore } from '../../libs/delay-queue/src/redis/redis-task-store.js';
import { RedisServer } from '../support/redis-server.js';
import { waitFor } from '../support/wait-for.js';

const REF = { type: 't', partition: 0 };

let primary: RedisServer;
let replica: RedisServer;
let store: RedisTaskStore;

function schedule(id: string): Mutation {
  return { kind: 'schedule', id, due: { delayMs: 60_000 }, envelope: '[1,null,"l0000000"]', onDuplicate: 'keep' };
}

async function isInSync(): Promise<boolean> {
  const client = new Redis(primary.url);
  try {
    return /slave0:.*state=online/.test(await client.info('replication'));
  } finally {
    client.disconnect();
  }
}

beforeAll(async () => {
  primary = await RedisServer.start();
  replica = await RedisServer.start({ extraArgs: ['--replicaof', '127.0.0.1', String(primary.port)] });
  await waitFor(isInSync, { deadlineMs: 20_000, what: 'the replica to be in step' });
  store = new RedisTaskStore({ connection: primary.url, prefix: 'durable', callTimeoutMs: 5_000 });
  await store.open();
  await store.init(REF);
}, 60_000);

afterAll(async () => {
  await store.close();
  await replica.stop();
  await primary.stop();
}, 30_000);

describe('writes that wait for replicas', () => {
  it('answer with the number of replicas that have them', async () => {
    const answers = await store.mutate(REF, [schedule('a'), schedule('b')], {
      durability: { replicas: 1, timeoutMs: 10_000 },
    });
    expect(answers).toMatchObject([
      { ok: true, result: { status: 'created', replicas: 1 } },
      { ok: true, result: { status: 'created', replicas: 1 } },
    ]);
  });

  it('are made all the same when fewer replicas answer than were asked for, and say how many did', async () => {
    const answers = await store.mutate(REF, [schedule('c')], { durability: { replicas: 2, timeoutMs: 50 } });
    expect(answers).toMatchObject([{ ok: true, result: { status: 'created', replicas: 1 } }]);
    expect(await store.get(REF, 'c')).toMatchObject({ state: 'waiting' });
  });

  it('do not hold up other calls while they wait', async () => {
    replica.pause();
    try {
      let answered = false;
      const durable = store
        .mutate(REF, [schedule('d')], { durability: { replicas: 1, timeoutMs: 2_000 } })
        .finally(() => (answered = true));
      await waitFor(async () => (await store.get(REF, 'd')) !== null, { deadlineMs: 5_000, what: 'the write' });
      const [plain] = await store.mutate(REF, [schedule('e')]);
      expect(plain).toMatchObject({ ok: true, result: { status: 'created' } });
      expect(answered).toBe(false);
      expect(await durable).toMatchObject([{ ok: true, result: { status: 'created', replicas: 0 } }]);
    } finally {
      replica.resume();
    }
  }, 20_000);

  it('fail like others when the server is away', async () => {
    const away = new RedisTaskStore({ connection: 'redis://127.0.0.1:1', prefix: 'durable', callTimeoutMs: 200 });
    const [answer] = await away.mutate(REF, [schedule('f')], { durability: { replicas: 1, timeoutMs: 100 } });
    expect(answer).toMatchObject({ ok: false, error: { code: 'store_unavailable', outcome: 'not_sent' } });
    await away.close();
  });
});
