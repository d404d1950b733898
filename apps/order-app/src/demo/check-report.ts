import type { DemoReport, OrderReport } from './demo-report.js';

/** Something that must be so after the demo, and whether it is. */
export interface Check {
  readonly ok: boolean;
  /** What must be so; with what was found instead, if it is not. */
  readonly text: string;
}

/** Compares what the demo has seen with what must be so. */
export function checkReport(report: DemoReport): readonly Check[] {
  return [...report.orders.flatMap(checkOrder), checkStock(report)];
}

function checkOrder(report: OrderReport): readonly Check[] {
  const checks = [checkStatus(report), checkDates(report), checkPayment(report), checkCount(report)];
  if (report.deliveries.length > 0) checks.push(checkOutcomes(report), checkLateness(report));
  return checks.map(({ ok, text }) => ({ ok, text: `${report.label}: ${text}` }));
}

function checkStatus({ expected, order }: OrderReport): Check {
  if (expected === 'either') return check(order.status !== 'pending', 'is paid or cancelled', order.status);
  return check(order.status === expected, `is ${expected}`, order.status);
}

function checkDates({ order: { status, paidAt, cancelledAt } }: OrderReport): Check {
  const found = `paid: ${paidAt ?? 'never'}, cancelled: ${cancelledAt ?? 'never'}`;
  const fits = (paidAt !== null) === (status === 'paid') && (cancelledAt !== null) === (status === 'cancelled');
  return check(fits, 'was never both paid and cancelled', found);
}

function checkPayment({ order: { status }, payAnswer }: OrderReport): Check {
  if (payAnswer === null) return check(status !== 'paid', 'is not paid, for nobody has paid it', status);
  const promised = { 200: 'paid', 409: 'cancelled' }[payAnswer];
  return check(
    promised === status,
    'the answer to the payment is true',
    `HTTP ${payAnswer}, and the order is ${status}`,
  );
}

function checkCount({ deliveries, expectedDeliveries: { min, max } }: OrderReport): Check {
  const { length } = deliveries;
  const text = `runs of its timeout: ${min === max ? min : `${min} to ${max}`}`;
  return check(length >= min && length <= max, text, `${length}`);
}

function checkOutcomes({ deliveries }: OrderReport): Check {
  const outcomes = deliveries.map(({ outcome }) => outcome);
  const fits = outcomes.every((outcome, index) => outcome === (index === outcomes.length - 1 ? 'done' : 'failed'));
  const found = outcomes.map((outcome) => outcome ?? 'running').join(', ');
  return check(fits, 'its last run succeeded, those before failed', found);
}

function checkLateness({ deliveries }: OrderReport): Check {
  const lateness = deliveries.map(({ latenessMs }) => latenessMs);
  return check(Math.min(...lateness) >= 0, 'no run started early', `${lateness.join(', ')} ms late`);
}

function checkStock({ orders, stockBefore, stockAfter }: DemoReport): Check {
  const sold = orders
    .filter(({ order }) => order.status !== 'cancelled')
    .reduce((pieces, { order }) => pieces + order.quantity, 0);
  const wanted = `the stock fits: ${stockBefore} before, ${sold} sold, ${stockBefore - sold} left`;
  return check(stockAfter === stockBefore - sold, wanted, `${stockAfter} left`);
}

function check(ok: boolean, text: string, found: string): Check {
  return { ok, text: ok ? text : `${text} - but found: ${found}` };
}
