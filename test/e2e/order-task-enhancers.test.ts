import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ForbiddenException, Logger } from '@nestjs/common';
import { DelayQueueEvents, DelayQueueProducer } from 'nestjs-delay-queue';
import { ORDER_TIMEOUT, orderTimeoutId } from '../../apps/order-app/src/orders/order-timeout-task.js';
import { nextEvent } from '../nest/support/next-event.js';
import { Shop, SHOP_START_MS } from './support/shop.js';
import { TestDatabase } from './support/test-database.js';

describe('the enhancers of the timeout', () => {
  let database: TestDatabase;
  let shop: Shop;
  let events: DelayQueueEvents;
  let producer: DelayQueueProducer;

  beforeAll(async () => {
    database = await TestDatabase.open();
    shop = await Shop.open(database.settings);
    events = shop.app.get(DelayQueueEvents);
    producer = shop.app.get(DelayQueueProducer);
  }, SHOP_START_MS);

  afterAll(async () => {
    await shop.close();
    await database.close();
  }, SHOP_START_MS);

  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('the guard refuses a task that names another order than its own', async () => {
    const { id } = await shop.place(await shop.newArticle(5), 1);
    const retried = nextEvent(events, 'retried', 'by-hand');
    await producer.schedule(ORDER_TIMEOUT, { orderId: id, payBefore: null }, { delay: 0, id: 'by-hand' });
    expect((await retried).error).toBeInstanceOf(ForbiddenException);
    expect((await shop.order(id)).status).toBe('pending');
    await producer.cancel(ORDER_TIMEOUT, 'by-hand');
  });

  it('the interceptor writes down how long a delivery took, and the order is cancelled', async () => {
    const lines = jest.spyOn(Logger.prototype, 'debug');
    const { id } = await shop.place(await shop.newArticle(5), 1);
    const taskId = orderTimeoutId(id);
    const completed = nextEvent(events, 'completed', taskId);
    await shop.expire(id);
    await completed;
    expect((await shop.order(id)).status).toBe('cancelled');
    expect(lines).toHaveBeenCalledWith(expect.stringMatching(`^order_timeout ${taskId}, delivery 1: \\d+ ms$`));
  });
});
