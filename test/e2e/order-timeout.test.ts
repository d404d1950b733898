import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConflictException } from '@nestjs/common';
import { OrderRecords } from '../../apps/order-app/src/orders/order-records.js';
import { OrdersService } from '../../apps/order-app/src/orders/orders.service.js';
import { Shop, SHOP_START_MS } from './support/shop.js';
import { TestDatabase } from './support/test-database.js';

const ROUNDS = 250;
const RACE_MS = 180_000;

describe('the timeout of an order', () => {
  let database: TestDatabase;
  let shop: Shop;
  let records: OrderRecords;
  let orders: OrdersService;

  beforeAll(async () => {
    database = await TestDatabase.open();
    shop = await Shop.open(database.settings);
    records = shop.app.get(OrderRecords);
    orders = shop.app.get(OrdersService);
  }, SHOP_START_MS);

  afterAll(async () => {
    await shop.close();
    await database.close();
  }, SHOP_START_MS);

  it('gives the pieces back once, however often it is delivered', async () => {
    const sku = await shop.newArticle(10);
    const { id } = await orders.place({ sku, quantity: 4 });
    await records.cancelUnpaid(id);
    const cancelled = await orders.get(id);
    expect(cancelled.status).toBe('cancelled');
    expect(await shop.available(sku)).toBe(10);
    await records.cancelUnpaid(id);
    await Promise.all(Array.from({ length: 10 }, () => records.cancelUnpaid(id)));
    expect(await orders.get(id)).toEqual(cancelled);
    expect(await shop.available(sku)).toBe(10);
  });

  it('gives the pieces back once when its first deliveries come at the same time', async () => {
    const sku = await shop.newArticle(10);
    const { id } = await orders.place({ sku, quantity: 4 });
    await Promise.all(Array.from({ length: 10 }, () => records.cancelUnpaid(id)));
    expect((await orders.get(id)).status).toBe('cancelled');
    expect(await shop.available(sku)).toBe(10);
  });

  it('leaves a paid order alone', async () => {
    const sku = await shop.newArticle(10);
    const { id } = await orders.place({ sku, quantity: 4 });
    const paid = await orders.pay(id);
    await records.cancelUnpaid(id);
    expect(await orders.get(id)).toEqual(paid);
    expect(await shop.available(sku)).toBe(6);
  });

  it('does nothing for an order that is not there', async () => {
    const orderId = '00000000-0000-4000-8000-000000000000';
    expect(await records.cancelUnpaid(orderId)).toBe(false);
  });

  it(
    `leaves each of ${ROUNDS} orders either paid or cancelled when it meets the payment, and the stock fits`,
    async () => {
      const sku = await shop.newArticle(ROUNDS);
      const outcomes = { paid: 0, cancelled: 0 };
      for (let round = 0; round < ROUNDS; round++) {
        const { id } = await orders.place({ sku, quantity: 1 });
        const outcome = await race(id, round % 2 === 0 ? 'payment first' : 'timeout first');
        outcomes[outcome]++;
      }
      expect(await shop.available(sku)).toBe(ROUNDS - outcomes.paid);
      // Neither side may always win, or the other was never put to the test.
      expect(outcomes.paid).toBeGreaterThan(0);
      expect(outcomes.cancelled).toBeGreaterThan(0);
    },
    RACE_MS,
  );

  /** Sends the payment and two deliveries of the timeout at once, and checks what each of them saw. */
  async function race(orderId: string, order: 'payment first' | 'timeout first'): Promise<'paid' | 'cancelled'> {
    const pay = async (): Promise<'accepted' | 'refused'> => {
      try {
        expect((await orders.pay(orderId)).status).toBe('paid');
        return 'accepted';
      } catch (error) {
        if (error instanceof ConflictException) return 'refused';
        throw error;
      }
    };
    const cancel = (): Promise<boolean> => records.cancelUnpaid(orderId);
    const early = order === 'timeout first' ? [cancel()] : [];
    const payment = pay();
    const cancellations = await Promise.all([...early, cancel(), cancel()]);
    const cancelled = cancellations.filter(Boolean).length;
    const expected = (await payment) === 'accepted' ? 'paid' : 'cancelled';
    expect(cancelled).toBe(expected === 'cancelled' ? 1 : 0);
    const { status, paidAt, cancelledAt } = await orders.get(orderId);
    expect(status).toBe(expected);
    expect([paidAt !== null, cancelledAt !== null]).toEqual([expected === 'paid', expected === 'cancelled']);
    return expected;
  }
});
