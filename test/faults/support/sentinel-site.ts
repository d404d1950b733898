import { Redis } from 'ioredis';
import { PRIMARY_NAME, RedisSentinel } from '../../support/redis-sentinel.js';
import type { RedisServer } from '../../support/redis-server.js';
import type { ServerAddress } from '../worker/worker-protocol.js';
import type { Site } from './site.js';

/** A primary with replicas, watched by sentinels. */
export class SentinelSite implements Site {
  private readonly observer: Redis;

  private constructor(private readonly set: RedisSentinel) {
    this.observer = new Redis({
      sentinels: set.sentinelPorts.map((port) => ({ host: '127.0.0.1', port })),
      name: PRIMARY_NAME,
      lazyConnect: true,
      maxRetriesPerRequest: 20,
      retryStrategy: () => 50,
      sentinelRetryStrategy: () => 50,
    });
    this.observer.on('error', () => undefined);
  }

  static async start(): Promise<SentinelSite> {
    return new SentinelSite(await RedisSentinel.start());
  }

  get address(): ServerAddress {
    return { kind: 'sentinel', sentinelPorts: this.set.sentinelPorts, name: PRIMARY_NAME };
  }

  /** The server that is the primary now. */
  primary(): Promise<RedisServer> {
    return this.set.primary();
  }

  async onPrimaries<T>(work: (redis: Redis) => Promise<T>): Promise<readonly T[]> {
    return [await work(this.observer)];
  }

  async stop(): Promise<void> {
    this.observer.disconnect();
    await this.set.stop();
  }
}
