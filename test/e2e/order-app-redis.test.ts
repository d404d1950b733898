import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EmbeddedPostgres } from '../../apps/order-app/src/database/embedded-postgres.js';
import { RedisServer, type SharedRedis } from '../support/redis-server.js';
import { waitFor } from '../support/wait-for.js';
import { Shop, SHOP_START_MS } from './support/shop.js';

const TEST_MS = 90_000;

describe('the shop on Redis', () => {
  let redis: SharedRedis;
  let shop: Shop;

  beforeAll(async () => {
    redis = await RedisServer.shared();
    shop = await Shop.open({ redisUrl: redis.url, queuePrefix: redis.prefix, orderTimeoutMs: 2_000 });
  }, SHOP_START_MS);

  afterAll(async () => {
    await shop.close();
    await redis.release();
  }, SHOP_START_MS);

  it(
    'cancels what is not paid in time and keeps what is',
    async () => {
      const sku = await shop.newArticle(10);
      const unpaid = await shop.place(sku, 1);
      const paid = await shop.place(sku, 2);
      expect((await shop.pay(paid.id)).status).toBe(200);
      expect(await shop.available(sku)).toBe(7);
      await settled(shop, unpaid.id);
      const cancelled = await shop.order(unpaid.id);
      expect(cancelled.status).toBe('cancelled');
      expect(Date.parse(cancelled.cancelledAt ?? '')).toBeGreaterThanOrEqual(Date.parse(unpaid.payBefore));
      expect((await shop.order(paid.id)).status).toBe('paid');
      expect(await shop.available(sku)).toBe(8);
    },
    TEST_MS,
  );

  it(
    'leaves each of 60 orders either paid or cancelled when all are paid as their time ends',
    async () => {
      const sku = await shop.newArticle(60);
      const placed = await Promise.all(Array.from({ length: 60 }, () => shop.place(sku, 1)));
      const answers = await Promise.all(
        placed.map(async ({ id, payBefore }, index) => {
          // Spread over the due time, so that some payments come before, some after and some in the middle.
          const payAtMs = Date.parse(payBefore) - 30 + index;
          await new Promise((resolve) => setTimeout(resolve, payAtMs - Date.now()));
          return { id, status: (await shop.pay(id)).status };
        }),
      );
      for (const { id, status } of answers) {
        const order = await shop.order(id);
        expect({ 200: 'paid', 409: 'cancelled' }[status]).toBe(order.status);
        expect((order.paidAt === null) !== (order.cancelledAt === null)).toBe(true);
      }
      const paid = answers.filter(({ status }) => status === 200).length;
      expect(await shop.available(sku)).toBe(60 - paid);
    },
    TEST_MS,
  );
});

describe('the shop and its servers', () => {
  it(
    'cancels after a restart what was ordered before it',
    async () => {
      const redis = await RedisServer.shared();
      const database = await EmbeddedPostgres.start();
      const settings = {
        redisUrl: redis.url,
        queuePrefix: redis.prefix,
        databaseUrl: `postgres://postgres@127.0.0.1:${database.port}/postgres`,
        orderTimeoutMs: 5_000,
      };
      try {
        const before = await Shop.open(settings);
        const sku = await before.newArticle(5);
        const { id } = await before.place(sku, 2);
        expect((await before.order(id)).status).toBe('pending');
        await before.close();
        const after = await Shop.open(settings);
        await settled(after, id);
        expect((await after.order(id)).status).toBe('cancelled');
        expect(await after.available(sku)).toBe(5);
        await after.close();
      } finally {
        await database.stop();
        await redis.release();
      }
    },
    TEST_MS,
  );

  it(
    'takes no order whose timeout cannot be scheduled, and takes orders again when it can',
    async () => {
      const redis = await RedisServer.start({ appendOnly: true });
      const shop = await Shop.open({ redisUrl: redis.url });
      try {
        const sku = await shop.newArticle(5);
        const { id } = await shop.place(sku, 1);
        await redis.kill();
        expect((await shop.post('/orders', { sku, quantity: 2 })).status).toBe(503);
        expect(await shop.available(sku)).toBe(4);
        expect((await shop.pay(id)).status).toBe(200);
        expect((await shop.order(id)).status).toBe('paid');
        await redis.restart();
        const isTaken = async (): Promise<boolean> => (await shop.post('/orders', { sku, quantity: 1 })).status === 201;
        await waitFor(isTaken, { deadlineMs: 20_000, what: 'an order to be taken again' });
        expect(await shop.available(sku)).toBe(3);
      } finally {
        await shop.close();
        await redis.stop();
      }
    },
    TEST_MS,
  );
});

async function settled(shop: Shop, orderId: string): Promise<void> {
  const isSettled = async (): Promise<boolean> => (await shop.order(orderId)).status !== 'pending';
  await waitFor(isSettled, { deadlineMs: 20_000, what: 'the order to be paid or cancelled' });
}
