import { describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { RedisServer } from '../support/redis-server.js';
import { waitFor } from '../support/wait-for.js';

async function withClient<T>(url: string, use: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url, { retryStrategy: null });
  try {
    return await use(client);
  } finally {
    client.disconnect();
  }
}

describe('RedisServer', () => {
  it('keeps its data and its port over a kill and a restart with an append-only file', async () => {
    const server = await RedisServer.start({ appendOnly: true });
    try {
      const { url } = server;
      await withClient(url, (client) => client.set('kept', 'yes'));
      await server.kill();
      await server.restart();
      expect(server.url).toBe(url);
      expect(await withClient(url, (client) => client.get('kept'))).toBe('yes');
    } finally {
      await server.stop();
    }
  });

  it('answers nothing while it is paused and everything afterwards', async () => {
    const server = await RedisServer.start();
    try {
      await withClient(server.url, async (client) => {
        await client.ping();
        server.pause();
        let answered = false;
        const pending = client.ping().then(() => (answered = true));
        await expect(waitFor(() => answered, { deadlineMs: 100, what: 'an answer' })).rejects.toThrow(/an answer/);
        server.resume();
        await pending;
        expect(answered).toBe(true);
      });
    } finally {
      await server.stop();
    }
  });

  it('asks for the password and knows the users that it was started with', async () => {
    const withPassword = await RedisServer.start({ requirePass: 's3cret/@' });
    const withUsers = await RedisServer.start({
      aclUsers: ['user default on nopass ~* &* +@all', 'user app on >secret ~* &* +@all -eval'],
    });
    try {
      expect(await withClient(withPassword.url, (client) => client.ping())).toBe('PONG');
      const asApp = withUsers.url.replace('redis://', 'redis://app:secret@');
      await expect(withClient(asApp, (client) => client.eval('return 1', 0))).rejects.toThrow(/NOPERM/);
    } finally {
      await withPassword.stop();
      await withUsers.stop();
    }
  });

  it('names the program when it cannot be run', async () => {
    const before = process.env['REDIS_SERVER_BIN'];
    process.env['REDIS_SERVER_BIN'] = '/nowhere/redis-server';
    try {
      await expect(RedisServer.start()).rejects.toMatchObject({
        cause: { message: 'cannot run /nowhere/redis-server' },
      });
    } finally {
      if (before === undefined) delete process.env['REDIS_SERVER_BIN'];
      else process.env['REDIS_SERVER_BIN'] = before;
    }
  });
});
