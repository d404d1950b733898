/** The task type; its payload stands in `types/delayed-tasks.d.ts`. */
export const ORDER_TIMEOUT = 'order_timeout';

/** Id of an order's timeout: each order has at most one. */
export function orderTimeoutId(orderId: string): string {
  return `order:${orderId}`;
}
