import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { elapse } from '../../support/elapse.js';
import type { ScenarioRun } from './scenario-run.js';

/** Runs something on a connection of its own. */
export async function withRedis<T>(url: string, work: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: null });
  // What goes wrong rejects the command that is under way.
  redis.on('error', () => undefined);
  await redis.connect();
  try {
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}

/** Kills all connections for commands, or all subscriptions. */
export async function killConnections(s: ScenarioRun, type: 'normal' | 'pubsub'): Promise<void> {
  const kill = () => withRedis(s.server.url, (redis) => redis.call('CLIENT', 'KILL', 'TYPE', type, 'SKIPME', 'yes'));
  if (type === 'normal') await s.inject('CLIENT KILL normal', kill);
  else await s.injectHarmless('CLIENT KILL pubsub', kill);
}

/** The server answers nobody for a while. */
export async function pauseClients(s: ScenarioRun, forMs: number): Promise<void> {
  await s.inject('CLIENT PAUSE', async () => {
    await withRedis(s.server.url, (redis) => redis.call('CLIENT', 'PAUSE', forMs, 'ALL'));
    await elapse(forMs);
  });
}

/** The server process stands still for a while. */
export async function freezeServer(s: ScenarioRun, forMs: number): Promise<void> {
  await s.inject('server SIGSTOP', async () => {
    s.server.pause();
    await elapse(forMs);
    s.server.resume();
  });
}

/** The server crashes and comes back after a while, with the data that its disk has. */
export async function crashServer(s: ScenarioRun, awayMs: number): Promise<void> {
  await s.inject('server kill -9', async () => {
    await s.server.kill();
    await elapse(awayMs);
    await s.server.restart();
  });
}

/** The server becomes a read-only replica of one that is not there, then a primary again. */
export async function makeReadOnly(s: ScenarioRun, forMs: number): Promise<void> {
  await s.inject('REPLICAOF', () =>
    withRedis(s.server.url, async (redis) => {
      await redis.call('REPLICAOF', '127.0.0.1', '1');
      await elapse(forMs);
      await redis.call('REPLICAOF', 'NO', 'ONE');
    }),
  );
}

/** The server's memory is full for a while; what workers have to say to it goes through all the same. */
export async function fillMemory(s: ScenarioRun, forMs: number): Promise<void> {
  await s.injectHarmless('maxmemory', () =>
    withRedis(s.server.url, async (redis) => {
      await redis.config('SET', 'maxmemory-policy', 'noeviction');
      // Less than an empty server uses.
      await redis.config('SET', 'maxmemory', '1');
      await elapse(forMs);
      await redis.config('SET', 'maxmemory', '0');
    }),
  );
}

/** The server cannot write its snapshots for a while, and refuses writes for it (MISCONF). */
export async function failSnapshots(s: ScenarioRun, forMs: number): Promise<void> {
  await s.inject('MISCONF', () =>
    withRedis(s.server.url, async (redis) => {
      const [, folder = ''] = (await redis.config('GET', 'dir')) as string[];
      // A snapshot is renamed to its name in the end, which a folder that is not empty prevents.
      const obstacle = join(folder, 'dump.rdb');
      await mkdir(join(obstacle, 'in-the-way'), { recursive: true });
      await redis.config('SET', 'save', '3600 1');
      await snapshot(redis, 'err');
      await elapse(forMs);
      await rm(obstacle, { recursive: true });
      await snapshot(redis, 'ok');
      await redis.config('SET', 'save', '');
    }),
  );
}

async function snapshot(redis: Redis, expected: 'ok' | 'err'): Promise<void> {
  await redis.bgsave();
  for (;;) {
    const info = await redis.info('persistence');
    if (info.includes('rdb_bgsave_in_progress:0') && info.includes(`rdb_last_bgsave_status:${expected}`)) return;
    await elapse(10);
  }
}

/** While the body runs, scripts are removed from the server as fast as it can do it. */
export async function flushingScripts<T>(s: ScenarioRun, body: () => Promise<T>): Promise<T> {
  return s.injectHarmless('SCRIPT FLUSH', () =>
    withRedis(s.server.url, async (redis) => {
      let over = false;
      const flushing = (async () => {
        while (!over) await redis.script('FLUSH');
      })();
      try {
        return await body();
      } finally {
        over = true;
        await flushing;
      }
    }),
  );
}

/** Everything on the server is deleted. */
export async function flushAll(s: ScenarioRun): Promise<void> {
  await s.inject('FLUSHALL', () => withRedis(s.server.url, (redis) => redis.flushall()));
}
