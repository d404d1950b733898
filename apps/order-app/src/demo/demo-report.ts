import type { OrderAnswer } from './customer.js';

/** One run of an order's timeout. */
export interface Delivery {
  /** When it was due and how long after that it started, in milliseconds by the queue's clock. */
  readonly dueAtMs: number;
  readonly latenessMs: number;
  /** Null as long as it runs. */
  outcome: 'done' | 'failed' | null;
}

/** What became of one order. */
export interface OrderReport {
  readonly label: string;
  /** `either`: payment and timeout came at the same instant. */
  readonly expected: 'paid' | 'cancelled' | 'either';
  /** How often its timeout is expected to run; the last run succeeds, those before fail. */
  readonly expectedDeliveries: { readonly min: number; readonly max: number };
  readonly order: OrderAnswer;
  /** HTTP status of the payment; null when the customer did not pay. */
  readonly payAnswer: number | null;
  readonly deliveries: readonly Delivery[];
}

/** What became of all orders, and of the pieces they were for. */
export interface DemoReport {
  readonly orders: readonly OrderReport[];
  readonly stockBefore: number;
  readonly stockAfter: number;
}
