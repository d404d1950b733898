/** Names that the snippets of the documents use and leave to the reader's imagination; compiled with them. */
import type { Type } from '@nestjs/common';
import type { DelayQueueAdmin, DelayQueueEvents, DelayQueueProducer, IdempotencyService } from 'nestjs-delay-queue';

declare global {
  const OrderTimeoutHandler: Type;
  const OrdersService: Type;
  const delayQueue: DelayQueueProducer;
  const admin: DelayQueueAdmin;
  const queueEvents: DelayQueueEvents;
  const idempotency: IdempotencyService;
  const payments: PaymentsGateway;
  const orderId: string;

  class PaymentsGateway {
    /** Charges an order, and answers the number of the receipt. */
    charge(orderId: string): Promise<string>;
  }
}

declare module 'nestjs-delay-queue' {
  interface DelayedTasks {
    charge: { orderId: string };
    send_mail: { to: string; language: string };
  }
}
