import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Test } from '@nestjs/testing';
import { DelayQueueAdmin, DelayQueueModule, DelayQueueProducer, type PayloadOf } from 'nestjs-delay-queue';
import type { OrderAnswer } from '../../apps/order-app/src/demo/customer.js';
import { RedisServer } from '../support/redis-server.js';
import { waitFor } from '../support/wait-for.js';
import { Shop, SHOP_START_MS } from './support/shop.js';
import { TestDatabase } from './support/test-database.js';

const TEST_MS = 120_000;

/** Long enough for a slow machine to place an order and pay it in time. */
const ORDER_TIMEOUT_MS = 5_000;

const WAIT_MS = 30_000;

describe('the shop on Redis', () => {
  let database: TestDatabase;
  let redis: RedisServer;
  let shop: Shop;

  beforeAll(async () => {
    database = await TestDatabase.open();
    redis = await RedisServer.start({ appendOnly: true });
    shop = await openShop();
  }, SHOP_START_MS);

  afterAll(async () => {
    await shop.close();
    await redis.stop();
    await database.close();
  }, SHOP_START_MS);

  it(
    'cancels what is not paid in time and keeps what is',
    async () => {
      const sku = await shop.newArticle(10);
      const unpaid = await shop.place(sku, 1);
      const paid = await shop.place(sku, 2);
      expect((await shop.pay(paid.id)).status).toBe(200);
      expect(await shop.available(sku)).toBe(7);
      const cancelled = await settled(shop, unpaid.id);
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

  it(
    'cancels after a restart what was ordered before it',
    async () => {
      const sku = await shop.newArticle(5);
      const { id } = await shop.place(sku, 2);
      expect((await shop.order(id)).status).toBe('pending');
      await shop.close();
      shop = await openShop();
      expect((await settled(shop, id)).status).toBe('cancelled');
      expect(await shop.available(sku)).toBe(5);
    },
    TEST_MS,
  );

  it(
    'takes orders and payments while Redis is away, and cancels in time what is not paid when it is back',
    async () => {
      const sku = await shop.newArticle(5);
      const { id } = await shop.place(sku, 1);
      await redis.kill();
      const unpaid = await shop.place(sku, 2);
      expect((await shop.pay(id)).status).toBe(200);
      expect(await shop.available(sku)).toBe(2);

      await redis.restart();
      expect((await settled(shop, unpaid.id)).status).toBe('cancelled');
      expect((await shop.order(id)).status).toBe('paid');
      expect(await shop.available(sku)).toBe(4);
    },
    TEST_MS,
  );

  it(
    'runs a timeout that an older shop has scheduled, in the first version of its payload',
    async () => {
      const sku = await shop.newArticle(5);
      const { id } = await shop.place(sku, 2);
      const olderShop = await Test.createTestingModule({
        imports: [DelayQueueModule.forRoot({ connection: redis.url, prefix: 'shop' })],
      }).compile();
      await olderShop.init();
      const waiting = (): Promise<unknown> => shop.app.get(DelayQueueProducer).get('order_timeout', `order:${id}`);
      // The timeout is in the database with the order, and in Redis a moment later.
      await waitFor(waiting, { what: 'the timeout to be in Redis' });
      const firstVersion = { orderId: id } as PayloadOf<'order_timeout'>;
      const { status } = await olderShop
        .get(DelayQueueProducer)
        .schedule('order_timeout', firstVersion, { delay: 0, id: `order:${id}`, onDuplicate: 'replace' });
      await olderShop.close();
      expect(status).toBe('replaced');
      expect((await settled(shop, id)).status).toBe('cancelled');
      expect(await shop.available(sku)).toBe(5);
    },
    TEST_MS,
  );

  it(
    'does not schedule a timeout that its handler could not read',
    async () => {
      const { app } = shop;
      const payload = { orderId: 'no order', payBefore: null };
      const refused = app.get(DelayQueueProducer).schedule('order_timeout', payload, { delay: 0, id: 'refused' });
      await expect(refused).rejects.toMatchObject({ code: 'invalid_payload', field: 'payload.orderId' });
      expect(await app.get(DelayQueueAdmin).listDead('order_timeout')).toMatchObject({ items: [] });
    },
    TEST_MS,
  );

  async function openShop(): Promise<Shop> {
    return Shop.open({ ...database.settings, redisUrl: redis.url, orderTimeoutMs: ORDER_TIMEOUT_MS });
  }
});

/** Waits until an order is paid or cancelled, and answers it. */
async function settled(shop: Shop, orderId: string): Promise<OrderAnswer> {
  const order = await waitFor(
    async () => {
      const found = await shop.order(orderId);
      return found.status === 'pending' ? null : found;
    },
    { deadlineMs: WAIT_MS, what: 'the order to be paid or cancelled' },
  );
  if (order === null) throw new Error('waitFor answers what it waited for');
  return order;
}
