import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DelayQueueTestClock, type DelayQueueTesting, DelayQueueTestingModule } from 'nestjs-delay-queue/testing';
import { Shop, SHOP_START_MS } from './support/shop.js';
import { TestDatabase } from './support/test-database.js';

const MINUTE_MS = 60_000;

describe('the shop on a clock of the test', () => {
  let database: TestDatabase;
  let shop: Shop;
  let queue: DelayQueueTesting;

  beforeAll(async () => {
    database = await TestDatabase.open();
    // A database on a busy machine may take its time, and the clock waits for it.
    const clock = new DelayQueueTestClock({ patience: '60s' });
    shop = await Shop.open(database.settings, (builder) => void DelayQueueTestingModule.override(builder, { clock }));
    queue = DelayQueueTestingModule.of(shop.app);
  }, SHOP_START_MS);

  afterAll(async () => {
    await shop.close();
    await database.close();
  }, SHOP_START_MS);

  it('cancels an order that is not paid within 30 minutes, and leaves a paid one alone', async () => {
    const sku = await shop.newArticle(10);
    const [unpaid, paid] = [await shop.place(sku, 2), await shop.place(sku, 3)];
    const id = `order:${unpaid.id}`;
    await queue.tasks.expectScheduled('order_timeout', {
      id,
      payload: { orderId: unpaid.id, payBefore: unpaid.payBefore },
      in: '30m',
    });
    await queue.clock.advance('29m');
    await shop.pay(paid.id);
    expect((await shop.order(unpaid.id)).status).toBe('pending');
    await queue.clock.advance('1m');
    // The handler has worked on the real database, and has ended.
    expect((await shop.order(unpaid.id)).status).toBe('cancelled');
    expect((await shop.order(paid.id)).status).toBe('paid');
    expect(await shop.available(sku)).toBe(7);
    const [run] = queue.tasks.runs('order_timeout');
    expect(run).toMatchObject({ id, outcome: 'completed' });
    expect(Number(run?.startedAt)).toBe(Number(run?.dueAt));
    await queue.tasks.expectNotScheduled('order_timeout');
  }, 120_000);

  it('cancels hundreds of orders that fall due one after the other', async () => {
    const sku = await shop.newArticle(300);
    const orders = [];
    for (let order = 0; order < 300; order++) {
      orders.push(await shop.place(sku, 1));
      if (order % 10 === 0) await queue.clock.advance('10s');
    }
    await queue.clock.advance(30 * MINUTE_MS);
    const statuses = new Set(await Promise.all(orders.map(async ({ id }) => (await shop.order(id)).status)));
    expect([...statuses]).toEqual(['cancelled']);
    expect(await shop.available(sku)).toBe(300);
    // Whatever looks after the ledger regularly does not do so by this clock, or this would take hours.
    await queue.clock.advance('30 days');
  }, 120_000);
});
