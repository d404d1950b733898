import { Logger } from '@nestjs/common';
import type { DelayQueueModuleOptions } from 'nestjs-delay-queue';
import type { ShopConfig } from './config/shop-config.js';
import { ORDER_TIMEOUT } from './orders/order-timeout-task.js';

/** Options of the delay queue: on the Redis of `REDIS_URL`, or inside this process. */
export function delayQueueOptions(config: ShopConfig): DelayQueueModuleOptions {
  return {
    ...place(config.redisUrl),
    prefix: config.queuePrefix,
    types: { [ORDER_TIMEOUT]: { backoff: { type: 'exponential', base: config.retryDelayMs, max: '10m' } } },
  };
}

function place(redisUrl: string | null): Pick<DelayQueueModuleOptions, 'connection' | 'embedded'> {
  if (redisUrl !== null) return { connection: redisUrl };
  new Logger('DelayQueueModule').log('REDIS_URL is not set: delayed tasks are kept in this process.');
  return { embedded: true };
}
