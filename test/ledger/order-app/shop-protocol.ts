/** What a shop process of the fault test is started with, as JSON in `FAULT_SHOP`. */
export interface ShopSetup {
  /** Every step is written here before it is taken. */
  readonly traceFile: string;
}

/** What it is told to do. */
export type ShopCommand =
  /** Places an order; dies before the step with this number, counted from 0. */
  | { readonly kind: 'place'; readonly sku: string; readonly dieBefore: number }
  /** Has the timeout of an order run; dies before the step with this number. */
  | { readonly kind: 'cancel'; readonly orderId: string; readonly dieBefore: number }
  /** Has the timeouts of these orders run. */
  | { readonly kind: 'run'; readonly orderIds: readonly string[] }
  | { readonly kind: 'stop' };

/** What it tells. */
export type ShopReport =
  | { readonly kind: 'ready' }
  | { readonly kind: 'placed'; readonly orderId: string }
  | { readonly kind: 'failed'; readonly error: string };
