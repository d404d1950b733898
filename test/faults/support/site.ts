import { Redis } from 'ioredis';
import { RedisServer, type RedisServerOptions } from '../../support/redis-server.js';
import type { ServerAddress } from '../worker/worker-protocol.js';

/** The servers of a scenario. */
export interface Site {
  /** How workers and producers reach them. */
  readonly address: ServerAddress;
  /** Runs something on a connection to each server that accepts writes. */
  onPrimaries<T>(work: (redis: Redis) => Promise<T>): Promise<readonly T[]>;
  stop(): Promise<void>;
}

/** A single server. */
export class SingleSite implements Site {
  private readonly redis: Redis;

  private constructor(readonly server: RedisServer) {
    this.redis = observerOf(server.url);
  }

  static async start(options: RedisServerOptions = {}): Promise<SingleSite> {
    return new SingleSite(await RedisServer.start(options));
  }

  get address(): ServerAddress {
    return { kind: 'single', url: this.server.url };
  }

  async onPrimaries<T>(work: (redis: Redis) => Promise<T>): Promise<readonly T[]> {
    return [await work(this.redis)];
  }

  async stop(): Promise<void> {
    this.redis.disconnect();
    await this.server.stop();
  }
}

/** A connection for looking on, which comes back by itself however often the server is taken away. */
export function observerOf(url: string): Redis {
  const redis = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 20, retryStrategy: () => 50 });
  // What goes wrong rejects the command that is under way.
  redis.on('error', () => undefined);
  return redis;
}
