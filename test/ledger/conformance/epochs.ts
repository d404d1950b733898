import { describe, expect, it } from '@jest/globals';
import type { LedgerDatabase } from '../support/ledger-database.js';
import { HOLD_MS, LedgerFixture, PARTITION } from './ledger-fixture.js';

const FOUR = { limit: 4, holdMs: HOLD_MS };

/** What is remembered of the store's memory. */
export function describeEpochs(database: () => LedgerDatabase): void {
  describe('epochs', () => {
    it('begin once, also when several ask', async () => {
      const fixture = new LedgerFixture(database());
      const first = { ...PARTITION, epoch: 1, rebuilding: false, lostAtMs: null, sinceLostMs: null };
      const asked = await Promise.all(Array.from({ length: 5 }, () => fixture.open().epochOf(PARTITION)));
      expect(asked).toEqual(asked.map(() => first));
      expect(await fixture.ledger.epochs()).toEqual([first]);
    });

    it('are lost by one of several who notice the same loss', async () => {
      const fixture = new LedgerFixture(database());
      await fixture.ledger.epochOf(PARTITION);
      const lost = await Promise.all(Array.from({ length: 5 }, () => fixture.open().loseEpoch(PARTITION, 1)));
      expect(lost.filter(Boolean)).toHaveLength(1);
      const epoch = await fixture.ledger.epochOf(PARTITION);
      expect(epoch).toMatchObject({ epoch: 2, rebuilding: true, lostAtMs: expect.any(Number) });
    });

    it('are rebuilt when they have lasted for a while', async () => {
      const fixture = new LedgerFixture(database());
      await fixture.ledger.epochOf(PARTITION);
      await fixture.ledger.loseEpoch(PARTITION, 1);
      expect(await fixture.ledger.markRebuilt(PARTITION, 2, HOLD_MS)).toBe(false);
      expect(await fixture.ledger.markRebuilt(PARTITION, 1, 0)).toBe(false);
      expect(await fixture.ledger.markRebuilt(PARTITION, 2, 0)).toBe(true);
      expect((await fixture.ledger.epochOf(PARTITION)).rebuilding).toBe(false);
    });

    it('tell which rows must be loaded again, the nearest first', async () => {
      const fixture = new LedgerFixture(database());
      await fixture.ledger.epochOf(PARTITION);
      expect(await fixture.ledger.hasIndexed(PARTITION)).toBe(false);
      for (const seconds of [5, 3, 1, 4, 2]) {
        await fixture.index(`${seconds}`, { due: { delayMs: seconds * 10_000 } });
      }
      await fixture.index('elsewhere', { partition: 1 });
      await fixture.ledger.end([await fixture.index('done')], 'done');
      expect(await fixture.ledger.hasIndexed(PARTITION)).toBe(true);
      expect(await fixture.ledger.takeLost(PARTITION, FOUR)).toEqual([]);

      await fixture.ledger.loseEpoch(PARTITION, 1);
      expect(await fixture.ledger.countLost(PARTITION)).toBe(5);
      const first = await fixture.ledger.takeLost(PARTITION, FOUR);
      expect(first.map(({ id }) => id)).toEqual(['1', '2', '3', '4']);
      expect(first[0]).toMatchObject({ state: 'staged', epoch: 2, attempts: 1 });
      expect(await fixture.ledger.countLost(PARTITION)).toBe(1);
      const rows = first.map(({ row, version, epoch }) => ({ row, version, epoch }));
      expect(await fixture.ledger.markIndexed(rows)).toBe(4);
      expect((await fixture.ledger.takeLost(PARTITION, FOUR)).map(({ id }) => id)).toEqual(['5']);
      expect(await fixture.ledger.takeLost(PARTITION, FOUR)).toEqual([]);
    });

    it('that are lost while they are rebuilt begin again with the nearest', async () => {
      const fixture = new LedgerFixture(database());
      await fixture.ledger.epochOf(PARTITION);
      for (const seconds of [1, 2, 3, 4]) await fixture.index(`${seconds}`, { due: { delayMs: seconds * 10_000 } });
      await fixture.ledger.loseEpoch(PARTITION, 1);
      const half = await fixture.ledger.takeLost(PARTITION, { ...FOUR, limit: 2 });
      await fixture.ledger.markIndexed(half.map(({ row, version, epoch }) => ({ row, version, epoch })));
      await fixture.ledger.loseEpoch(PARTITION, 2);
      const again = await fixture.ledger.takeLost(PARTITION, { ...FOUR, limit: 2 });
      expect(again.map(({ id }) => id)).toEqual(['1', '2']);
      expect(await fixture.ledger.countLost(PARTITION)).toBe(2);
    });
  });
}
