import { ConflictException, Inject, Injectable, NotFoundException } from '@nestjs/common';
import { type InjectedShopConfig, shopConfig } from '../config/shop-config.js';
import type { Pieces } from '../stock/stock.service.js';
import { OrderRecords } from './order-records.js';
import type { Order } from './order.entity.js';

/** What a customer does: place an order, pay it, look at it. */
@Injectable()
export class OrdersService {
  constructor(
    private readonly records: OrderRecords,
    @Inject(shopConfig.KEY) private readonly config: InjectedShopConfig,
  ) {}

  /** @throws NotFoundException when there is no such order. */
  async get(id: string): Promise<Order> {
    const order = await this.records.find(id);
    if (order === null) throw new NotFoundException(`There is no order '${id}'.`);
    return order;
  }

  /**
   * Places an order, whose timeout begins with it.
   *
   * @throws NotFoundException | ConflictException when the stock does not have the pieces.
   */
  async place(pieces: Pieces): Promise<Order> {
    return this.records.place(pieces, this.config.orderTimeoutMs);
  }

  /**
   * Pays an order and cancels its timeout; paying a paid order again changes nothing.
   *
   * @throws NotFoundException when there is no such order.
   * @throws ConflictException when it has been cancelled.
   */
  async pay(id: string): Promise<Order> {
    await this.records.markPaid(id);
    const order = await this.get(id);
    if (order.status === 'cancelled') throw new ConflictException(`The order '${id}' has been cancelled.`);
    return order;
  }
}
