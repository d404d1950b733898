import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ConfigurationError } from '../../libs/delay-queue/src/core/errors.js';
import { PartitionFixture } from './support/partition-fixture.js';

const META = '{it:orders}:meta';

let fixture: PartitionFixture;
beforeAll(async () => {
  fixture = await PartitionFixture.start();
});
afterAll(() => fixture.stop());
beforeEach(() => fixture.reset());

describe('register', () => {
  it('writes the settings of a type that is not known', async () => {
    await fixture.store.register({ type: 'orders', partitions: 4, dedupeForMs: 60_000 });
    expect(await fixture.redis.hgetall(META)).toEqual({ format: '1', partitions: '4', dedupeForMs: '60000' });
  });

  it('takes the same settings again, each type for itself', async () => {
    for (const type of ['orders', 'orders', 'others']) {
      await fixture.store.register({ type, partitions: type.length, dedupeForMs: 0 });
    }
    expect((await fixture.redis.keys('*:meta')).toSorted()).toEqual([META, '{it:others}:meta']);
  });

  it.each([
    ['partitions', { partitions: 2, dedupeForMs: 0 }, 'types.orders.partitions', /has 1.*given 2/],
    ['dedupeFor', { partitions: 1, dedupeForMs: 5_000 }, 'types.orders.dedupeFor', /has 0.*given 5000/],
  ])('C57 refuses other %s, names both values and changes nothing', async (_, settings, field, message) => {
    await fixture.store.register({ type: 'orders', partitions: 1, dedupeForMs: 0 });
    const before = await fixture.redis.hgetall(META);
    const registration = fixture.store.register({ type: 'orders', ...settings });
    await expect(registration).rejects.toThrow(ConfigurationError);
    await expect(registration).rejects.toMatchObject({ field });
    await expect(registration).rejects.toThrow(message);
    expect(await fixture.redis.hgetall(META)).toEqual(before);
  });

  it('refuses keys of another format', async () => {
    await fixture.redis.hset(META, 'format', '2', 'partitions', '1', 'dedupeForMs', '0');
    const registration = fixture.store.register({ type: 'orders', partitions: 1, dedupeForMs: 0 });
    await expect(registration).rejects.toThrow(/format.*has 2/);
  });
});
