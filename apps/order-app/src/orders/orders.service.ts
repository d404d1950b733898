import {
  ConflictException,
  Inject,
  Injectable,
  Logger,
  NotFoundException,
  ServiceUnavailableException,
} from '@nestjs/common';
import { DelayQueueProducer } from 'nestjs-delay-queue';
import { type InjectedShopConfig, shopConfig } from '../config/shop-config.js';
import type { Pieces } from '../stock/stock.service.js';
import { OrderRecords } from './order-records.js';
import { ORDER_TIMEOUT, orderTimeoutId } from './order-timeout-task.js';
import type { Order } from './order.entity.js';

/** What a customer does: place an order, pay it, look at it. */
@Injectable()
export class OrdersService {
  private readonly logger = new Logger(OrdersService.name);

  constructor(
    private readonly records: OrderRecords,
    private readonly delayQueue: DelayQueueProducer,
    @Inject(shopConfig.KEY) private readonly config: InjectedShopConfig,
  ) {}

  /** @throws NotFoundException when there is no such order. */
  async get(id: string): Promise<Order> {
    const order = await this.records.find(id);
    if (order === null) throw new NotFoundException(`There is no order '${id}'.`);
    return order;
  }

  /**
   * Places an order and schedules its timeout.
   *
   * The timeout can only be scheduled when the order is committed: a task that runs before would find nothing to cancel.
   * When scheduling then fails, the order is cancelled at once, because nothing would ever give its pieces back.
   *
   * @throws NotFoundException | ConflictException when the stock does not have the pieces.
   * @throws ServiceUnavailableException when the timeout could not be scheduled; there is no order then.
   */
  async place(pieces: Pieces): Promise<Order> {
    const { orderTimeoutMs } = this.config;
    const order = await this.records.place(pieces, orderTimeoutMs);
    try {
      const { id, payBefore } = order;
      const payload = { orderId: id, payBefore: payBefore.toISOString() };
      await this.delayQueue.schedule(ORDER_TIMEOUT, payload, { delay: orderTimeoutMs, id: orderTimeoutId(id) });
    } catch (cause) {
      await this.takeBack(order, cause);
      throw new ServiceUnavailableException('Orders cannot be taken at the moment. Please try again.', { cause });
    }
    return order;
  }

  /**
   * Pays an order and cancels its timeout; paying a paid order again changes nothing.
   *
   * @throws NotFoundException when there is no such order.
   * @throws ConflictException when it has been cancelled.
   */
  async pay(id: string): Promise<Order> {
    const paidNow = await this.records.markPaid(id);
    if (paidNow) await this.cancelTimeout(id);
    const order = await this.get(id);
    if (order.status === 'cancelled') throw new ConflictException(`The order '${id}' has been cancelled.`);
    return order;
  }

  /** Tidies up: from the payment on the order is safe from its timeout, whatever the answer here. */
  private async cancelTimeout(id: string): Promise<void> {
    try {
      const { status } = await this.delayQueue.cancel(ORDER_TIMEOUT, orderTimeoutId(id));
      switch (status) {
        case 'cancelled':
          return;
        case 'running':
          this.logger.log(`Order ${id} was paid while its timeout was running, which will find it paid.`);
          return;
        case 'not_found':
          this.logger.warn(`Order ${id} was paid; it had no timeout any more.`);
          return;
        default:
          status satisfies never;
      }
    } catch (error) {
      this.logger.warn(
        `Order ${id} was paid; its timeout could not be cancelled and will find it paid: ${String(error)}`,
      );
    }
  }

  private async takeBack(order: Order, cause: unknown): Promise<void> {
    this.logger.error(`Order ${order.id} is cancelled because its timeout could not be scheduled: ${String(cause)}`);
    try {
      await this.records.cancelUnpaid(order.id);
    } catch (error) {
      this.logger.error(`Order ${order.id} could not be cancelled; it will be when its time is over: ${String(error)}`);
    }
  }
}
