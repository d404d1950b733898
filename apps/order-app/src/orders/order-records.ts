import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DelayQueueProducer } from 'nestjs-delay-queue';
import { DataSource, type EntityManager } from 'typeorm';
import { type Pieces, StockService } from '../stock/stock.service.js';
import { ORDER_TIMEOUT, orderTimeoutId } from './order-timeout-task.js';
import { Order } from './order.entity.js';

/**
 * The orders in the database and every step from one status to another.
 *
 * Each step is a conditional update, so of two that race only one happens: the database lets them through one after the
 * other, and the second finds that its condition no longer holds. What a step means for the order's timeout happens in the
 * same transaction, and before the order is touched: all take the two rows in this order, so none waits for another in a
 * circle.
 */
@Injectable()
export class OrderRecords {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly stock: StockService,
    private readonly delayQueue: DelayQueueProducer,
  ) {}

  async find(id: string): Promise<Order | null> {
    return this.dataSource.manager.findOneBy(Order, { id });
  }

  /**
   * Creates a pending order with its timeout, and takes its pieces out of the stock, in one transaction.
   *
   * @throws NotFoundException | ConflictException when the stock does not have the pieces; nothing is written then.
   */
  async place(pieces: Pieces, timeToPayMs: number): Promise<Order> {
    return this.dataSource.transaction(async (transaction) => {
      await this.stock.reserve(transaction, pieces);
      const nowMs = Date.now();
      const order: Order = {
        id: randomUUID(),
        sku: pieces.sku,
        quantity: pieces.quantity,
        status: 'pending',
        placedAt: new Date(nowMs),
        payBefore: new Date(nowMs + timeToPayMs),
        paidAt: null,
        cancelledAt: null,
      };
      await transaction.insert(Order, order);
      const due = { delay: timeToPayMs, id: orderTimeoutId(order.id), tx: transaction };
      const payload = { orderId: order.id, payBefore: order.payBefore.toISOString() };
      await this.delayQueue.schedule(ORDER_TIMEOUT, payload, due);
      return order;
    });
  }

  /** Makes a pending order paid, and cancels its timeout; false when it is not pending, or not there. */
  async markPaid(id: string): Promise<boolean> {
    return this.dataSource.transaction(async (transaction) => {
      // An order that is not pending has no timeout that could be cancelled.
      await this.delayQueue.cancel(ORDER_TIMEOUT, orderTimeoutId(id), { tx: transaction });
      const update = await transaction
        .createQueryBuilder()
        .update(Order)
        .set({ status: 'paid', paidAt: () => 'now()' })
        .where("id = :id AND status = 'pending'", { id })
        .execute();
      return update.affected === 1;
    });
  }

  /**
   * Cancels an order that is still pending and puts its pieces back into the stock, in one transaction.
   *
   * Safe to call any number of times and while the order is being paid: the pieces go back only with the one update that
   * changes the status. False when the order is not pending, or not there.
   *
   * @param completeTimeout completes in the transaction what has called for the cancellation.
   */
  async cancelUnpaid(id: string, completeTimeout?: (transaction: EntityManager) => Promise<void>): Promise<boolean> {
    return this.dataSource.transaction(async (transaction) => {
      await completeTimeout?.(transaction);
      const update = await transaction
        .createQueryBuilder()
        .update(Order)
        .set({ status: 'cancelled', cancelledAt: () => 'now()' })
        .where("id = :id AND status = 'pending'", { id })
        .returning(['sku', 'quantity'])
        .execute();
      const [pieces] = update.raw as Pieces[];
      if (pieces === undefined) return false;
      await this.stock.putBack(transaction, pieces);
      return true;
    });
  }
}
