import { Redis } from 'ioredis';
import { RedisServer } from './redis-server.js';
import { waitFor } from './wait-for.js';

/** Name under which the sentinels know the primary. */
export const PRIMARY_NAME = 'primary';

const REPLICAS = 2;
const SENTINELS = 3;
const QUORUM = 2;

/** Silence after which sentinels take the primary for dead; short, so that a failover is. */
const DOWN_AFTER_MS = 1_000;

/** A primary with two replicas, watched by three sentinels. */
export class RedisSentinel {
  private constructor(
    private readonly data: readonly RedisServer[],
    private readonly sentinels: readonly RedisServer[],
  ) {}

  static async start(): Promise<RedisSentinel> {
    const data = await Promise.all(Array.from({ length: 1 + REPLICAS }, () => RedisServer.start()));
    const sentinels = await Promise.all(Array.from({ length: SENTINELS }, () => RedisServer.start({ sentinel: true })));
    const set = new RedisSentinel(data, sentinels);
    try {
      await set.arrange();
      return set;
    } catch (error) {
      await set.stop();
      throw error;
    }
  }

  get sentinelPorts(): readonly number[] {
    return this.sentinels.map(({ port }) => port);
  }

  /** The server that the sentinels name as the primary. */
  async primary(): Promise<RedisServer> {
    const [first] = this.sentinels;
    if (first === undefined) throw new Error('there is no sentinel');
    const address = await onServer(first, (redis) => redis.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', PRIMARY_NAME));
    const port = Number((address as string[])[1]);
    const found = this.data.find((server) => server.port === port);
    if (found === undefined) throw new Error(`the sentinels name an unknown server on port ${port}`);
    return found;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.sentinels, ...this.data].map((server) => server.stop()));
  }

  private async arrange(): Promise<void> {
    const [primary, ...replicas] = this.data;
    if (primary === undefined) throw new Error('there is no primary');
    for (const replica of replicas) {
      await onServer(replica, (redis) => redis.call('REPLICAOF', '127.0.0.1', primary.port));
    }
    for (const sentinel of this.sentinels) await onServer(sentinel, (redis) => monitor(redis, primary.port));
    for (const sentinel of this.sentinels) {
      await waitFor(() => onServer(sentinel, knowsEverybody), {
        what: 'a sentinel to know the others',
        deadlineMs: 30_000,
      });
    }
  }
}

async function monitor(redis: Redis, port: number): Promise<void> {
  await redis.call('SENTINEL', 'MONITOR', PRIMARY_NAME, '127.0.0.1', port, QUORUM);
  await redis.call('SENTINEL', 'SET', PRIMARY_NAME, 'down-after-milliseconds', DOWN_AFTER_MS);
  await redis.call('SENTINEL', 'SET', PRIMARY_NAME, 'failover-timeout', 10_000);
}

async function knowsEverybody(redis: Redis): Promise<boolean> {
  const flat = (await redis.call('SENTINEL', 'MASTER', PRIMARY_NAME)) as string[];
  const field = (name: string): number => Number(flat[flat.indexOf(name) + 1]);
  return field('num-slaves') === REPLICAS && field('num-other-sentinels') === SENTINELS - 1;
}

async function onServer<T>(server: RedisServer, work: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(server.url, { enableReadyCheck: false });
  try {
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}
