import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { LedgerRow } from '../../ports/task-ledger.js';
import { postponement } from './postponement.js';

const delayOf = (attempts: number): number => postponement({ row: 'a', attempts } as LedgerRow).delayMs;

describe('postponement', () => {
  it('doubles from half a second on, less up to a fifth', () => {
    for (const [attempts, fullMs] of [
      [0, 500],
      [1, 1_000],
      [2, 2_000],
      [5, 16_000],
    ] as const) {
      const delayMs = delayOf(attempts);
      expect(delayMs).toBeLessThanOrEqual(fullMs);
      expect(delayMs).toBeGreaterThanOrEqual(fullMs * 0.8);
    }
  });

  it('has few different values, for each is a statement of its own', () => {
    expect(new Set(Array.from({ length: 500 }, () => delayOf(9))).size).toBeLessThanOrEqual(8);
  });

  it('C46 is never more than a minute, however often a row was tried', () => {
    fc.assert(
      fc.property(fc.nat(), (attempts) => {
        const delayMs = delayOf(attempts);
        expect(Number.isInteger(delayMs)).toBe(true);
        expect(delayMs).toBeLessThanOrEqual(60_000);
        expect(delayMs).toBeGreaterThanOrEqual(400);
      }),
    );
  });
});
