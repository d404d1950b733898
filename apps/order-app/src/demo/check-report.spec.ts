import { describe, expect, it } from '@jest/globals';
import { checkReport } from './check-report.js';
import type { OrderAnswer } from './customer.js';
import type { DemoReport, OrderReport } from './demo-report.js';

const PAID: OrderAnswer = {
  id: '1',
  sku: 'TEA',
  quantity: 1,
  status: 'paid',
  payBefore: '2026-01-01T12:00:03.000Z',
  paidAt: '2026-01-01T12:00:01.000Z',
  cancelledAt: null,
};
const CANCELLED: OrderAnswer = {
  ...PAID,
  id: '2',
  quantity: 2,
  status: 'cancelled',
  paidAt: null,
  cancelledAt: '2026-01-01T12:00:03.000Z',
};
const PENDING: OrderAnswer = { ...CANCELLED, status: 'pending', cancelledAt: null };

const PAID_IN_TIME: OrderReport = {
  label: 'in time',
  expected: 'paid',
  expectedDeliveries: { min: 0, max: 0 },
  order: PAID,
  payAnswer: 200,
  deliveries: [],
};
const FAILED_ONCE: OrderReport = {
  label: 'failing',
  expected: 'cancelled',
  expectedDeliveries: { min: 2, max: 2 },
  order: CANCELLED,
  payAnswer: null,
  deliveries: [
    { dueAtMs: 1_000, latenessMs: 0, outcome: 'failed' },
    { dueAtMs: 2_000, latenessMs: 1.5, outcome: 'done' },
  ],
};
const RACED: OrderReport = {
  label: 'raced',
  expected: 'either',
  expectedDeliveries: { min: 0, max: 1 },
  order: PAID,
  payAnswer: 200,
  deliveries: [{ dueAtMs: 1_000, latenessMs: 2, outcome: 'done' }],
};
const GOOD: DemoReport = { orders: [PAID_IN_TIME, FAILED_ONCE, RACED], stockBefore: 10, stockAfter: 8 };

function wrongTexts(report: DemoReport): readonly string[] {
  return checkReport(report)
    .filter(({ ok }) => !ok)
    .map(({ text }) => text);
}

function withOrder(change: Partial<OrderReport>, base: OrderReport): DemoReport {
  return { ...GOOD, orders: GOOD.orders.map((order) => (order === base ? { ...order, ...change } : order)) };
}

describe('checkReport', () => {
  it('finds nothing wrong when all is as it must be', () => {
    expect(wrongTexts(GOOD)).toEqual([]);
    expect(checkReport(GOOD).length).toBeGreaterThan(10);
  });

  it('accepts both ends of a race, with the stock that belongs to each', () => {
    const cancelled = withOrder({ order: { ...CANCELLED, quantity: 1 }, payAnswer: 409 }, RACED);
    expect(wrongTexts({ ...cancelled, stockAfter: 9 })).toEqual([]);
  });

  it.each<[string, Partial<OrderReport>, OrderReport, RegExp]>([
    ['a paid order that is still pending', { order: PENDING }, PAID_IN_TIME, /^in time: is paid - but found: pending/],
    ['an unpaid order that nobody cancelled', { order: PENDING }, FAILED_ONCE, /^failing: is cancelled - .*pending/],
    ['a race without an end', { order: PENDING }, RACED, /^raced: is paid or cancelled - .*pending/],
    [
      'an order that is paid and cancelled',
      { order: { ...PAID, cancelledAt: '2026-01-01T12:00:03.000Z' } },
      RACED,
      /^raced: was never both paid and cancelled/,
    ],
    ['a payment refused for an order that is paid', { payAnswer: 409 }, RACED, /^raced: the answer to the payment/],
    [
      'a payment accepted for an order that is cancelled',
      { order: CANCELLED },
      RACED,
      /^raced: the answer to the payment/,
    ],
    ['a payment answered with an error', { payAnswer: 500 }, PAID_IN_TIME, /HTTP 500/],
    ['a payment that nobody made', { order: PAID }, FAILED_ONCE, /^failing: is not paid, for nobody has paid it/],
    [
      'a timeout that ran although it was cancelled',
      { deliveries: RACED.deliveries },
      PAID_IN_TIME,
      /timeout: 0 .*found: 1/,
    ],
    ['a timeout that never ran', { deliveries: [] }, FAILED_ONCE, /runs of its timeout: 2 - but found: 0/],
    [
      'a run that did not end',
      { deliveries: [{ dueAtMs: 1, latenessMs: 1, outcome: null }] },
      RACED,
      /last run succeeded.*running/,
    ],
    [
      'a run that started early',
      { deliveries: [{ dueAtMs: 1, latenessMs: -0.5, outcome: 'done' }] },
      RACED,
      /no run started early.*-0\.5/,
    ],
  ])('names %s', (_what, change, base, expected) => {
    expect(wrongTexts(withOrder(change, base))).toContainEqual(expect.stringMatching(expected));
  });

  it.each([7, 9])('names a stock of %i where 8 must be left', (stockAfter) => {
    expect(wrongTexts({ ...GOOD, stockAfter })).toEqual([
      expect.stringMatching(new RegExp(`8 left.*found: ${stockAfter} left`)),
    ]);
  });
});
