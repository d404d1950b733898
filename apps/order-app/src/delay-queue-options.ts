import { Logger } from '@nestjs/common';
import type { DelayQueueModuleOptions } from 'nestjs-delay-queue';
import { SqlLedger } from 'nestjs-delay-queue/ledger';
import type { DataSource } from 'typeorm';
import type { ShopConfig } from './config/shop-config.js';
import { ORDER_TIMEOUT } from './orders/order-timeout-task.js';

/**
 * Options of the delay queue: on the Redis of `REDIS_URL`, or inside this process.
 *
 * The ledger stands in the shop's own database, so a timeout exists exactly when its order does.
 */
export function delayQueueOptions(config: ShopConfig, dataSource: DataSource): DelayQueueModuleOptions {
  return {
    ...place(config.redisUrl),
    prefix: config.queuePrefix,
    types: { [ORDER_TIMEOUT]: { backoff: { type: 'exponential', base: config.retryDelayMs, max: '10m' } } },
    ledger: { backend: new SqlLedger({ dialect: 'postgresql', connection: dataSource }), migrate: true },
  };
}

function place(redisUrl: string | null): Pick<DelayQueueModuleOptions, 'connection' | 'embedded'> {
  if (redisUrl !== null) return { connection: redisUrl };
  new Logger('DelayQueueModule').log('REDIS_URL is not set: delayed tasks are kept in this process.');
  return { embedded: true };
}
