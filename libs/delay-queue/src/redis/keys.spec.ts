import { describe, expect, it } from '@jest/globals';
import { PARTITION_KEYS, RedisKeys } from './keys.js';

describe('RedisKeys', () => {
  const keys = new RedisKeys('shop');
  const ref = { type: 'order_timeout', partition: 3 };

  it('puts the tag of the partition in front of every key, in the one order of all scripts', () => {
    expect(keys.partition(ref)).toEqual(PARTITION_KEYS.map((name) => `{shop:order_timeout:3}:${name}`));
    expect(PARTITION_KEYS).toHaveLength(10);
  });

  it('names the settings of a type and the channel of a partition', () => {
    expect(keys.meta('order_timeout')).toBe('{shop:order_timeout}:meta');
    expect(keys.channel(ref)).toBe('{shop:order_timeout:3}:wake');
  });

  it('gives no two partitions a name in common', () => {
    const refs = [ref, { type: 'order_timeout', partition: 33 }, { type: 'order', partition: 3 }];
    const names = refs.flatMap((each) => [...keys.partition(each), keys.channel(each)]);
    expect(new Set(names).size).toBe(names.length);
  });
});
