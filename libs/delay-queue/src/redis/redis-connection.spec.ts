import { describe, expect, it } from '@jest/globals';
import { Cluster, Redis } from 'ioredis';
import { ConfigurationError } from '../core/errors.js';
import { ClientPattern, reconnectDelayMs, type RedisConnectionOption } from './redis-connection.js';

/** Everything that an application may have set and that would break our promises. */
const hostile = {
  lazyConnect: true,
  commandTimeout: 1,
  socketTimeout: 1,
  enableOfflineQueue: true,
  enableAutoPipelining: true,
  autoResendUnfulfilledCommands: true,
  maxRetriesPerRequest: null,
  reconnectOnError: (): 2 => 2,
  retryStrategy: (): null => null,
  stringNumbers: true,
};

describe('ClientPattern', () => {
  it.each<[string, RedisConnectionOption]>([
    ['a URL', 'redis://user:secret@example.test:7000/3'],
    ['options', { ...hostile, host: 'example.test', port: 7000, db: 3, username: 'user', password: 'secret' }],
    ['a client', new Redis('redis://user:secret@example.test:7000/3', hostile)],
    ['a function', () => new Redis('redis://user:secret@example.test:7000/3', hostile)],
  ])('makes clients of its own from %s, with its own rules', (_, option) => {
    const client = ClientPattern.from(option).commandClient(10_000);
    expect(client.status).toBe('wait');
    expect(client.options).toMatchObject({
      host: 'example.test',
      port: 7000,
      db: 3,
      username: 'user',
      password: 'secret',
      enableOfflineQueue: false,
      enableAutoPipelining: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      reconnectOnError: null,
      stringNumbers: false,
    });
    expect((client as Redis).options.commandTimeout).toBeUndefined();
    expect((client as Redis).options.socketTimeout).toBeUndefined();
    expect((client as Redis).options.retryStrategy?.(1)).toEqual(expect.any(Number));
  });

  it('takes rules that stand in a URL for no better than others', () => {
    const client = ClientPattern.from('redis://example.test?enableOfflineQueue=true&maxRetriesPerRequest=9');
    expect(client.commandClient(10_000).options).toMatchObject({ enableOfflineQueue: false, maxRetriesPerRequest: 0 });
  });

  it('leaves the client of the application as it is', () => {
    const client = new Redis({ ...hostile, host: 'example.test' });
    const before = { ...client.options };
    ClientPattern.from(client).commandClient(10_000);
    expect(client.options).toEqual(before);
    expect(client.status).toBe('wait');
  });

  it('makes cluster clients from a cluster client, with its own rules on every node', () => {
    const cluster = new Cluster([{ host: 'example.test', port: 7000 }], {
      lazyConnect: true,
      scaleReads: 'slave',
      retryDelayOnFailover: 500,
      clusterRetryStrategy: () => null,
      redisOptions: { commandTimeout: 1, socketTimeout: 1, password: 'secret', autoResendUnfulfilledCommands: true },
    });
    const pattern = ClientPattern.from(cluster);
    const client = pattern.commandClient(10_000) as Cluster;
    expect(pattern.isCluster).toBe(true);
    expect(client.options).toMatchObject({ scaleReads: 'master', retryDelayOnFailover: 0 });
    expect(client.options.clusterRetryStrategy?.(3)).toEqual(expect.any(Number));
    expect(client.options.redisOptions).toMatchObject({ password: 'secret', autoResendUnfulfilledCommands: false });
    expect(client.options.redisOptions?.commandTimeout).toBeUndefined();
    expect(client.options.redisOptions?.socketTimeout).toBe(10_000);
    expect(pattern.subscriberClient(client)).toBeNull();
  });

  it.each<[string, RedisConnectionOption]>([
    ['a URL', 'redis://example.test?keyPrefix=shop:'],
    ['options', { keyPrefix: 'shop:' }],
    ['a client', new Redis({ keyPrefix: 'shop:', lazyConnect: true })],
    ['a function', () => new Redis({ keyPrefix: 'shop:', lazyConnect: true })],
    ['a cluster', new Cluster([], { keyPrefix: 'shop:', lazyConnect: true })],
    ['the nodes of a cluster', new Cluster([], { redisOptions: { keyPrefix: 'shop:' }, lazyConnect: true })],
  ])('refuses a keyPrefix in %s', (_, option) => {
    expect(() => ClientPattern.from(option)).toThrow(ConfigurationError);
    expect(() => ClientPattern.from(option)).toThrow(/keyPrefix.*'shop:'/);
  });

  it.each([undefined, null, 5, () => undefined, () => ({})])('C56 refuses %p as a connection', (option) => {
    expect(() => ClientPattern.from(option as never)).toThrow(ConfigurationError);
  });

  it('disconnects the client that a function made once it has served', () => {
    const client = new Redis({ lazyConnect: true });
    ClientPattern.from(() => client);
    expect(client.status).toBe('end');
  });
});

describe('reconnectDelayMs', () => {
  it('grows from 50 ms to a second and stays there, however often it failed', () => {
    expect(reconnectDelayMs(1)).toBeGreaterThanOrEqual(37);
    expect(reconnectDelayMs(1)).toBeLessThanOrEqual(50);
    for (const attempt of [6, 100, 5_000]) {
      expect(reconnectDelayMs(attempt)).toBeGreaterThanOrEqual(750);
      expect(reconnectDelayMs(attempt)).toBeLessThanOrEqual(1_000);
    }
  });
});
