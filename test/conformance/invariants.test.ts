import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { RedisKeys } from '../../libs/delay-queue/src/redis/keys.js';
import { RedisServer } from '../support/redis-server.js';
import { checkInvariants, InvariantError, type SeenFences } from './invariants.js';

const keys = new RedisKeys('test').partition({ type: 'mail', partition: 0 });
const key = (name: string): string => `{test:mail:0}:${name}`;

const RUN = '5|1|0|0|0|1735689600000';
const GRAVE = '1|1|0|0|1735689600000|3|4\nwhyboom["envelope"]';

/** Damage to a sound partition, and what the complaint says of it. */
const DAMAGES: readonly (readonly [string, (redis: Redis) => Promise<unknown>, RegExp])[] = [
  ['waiting and running', (redis) => redis.zadd(key('due'), 1, 'running'), /'running' is in due and leased/],
  ['running and dead', (redis) => redis.zadd(key('dead'), 1, 'running'), /'running' is in leased and dead/],
  ['waiting and done', (redis) => redis.zadd(key('done'), 1, 'waiting'), /'waiting' is in due and done/],
  ['waiting without an envelope', (redis) => redis.hdel(key('task'), 'waiting'), /'waiting' is in due without/],
  ['running without an envelope', (redis) => redis.hdel(key('task'), 'running'), /'running' is in leased without/],
  [
    'running without a run entry',
    (redis) => redis.hdel(key('run'), 'running'),
    /'running' is in leased without .* run/,
  ],
  ['an envelope alone', (redis) => redis.hset(key('task'), 'ghost', '[]'), /'ghost' has an envelope/],
  ['an envelope of a dead task', (redis) => redis.hset(key('task'), 'dead', '[]'), /'dead' has an envelope/],
  ['a run entry alone', (redis) => redis.hset(key('run'), 'ghost', RUN), /'ghost' has an entry in run/],
  ['a run entry of a done task', (redis) => redis.hset(key('run'), 'done', RUN), /'done' has an entry in run/],
  ['a run entry without digits', (redis) => redis.hset(key('run'), 'running', '5|1|0|0|0|'), /run entry.*'5\|1/],
  ['dead without a grave', (redis) => redis.hdel(key('grave'), 'dead'), /'dead' is in dead alone/],
  ['a grave without its dead', (redis) => redis.zrem(key('dead'), 'dead'), /'dead' is in grave alone/],
  ['a grave cut short', (redis) => redis.hset(key('grave'), 'dead', GRAVE.slice(0, 30)), /'dead' has a grave that/],
  ['a fractional due time', (redis) => redis.zadd(key('due'), 1.5, 'waiting'), /'waiting' stands in due at '1.5'/],
  ['a fence that is no number', (redis) => redis.set(key('fence'), '1.7e+15'), /fence is '1.7e\+15'/],
  ['a run above the fence', (redis) => redis.set(key('fence'), '4'), /'running' runs under fence 5/],
  ['an arm in two parts', (redis) => redis.set(key('arm'), 'me|17'), /arm cannot be read: 'me\|17'/],
  ['an arm without an end', (redis) => redis.set(key('arm'), 'me||'), /arm cannot be read/],
  ['an odd pause flag', (redis) => redis.set(key('paused'), 'yes'), /paused is 'yes'/],
];

describe('checkInvariants', () => {
  let server: RedisServer;
  let redis: Redis;

  beforeAll(async () => {
    server = await RedisServer.start();
    redis = new Redis(server.url);
  });

  beforeEach(async () => {
    await redis.flushall();
    await redis.zadd(key('due'), 1_735_689_600_000, 'waiting', 1_735_689_600_000, 'waiting again');
    await redis.zadd(key('leased'), 1_735_689_600_000, 'running');
    await redis.zadd(key('dead'), 1_735_689_600_000, 'dead');
    await redis.zadd(key('done'), 1_735_689_600_000, 'done');
    await redis.hset(key('task'), { waiting: '[]', 'waiting again': '[]', running: '[]' });
    await redis.hset(key('run'), { running: RUN, 'waiting again': RUN });
    await redis.hset(key('grave'), { dead: GRAVE });
    await redis.mset({ [key('fence')]: '5', [key('arm')]: 'me||1735689600000' });
  });

  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });

  it('finds nothing in a sound partition, nor in an empty one', async () => {
    await expect(checkInvariants(redis, keys)).resolves.toBeUndefined();
    await redis.flushall();
    await expect(checkInvariants(redis, keys)).resolves.toBeUndefined();
  });

  it.each(DAMAGES)('finds %s, and says where', async (_what, damage, complaint) => {
    await damage(redis);
    const check = checkInvariants(redis, keys);
    await expect(check).rejects.toThrow(InvariantError);
    await expect(check).rejects.toThrow(complaint);
    await expect(check).rejects.toThrow(/\{test:mail:0\}/);
  });

  it('finds a fence that fell, from one look to the next', async () => {
    const seen: SeenFences = new Map();
    await redis.set(key('fence'), '9');
    await checkInvariants(redis, keys, seen);
    await redis.set(key('fence'), '8');
    await expect(checkInvariants(redis, keys, seen)).rejects.toThrow(/fence fell from 9 to 8/);
    await expect(checkInvariants(redis, keys)).resolves.toBeUndefined();
  });
});
