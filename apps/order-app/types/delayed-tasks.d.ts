import 'nestjs-delay-queue';
import type { OrderTimeoutPayload } from '../src/orders/order-timeout.payload.js';

declare module 'nestjs-delay-queue' {
  /** The shop's task types and their payloads: checked wherever a task is scheduled or handled. */
  interface DelayedTasks {
    /** The time to pay an order is over. */
    order_timeout: OrderTimeoutPayload;
    /** A user is to be reminded of something. */
    reminder: { readonly userId: string; readonly text: string };
    /** Another system is to be told something. */
    webhook: { readonly url: string; readonly body: Readonly<Record<string, string | number | boolean>> };
    /** A token that was taken from a rate limiter comes back. */
    token_refill: { readonly key: string; readonly tokenId: string };
    /** No heartbeat of a device has come for a while. */
    device_silence: { readonly deviceId: string; readonly watch: number };
  }
}
