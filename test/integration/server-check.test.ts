import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { ConfigurationError } from '../../libs/delay-queue/src/core/errors.js';
import { RedisTaskStore } from '../../libs/delay-queue/src/redis/redis-task-store.js';
import { RedisServer, type RedisServerOptions } from '../support/redis-server.js';

const ref = { type: 't', partition: 0 };

let server: RedisServer | undefined;
let store: RedisTaskStore | undefined;

afterEach(async () => {
  await store?.close();
  await server?.stop();
});

async function storeOn(options: RedisServerOptions, login = ''): Promise<RedisTaskStore> {
  server = await RedisServer.start(options);
  const connection = server.url.replace('redis://', `redis://${login}`);
  store = new RedisTaskStore({ connection, prefix: 'it', callTimeoutMs: 5_000 });
  return store;
}

/** A server with one user `app` beside the default one. */
function withUser(rules: string): RedisServerOptions {
  return { aclUsers: ['user default on nopass ~* &* +@all', `user app on >secret ${rules}`] };
}

describe('opening looks at the server', () => {
  it('and has nothing to say about one that keeps everything', async () => {
    expect(await (await storeOn({})).open()).toEqual([]);
  });

  it('C06 and warns of one that deletes keys when its memory is full', async () => {
    const [warning, ...more] = await (await storeOn({ extraArgs: ['--maxmemory-policy', 'allkeys-lru'] })).open();
    expect(warning).toMatch(/allkeys-lru.*noeviction/s);
    expect(more).toEqual([]);
  });

  it('C06 and goes on where it may not look', async () => {
    // ioredis says on the console that it cannot see whether the server is ready.
    const warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
    const options = withUser('~* &* +@all -config -info');
    expect(await (await storeOn(options, 'app:secret@')).open()).toEqual([]);
    warn.mockRestore();
  });

  it.each(['-eval', '-evalsha', '-@scripting'])('C34 and refuses a user with %s', async (rule) => {
    const opening = (await storeOn(withUser(`~* &* +@all ${rule}`), 'app:secret@')).open();
    await expect(opening).rejects.toThrow(ConfigurationError);
    await expect(opening).rejects.toThrow(/\+eval and \+evalsha/);
  });

  it('C34 and needs no more than these commands, on keys and channels of its own', async () => {
    const commands =
      'eval evalsha ping info publish subscribe time exists get set del hset hget hmget hdel hlen ' +
      'zadd zrem zrange zscore zmscore zcard zcount';
    const rules = `resetkeys ~{it:* resetchannels &{it:* -@all ${commands.replace(/(^| )/g, '$1+')}`;
    const app = await storeOn(withUser(rules), 'app:secret@');
    await app.open();
    await app.register({ type: 't', partitions: 1, dedupeForMs: 0 });
    await app.init(ref);
    await app.listen([ref]);
    const signals: string[] = [];
    app.wakeups$.subscribe(({ kind }) => signals.push(kind));
    await app.mutate(ref, [
      { kind: 'schedule', id: 'a', due: { delayMs: 0 }, envelope: 'E', onDuplicate: 'keep' },
      { kind: 'schedule', id: 'b', due: { delayMs: 0 }, envelope: 'E', onDuplicate: 'replace' },
      { kind: 'reschedule', id: 'a', due: { delayMs: 0 } },
      { kind: 'schedule', id: 'c', due: { delayMs: 0 }, envelope: 'E', onDuplicate: 'keep' },
      { kind: 'cancel', id: 'c' },
    ]);
    const turn = {
      ref,
      holder: 'me',
      settles: [],
      extensions: [],
      claim: { limit: 10, suspects: 'take', mayCallForHelp: true },
      arm: 'take',
      leaseMs: 30_000,
      maxLostLeases: 5,
      deadKeepMs: 0,
      deadMax: 100,
    } as const;
    const { claimed } = await app.turn(turn);
    const settles = claimed.map(({ id, fence }) =>
      id === 'a'
        ? ({ kind: 'complete', id, fence, dedupeForMs: 60_000 } as const)
        : ({ kind: 'bury', id, fence, reason: 'why', error: '' } as const),
    );
    const settling = { ...turn, claim: null, settles, deadKeepMs: 60_000 };
    expect((await app.turn(settling)).settled).toEqual(['applied', 'applied']);
    expect((await app.mutate(ref, [{ kind: 'redrive', id: 'b' }]))[0]).toMatchObject({ ok: true });
    await app.peek({ holder: 'me', lanes: [ref] });
    expect(await app.get(ref, 'a')).toMatchObject({ state: 'done' });
    expect(await app.list(ref, { state: 'waiting', offset: 0, limit: 5 })).toHaveLength(1);
    expect(await app.stats(ref)).toMatchObject({ waiting: 1, done: 1 });
    await app.setPaused(ref, true);
    await app.setPaused(ref, false);
    await app.trim(ref, { deadKeepMs: 0, deadMax: 0 });
    await app.turn({ ...turn, arm: 'resign' });
    await app.signal({ kind: 'ping', ref, holder: 'me' });
    expect(signals).toContain('wake');
  });
});
