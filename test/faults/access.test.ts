import { describe, expect, it } from '@jest/globals';
import { RedisTaskStore } from '../../libs/delay-queue/src/redis/redis-task-store.js';
import type { RedisServer } from '../support/redis-server.js';
import { makeEveryPublicCall } from './support/every-public-call.js';
import { makeEveryStoreCall } from './support/every-store-call.js';
import { scenario } from './support/scenario.js';
import { SingleSite } from './support/site.js';

/** What a user of the queue has to be allowed, with a queue whose prefix is `faults`. */
const PATTERNS = ['~{faults:*', '&{faults:*'];
// prettier-ignore
const COMMANDS = [
  'eval', 'evalsha', 'ping', 'publish', 'subscribe', 'time',
  'get', 'set', 'del', 'exists',
  'hget', 'hmget', 'hset', 'hdel', 'hlen',
  'zadd', 'zrem', 'zrange', 'zcard', 'zcount', 'zscore', 'zmscore',
];

/** What our own connections to the server may do. */
const LOOKING_ON = 'user default on nopass ~* &* +@all';

function userWith(name: string, commands: readonly string[], patterns = PATTERNS): string {
  return [
    `user ${name} on >secret resetkeys resetchannels`,
    ...patterns,
    '-@all',
    ...commands.map((each) => `+${each}`),
  ].join(' ');
}

function urlOf(server: RedisServer, user: string): string {
  return server.url.replace('redis://', `redis://${user}:secret@`);
}

const servers =
  (...users: readonly string[]) =>
  () =>
    SingleSite.start({ aclUsers: [LOOKING_ON, ...users] });

scenario(
  'C34 a user with only the documented commands and patterns can do everything',
  { site: servers(userWith('queue', COMMANDS)), type: { maxRetries: 1 } },
  async (s) => {
    const address = { kind: 'single', url: urlOf(s.server, 'queue') } as const;
    await s.startWorkers(2, { address });
    await s.useClient(address);
    await makeEveryPublicCall(s);
    expect(s.events('store down')).toEqual([]);
    expect(s.records.of('log').filter(({ text }) => /refused|NOPERM/.test(text))).toEqual([]);
  },
);

scenario(
  'C34 a user who may not run scripts fails the boot, and the error says what to grant',
  {
    site: servers(
      userWith(
        'queue',
        COMMANDS.filter((name) => name !== 'eval'),
      ),
    ),
  },
  async (s) => {
    const starting = s.startWorker({ address: { kind: 'single', url: urlOf(s.server, 'queue') } });
    await expect(starting).rejects.toThrow(/ConfigurationError: connection: .*EVAL.*\+eval and \+evalsha/);
  },
);

describe('C34 the documented list', () => {
  it('C34 has no command that is not needed', async () => {
    const users = COMMANDS.map((left) =>
      userWith(
        `without-${left}`,
        COMMANDS.filter((name) => name !== left),
      ),
    );
    const site = await SingleSite.start({ aclUsers: [LOOKING_ON, ...users, userWith('complete', COMMANDS)] });
    try {
      expect(await refusalsOf(site.server, 'complete')).toEqual([]);
      for (const left of COMMANDS) {
        const refusals = await refusalsOf(site.server, `without-${left}`);
        expect({ left, refused: refusals.length > 0 }).toEqual({ left, refused: true });
      }
    } finally {
      await site.stop();
    }
  }, 60_000);
});

/** What the server refuses a user who does everything that the queue does. */
async function refusalsOf(server: RedisServer, user: string): Promise<readonly string[]> {
  const store = new RedisTaskStore({ connection: urlOf(server, user), prefix: 'faults', callTimeoutMs: 2_000 });
  try {
    return await makeEveryStoreCall(store, user);
  } finally {
    await store.close();
  }
}
