import { randomBytes } from 'node:crypto';
import type { INestApplication } from '@nestjs/common';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';
import { DelayQueueProducer } from 'nestjs-delay-queue';
import { DataSource } from 'typeorm';
import { serveApiDocs } from '../../../apps/order-app/src/api-docs.js';
import { AppModule } from '../../../apps/order-app/src/app.module.js';
import { type ShopConfig, shopConfig } from '../../../apps/order-app/src/config/shop-config.js';
import type { OrderAnswer } from '../../../apps/order-app/src/demo/customer.js';
import { ORDER_TIMEOUT, orderTimeoutId } from '../../../apps/order-app/src/orders/order-timeout-task.js';
import { StockItem } from '../../../apps/order-app/src/stock/stock-item.entity.js';
import { waitFor } from '../../support/wait-for.js';
import type { TestDatabase } from './test-database.js';

/** Limit for what starts a database: that takes seconds, and many more while others use the processor. */
export const SHOP_START_MS = 180_000;

/** The shop's settings; those that are left out have a value for tests. */
export type ShopSettings = Partial<ShopConfig> & TestDatabase['settings'];

/** What the shop answered to a request. */
export interface Answer<Body> {
  readonly status: number;
  readonly body: Body;
}

/** The sample app, running and listening, and a customer's way to use it. */
export class Shop {
  private constructor(
    readonly app: INestApplication,
    private readonly url: string,
  ) {}

  /**
   * Opens the shop; its delayed tasks are embedded in this process unless the settings say otherwise.
   *
   * @param prepare may override parts of the application before it is made.
   */
  static async open(
    settings: ShopSettings,
    prepare: (builder: TestingModuleBuilder) => void = () => {},
  ): Promise<Shop> {
    const config: ShopConfig = {
      port: 0,
      redisUrl: null,
      queuePrefix: 'shop',
      orderTimeoutMs: 30 * 60_000,
      retryDelayMs: 100,
      ...settings,
    };
    const builder = Test.createTestingModule({ imports: [AppModule] })
      .overrideProvider(shopConfig.KEY)
      .useValue(config);
    prepare(builder);
    const testing = await builder.compile();
    const app = testing.createNestApplication({ logger: false });
    serveApiDocs(app);
    await app.listen(config.port, '127.0.0.1');
    return new Shop(app, await app.getUrl());
  }

  /** Puts a new article into the stock, which no other test uses, and answers its SKU. */
  async newArticle(available: number): Promise<string> {
    const sku = `TEST-${randomBytes(6).toString('hex')}`;
    await this.app.get(DataSource).manager.insert(StockItem, { sku, available });
    return sku;
  }

  /** Places an order that is expected to be accepted. */
  async place(sku: string, quantity: number): Promise<OrderAnswer> {
    const { status, body } = await this.post<OrderAnswer>('/orders', { sku, quantity });
    if (status !== 201) throw new Error(`POST /orders answered ${status}: ${JSON.stringify(body)}`);
    return body;
  }

  async pay(orderId: string): Promise<Answer<OrderAnswer>> {
    return this.post(`/orders/${orderId}/pay`);
  }

  async order(orderId: string): Promise<OrderAnswer> {
    return (await this.get<OrderAnswer>(`/orders/${orderId}`)).body;
  }

  /** Makes the timeout of an order due. It is in the database with the order, and in the queue's store a moment later. */
  async expire(orderId: string): Promise<void> {
    const producer = this.app.get(DelayQueueProducer);
    const isRunning = async (): Promise<boolean> => {
      const { status } = await producer.runNow(ORDER_TIMEOUT, orderTimeoutId(orderId));
      return status !== 'not_found';
    };
    await waitFor(isRunning, { what: 'the timeout of the order to be in the store' });
  }

  /** Pieces of an article that can be ordered. */
  async available(sku: string): Promise<number> {
    return (await this.get<{ readonly available: number }>(`/stock/${sku}`)).body.available;
  }

  async get<Body>(path: string): Promise<Answer<Body>> {
    return read(await fetch(this.url + path));
  }

  async post<Body>(path: string, body: unknown = {}): Promise<Answer<Body>> {
    const headers = { 'content-type': 'application/json' };
    return read(await fetch(this.url + path, { method: 'POST', headers, body: JSON.stringify(body) }));
  }

  async close(): Promise<void> {
    await this.app.close();
  }
}

async function read<Body>(response: Response): Promise<Answer<Body>> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  return { status: response.status, body: (isJson ? JSON.parse(text) : text) as Body };
}
