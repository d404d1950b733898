import 'nestjs-delay-queue';
import type { OrderTimeoutPayload } from '../src/orders/order-timeout.payload.js';

declare module 'nestjs-delay-queue' {
  /** The shop's task types and their payloads: checked wherever a task is scheduled or handled. */
  interface DelayedTasks {
    /** The time to pay an order is over. */
    order_timeout: OrderTimeoutPayload;
  }
}
