import { describe, expect, it } from '@jest/globals';
import { readShopConfig } from './shop-config.js';

describe('readShopConfig', () => {
  const defaults = {
    port: 3000,
    databaseUrl: null,
    databasePoolSize: 10,
    redisUrl: null,
    queuePrefix: 'shop',
    orderTimeoutMs: 1_800_000,
    retryDelayMs: 5_000,
  };

  it('has a default for everything', () => {
    expect(readShopConfig({})).toEqual(defaults);
  });

  it('takes an empty variable for one that is not set', () => {
    const empty = { PORT: '', DATABASE_URL: '', REDIS_URL: '', QUEUE_PREFIX: '', ORDER_TIMEOUT: '' };
    expect(readShopConfig(empty)).toEqual(defaults);
  });

  it('reads every variable', () => {
    const env = {
      PORT: '0',
      DATABASE_URL: 'postgres://shop@db/shop',
      DATABASE_POOL_SIZE: '5',
      REDIS_URL: 'redis://cache:6379',
      QUEUE_PREFIX: 'shop-2',
      ORDER_TIMEOUT: '45s',
      ORDER_TIMEOUT_RETRY_DELAY: '300ms',
    };
    expect(readShopConfig(env)).toEqual({
      port: 0,
      databaseUrl: 'postgres://shop@db/shop',
      databasePoolSize: 5,
      redisUrl: 'redis://cache:6379',
      queuePrefix: 'shop-2',
      orderTimeoutMs: 45_000,
      retryDelayMs: 300,
    });
  });

  it.each([
    ['PORT', '80.5'],
    ['PORT', '65536'],
    ['PORT', 'http'],
    ['DATABASE_URL', 'localhost'],
    ['DATABASE_POOL_SIZE', '0'],
    ['REDIS_URL', '6379'],
    ['ORDER_TIMEOUT', '30'],
    ['ORDER_TIMEOUT_RETRY_DELAY', 'soon'],
  ])('refuses %s=%s and names the variable', (name, value) => {
    expect(() => readShopConfig({ [name]: value })).toThrow(new RegExp(`^${name}: `));
  });

  it.each(['DATABASE_URL', 'REDIS_URL'])('does not go into production without %s', (missing) => {
    const env = { NODE_ENV: 'production', DATABASE_URL: 'postgres://db/shop', REDIS_URL: 'redis://cache' };
    expect(() => readShopConfig({ ...env, [missing]: undefined })).toThrow(new RegExp(`^${missing}: `));
  });
});
