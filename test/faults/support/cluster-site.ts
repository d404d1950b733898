import type { Redis } from 'ioredis';
import { RedisCluster } from '../../support/redis-cluster.js';
import type { ServerAddress } from '../worker/worker-protocol.js';
import { observerOf, type Site } from './site.js';

/** A cluster of three primaries. */
export class ClusterSite implements Site {
  private readonly observers: readonly Redis[];

  private constructor(private readonly cluster: RedisCluster) {
    this.observers = cluster.urls.map(observerOf);
  }

  static async start(): Promise<ClusterSite> {
    return new ClusterSite(await RedisCluster.start());
  }

  get address(): ServerAddress {
    return { kind: 'cluster', ports: this.cluster.ports };
  }

  async onPrimaries<T>(work: (redis: Redis) => Promise<T>): Promise<readonly T[]> {
    return Promise.all(this.observers.map(work));
  }

  async stop(): Promise<void> {
    for (const redis of this.observers) redis.disconnect();
    await this.cluster.stop();
  }
}
