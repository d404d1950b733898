import type { TaskTypeOptions } from 'nestjs-delay-queue';
import { OrderTimeoutPayload } from './order-timeout.payload.js';

/** The task type; its payload stands in `types/delayed-tasks.d.ts`. */
export const ORDER_TIMEOUT = 'order_timeout';

/**
 * What all processes of the shop must agree upon. Version 1 was `{ orderId }`: tasks that an older shop has scheduled may
 * still be waiting, and an older shop that still runs during a roll-out leaves those of version 2 to this one.
 */
export const orderTimeoutTask: TaskTypeOptions<OrderTimeoutPayload> = {
  schema: OrderTimeoutPayload,
  version: 2,
  upcast: { 1: (old: { readonly orderId: string }) => ({ ...old, payBefore: null }) },
  onUnknownVersion: 'wait',
};

/** Id of an order's timeout: each order has at most one. */
export function orderTimeoutId(orderId: string): string {
  return `order:${orderId}`;
}
