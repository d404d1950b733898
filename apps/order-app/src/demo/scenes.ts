import { setTimeout as wait } from 'node:timers/promises';
import type { CancellationFaults } from './cancellation-faults.js';
import type { Customer, OrderAnswer } from './customer.js';
import type { DemoReport, OrderReport } from './demo-report.js';
import type { Timeline } from './timeline.js';

const SKU = 'TEA-GREEN';

/** The customer in a hurry pays so long after placing the order. */
const PAYS_AFTER_MS = 500;

/** What a payment needs to get to the database: sent so long before the due time, it meets the timeout there. */
const PAYMENT_TRAVEL_MS = 4;

/** Beyond the time to pay, for the retries of the failing timeout on a slow machine. */
const PATIENCE_MS = 20_000;

const POLL_EVERY_MS = 50;

/** Who takes part. */
export interface Cast {
  readonly customer: Customer;
  readonly timeline: Timeline;
  readonly faults: CancellationFaults;
}

interface Scene {
  readonly label: string;
  /** Different in each scene, so that a piece too many or too few is seen. */
  readonly quantity: number;
  readonly expected: OrderReport['expected'];
  readonly expectedDeliveries: OrderReport['expectedDeliveries'];
  /** What happens to the placed order; resolves to the HTTP status of the payment, or null without one. */
  play(order: OrderAnswer, cast: Cast): Promise<number | null>;
}

const SCENES: readonly Scene[] = [
  {
    label: 'A paid in time',
    quantity: 1,
    expected: 'paid',
    expectedDeliveries: { min: 0, max: 0 },
    play: async ({ id }, { customer }) => {
      await wait(PAYS_AFTER_MS);
      return customer.pay(id);
    },
  },
  {
    label: 'B never paid',
    quantity: 2,
    expected: 'cancelled',
    expectedDeliveries: { min: 1, max: 1 },
    play: () => Promise.resolve(null),
  },
  {
    label: 'C paid as time ends',
    quantity: 4,
    expected: 'either',
    expectedDeliveries: { min: 0, max: 1 },
    play: async ({ id, payBefore }, { customer }) => {
      await wait(Math.max(0, Date.parse(payBefore) - PAYMENT_TRAVEL_MS - Date.now()));
      return customer.pay(id);
    },
  },
  {
    label: 'D fails twice',
    quantity: 8,
    expected: 'cancelled',
    expectedDeliveries: { min: 3, max: 3 },
    play: async ({ id }, { faults }) => {
      await faults.failNext(id, 2);
      return null;
    },
  },
];

/** Plays all scenes at the same time and tells what became of the orders. */
export async function playScenes(cast: Cast): Promise<DemoReport> {
  const stockBefore = await cast.customer.stockOf(SKU);
  const orders = await Promise.all(SCENES.map((scene) => playScene(scene, cast)));
  const stockAfter = await cast.customer.stockOf(SKU);
  return { orders, stockBefore, stockAfter };
}

async function playScene(scene: Scene, cast: Cast): Promise<OrderReport> {
  const { label, quantity, expected, expectedDeliveries } = scene;
  const { customer, timeline } = cast;
  const placed = await customer.place(SKU, quantity);
  timeline.follow(placed.id, label);
  const payBeforeMs = Date.parse(placed.payBefore);
  timeline.tell(label, `placed: ${quantity} × ${SKU}, to be paid before ${timeline.offset(payBeforeMs)}`);
  const payAnswer = await scene.play(placed, cast);
  if (payAnswer !== null) timeline.tell(label, `payment answered with HTTP ${payAnswer}`);
  const order = await waitUntilSettled(placed.id, cast, payBeforeMs + PATIENCE_MS);
  return { label, expected, expectedDeliveries, order, payAnswer, deliveries: timeline.deliveriesOf(placed.id) };
}

/** Waits until the order is paid or cancelled and no timeout is running, or until the patience is over. */
async function waitUntilSettled(id: string, { customer, timeline }: Cast, untilMs: number): Promise<OrderAnswer> {
  for (;;) {
    const order = await customer.look(id);
    if ((order.status !== 'pending' && !timeline.busy) || Date.now() > untilMs) return order;
    await wait(POLL_EVERY_MS);
  }
}
