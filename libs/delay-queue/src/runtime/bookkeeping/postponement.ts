import type { LedgerRow, PostponedRow } from '../../ports/task-ledger.js';

const BASE_MS = 500;
const MAX_MS = 60_000;

/** Different waits that rows with equally many tries get: all rows of one wait are put off by one statement. */
const STEPS = 8;

/**
 * When a row that could not be brought in order is looked at again: half a second, doubled with each try, at most a minute.
 *
 * Up to a fifth is taken off at random, so that what failed together does not come back together.
 */
export function postponement({ row, attempts }: LedgerRow): PostponedRow {
  const fullMs = Math.min(MAX_MS, BASE_MS * 2 ** Math.min(attempts, 16));
  const share = Math.floor(Math.random() * STEPS) / STEPS;
  return { row, delayMs: Math.ceil(fullMs * (1 - 0.2 * share)) };
}
