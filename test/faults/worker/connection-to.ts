import { Cluster } from 'ioredis';
import type { RedisConnectionOption } from 'nestjs-delay-queue';
import type { ServerAddress } from './worker-protocol.js';

/** The connection option that leads to a server. */
export function connectionTo(address: ServerAddress): RedisConnectionOption {
  switch (address.kind) {
    case 'single':
      return address.url;
    case 'sentinel':
      return {
        sentinels: address.sentinelPorts.map((port) => ({ host: '127.0.0.1', port })),
        name: address.name,
      };
    case 'cluster':
      return () =>
        new Cluster(
          address.ports.map((port) => ({ host: '127.0.0.1', port })),
          { lazyConnect: true },
        );
    default:
      return address satisfies never;
  }
}
