import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DelayQueueProducer } from 'nestjs-delay-queue';
import { waitFor } from '../support/wait-for.js';
import { Shop, SHOP_START_MS } from './support/shop.js';
import { TestDatabase } from './support/test-database.js';

const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

describe('the shop over HTTP', () => {
  let database: TestDatabase;
  let shop: Shop;

  beforeAll(async () => {
    database = await TestDatabase.open();
    shop = await Shop.open(database.settings);
  }, SHOP_START_MS);

  afterAll(async () => {
    await shop.close();
    await database.close();
  }, SHOP_START_MS);

  it('takes the pieces of an order out of the stock and schedules its timeout', async () => {
    const sku = await shop.newArticle(10);
    const order = await shop.place(sku, 3);
    expect(order).toMatchObject({ sku, quantity: 3, status: 'pending', paidAt: null, cancelledAt: null });
    expect(await shop.available(sku)).toBe(7);
    expect(await shop.order(order.id)).toEqual(order);
    const task = await waitFor(() => shop.app.get(DelayQueueProducer).get('order_timeout', `order:${order.id}`), {
      what: 'the timeout to be in the queue',
    });
    expect(task).toMatchObject({ state: 'waiting', payload: { orderId: order.id } });
    expect(task?.dueAt?.getTime()).toBeGreaterThanOrEqual(Date.parse(order.payBefore));
  });

  it('takes a payment, cancels the timeout and keeps the pieces', async () => {
    const sku = await shop.newArticle(10);
    const { id } = await shop.place(sku, 3);
    const { status, body } = await shop.pay(id);
    expect(status).toBe(200);
    expect(body).toMatchObject({ id, status: 'paid', paidAt: expect.any(String), cancelledAt: null });
    await waitFor(async () => (await shop.app.get(DelayQueueProducer).get('order_timeout', `order:${id}`)) === null, {
      what: 'the timeout to leave the queue',
    });
    expect(await shop.available(sku)).toBe(7);
  });

  it('answers a second payment with the order as it is', async () => {
    const { id } = await shop.place(await shop.newArticle(1), 1);
    const first = await shop.pay(id);
    expect(await shop.pay(id)).toEqual(first);
  });

  it('refuses to sell more than there is, and leaves the stock as it was', async () => {
    const sku = await shop.newArticle(2);
    expect((await shop.post('/orders', { sku, quantity: 3 })).status).toBe(409);
    expect(await shop.available(sku)).toBe(2);
    await shop.place(sku, 2);
    expect((await shop.post('/orders', { sku, quantity: 1 })).status).toBe(409);
    expect(await shop.available(sku)).toBe(0);
  });

  it('sells the last pieces once when many customers want them at the same time', async () => {
    const sku = await shop.newArticle(5);
    const answers = await Promise.all(Array.from({ length: 20 }, () => shop.post('/orders', { sku, quantity: 1 })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(15);
    expect(await shop.available(sku)).toBe(0);
  });

  it.each<[string, unknown]>([
    ['nothing', {}],
    ['no quantity', { sku: 'TEA-GREEN' }],
    ['no article', { quantity: 1 }],
    ['an empty article', { sku: '', quantity: 1 }],
    ['a very long article', { sku: 'T'.repeat(41), quantity: 1 }],
    ['an article that is no text', { sku: 7, quantity: 1 }],
    ['no piece', { sku: 'TEA-GREEN', quantity: 0 }],
    ['fewer than no pieces', { sku: 'TEA-GREEN', quantity: -1 }],
    ['half a piece', { sku: 'TEA-GREEN', quantity: 0.5 }],
    ['a quantity that is a text', { sku: 'TEA-GREEN', quantity: '1' }],
    ['too many pieces', { sku: 'TEA-GREEN', quantity: 1_001 }],
    ['more than it knows', { sku: 'TEA-GREEN', quantity: 1, price: 0 }],
  ])('refuses an order with %s', async (_what, body) => {
    const availableBefore = await shop.available('TEA-GREEN');
    expect((await shop.post('/orders', body)).status).toBe(400);
    expect(await shop.available('TEA-GREEN')).toBe(availableBefore);
  });

  it('knows what is not there', async () => {
    expect((await shop.post('/orders', { sku: 'NO-SUCH-TEA', quantity: 1 })).status).toBe(404);
    expect((await shop.get('/stock/NO-SUCH-TEA')).status).toBe(404);
    expect((await shop.get(`/orders/${UNKNOWN_ID}`)).status).toBe(404);
    expect((await shop.pay(UNKNOWN_ID)).status).toBe(404);
    expect((await shop.get('/orders/1')).status).toBe(400);
    expect((await shop.pay('1')).status).toBe(400);
  });

  it('serves its API description', async () => {
    expect((await shop.get('/docs')).status).toBe(200);
    const { body } = await shop.get<{ readonly paths: object }>('/docs-json');
    expect(Object.keys(body.paths).toSorted()).toEqual(['/orders', '/orders/{id}', '/orders/{id}/pay', '/stock/{sku}']);
  });

  it('cancels an order when its timeout runs, gives the pieces back and refuses the payment', async () => {
    const sku = await shop.newArticle(10);
    const { id } = await shop.place(sku, 3);
    await shop.expire(id);
    const isCancelled = async (): Promise<boolean> => (await shop.order(id)).status === 'cancelled';
    await waitFor(isCancelled, { what: 'the order to be cancelled' });
    expect(await shop.available(sku)).toBe(10);
    expect((await shop.pay(id)).status).toBe(409);
    expect(await shop.order(id)).toMatchObject({ status: 'cancelled', paidAt: null });
  });
});
