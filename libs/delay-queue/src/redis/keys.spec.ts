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

  it('puts the own mark of a life beside its partition, and marks of the application in slots of their own', () => {
    const own = keys.ownMark(ref, { id: 'order:{7}', life: 'm5d4ruo0abc123' });
    expect(own).toBe('{shop:order_timeout:3}:mark:m5d4ruo0abc123:order:{7}');
    const marks = ['charge:7', '{charge}:7', 'ü'].map((key) => keys.sharedMark(key));
    for (const mark of marks) expect(mark).toMatch(/^\{shop:idem:[A-Za-z0-9_-]{43}\}$/);
    expect(new Set(marks).size).toBe(3);
  });

  it('gives no two partitions a name in common', () => {
    const refs = [ref, { type: 'order_timeout', partition: 33 }, { type: 'order', partition: 3 }];
    const names = refs.flatMap((each) => [...keys.partition(each), keys.channel(each)]);
    expect(new Set(names).size).toBe(names.length);
  });
});
