import { Injectable, Logger, UseGuards, UseInterceptors } from '@nestjs/common';
import { type DelayedTask, OnDelayedTask } from 'nestjs-delay-queue';
import type { EntityManager } from 'typeorm';
import { OrderRecords } from './order-records.js';
import type { OrderTimeoutPayload } from './order-timeout.payload.js';
import { ORDER_TIMEOUT } from './order-timeout-task.js';
import { OwnOrderGuard } from './own-order.guard.js';
import { TaskTimingInterceptor } from './task-timing.interceptor.js';

/** Runs when the time to pay an order is over. */
@Injectable()
export class OrderTimeoutHandler {
  private readonly logger = new Logger(OrderTimeoutHandler.name);

  constructor(private readonly records: OrderRecords) {}

  /**
   * Cancels the order if it is still unpaid.
   *
   * It completes in the transaction that changes the order, so a second delivery changes nothing, and neither does one of an
   * order that is being paid. Ten retries, doubled from 5 s up to 10 minutes, outlast a database that is away for half an
   * hour.
   */
  @OnDelayedTask(ORDER_TIMEOUT, { concurrency: 20, handlerTimeout: '30s', maxRetries: 10 })
  @UseGuards(OwnOrderGuard)
  @UseInterceptors(TaskTimingInterceptor)
  async cancelUnpaid({ orderId, payBefore }: OrderTimeoutPayload, task: DelayedTask<'order_timeout'>): Promise<void> {
    // Tasks that a shop without a ledger has scheduled may still be waiting: they have no row to complete.
    const complete = task.ledgered ? (tx: EntityManager): Promise<void> => task.complete(tx) : undefined;
    const cancelled = await this.records.cancelUnpaid(orderId, complete);
    if (cancelled) this.logger.log(`Order ${orderId} was not paid ${deadline(payBefore)} and is cancelled.`);
    else this.logger.log(`Order ${orderId} is not pending any more; its timeout has nothing to do.`);
  }
}

function deadline(payBefore: string | null): string {
  return payBefore === null ? 'in time' : `by ${payBefore}`;
}
