import { describe, expect, it } from '@jest/globals';
import type { LedgerRow } from '../../../libs/delay-queue/src/ports/task-ledger.js';
import type { LedgerDatabase } from '../support/ledger-database.js';
import { HOLD_MS, LedgerFixture, OpenTransaction, TYPE } from './ledger-fixture.js';

const ALL = { limit: 500, holdMs: HOLD_MS };

/** How rows are found by state and age. */
export function describeTaking(database: () => LedgerDatabase): void {
  const idsOf = (rows: readonly LedgerRow[]): readonly string[] => rows.map(({ id }) => id);

  describe('take', () => {
    it('finds staged rows when their own process had its time, the nearest due first', async () => {
      const fixture = new LedgerFixture(database());
      await fixture.stage('late', { due: { delayMs: 50_000 } });
      await fixture.stage('soon', { due: { delayMs: 10_000 } });
      const young = fixture.open({ relayAfterMs: HOLD_MS });
      await young.stage(fixture.task('young'));
      await fixture.index('indexed');
      expect(idsOf(await fixture.ledger.take('staged', ALL))).toEqual(['soon', 'late']);
    });

    it('holds what it takes, and counts', async () => {
      const fixture = new LedgerFixture(database());
      const { row } = await fixture.stage('a');
      expect((await fixture.ledger.take('staged', { limit: 5, holdMs: 0 }))[0]).toMatchObject({ row, attempts: 1 });
      expect((await fixture.ledger.take('staged', ALL))[0]).toMatchObject({ row, attempts: 2 });
      expect(await fixture.ledger.take('staged', ALL)).toEqual([]);
      await fixture.ledger.postpone([{ row, delayMs: 0 }]);
      expect((await fixture.ledger.take('staged', ALL))[0]).toMatchObject({ attempts: 3 });
      await fixture.markIndexed(row);
      expect((await fixture.ledger.take('indexed', ALL)).length).toBe(0);
    });

    it('takes no more than it is asked for', async () => {
      const fixture = new LedgerFixture(database());
      await Promise.all(['1', '2', '3'].map((id) => fixture.stage(id)));
      expect(await fixture.ledger.take('staged', { ...ALL, limit: 2 })).toHaveLength(2);
      expect(await fixture.ledger.take('staged', { ...ALL, limit: 2 })).toHaveLength(1);
    });

    it('C47 gives no row to two of four who take at once', async () => {
      const fixture = new LedgerFixture(database());
      const ids = Array.from({ length: 120 }, (_, index) => `${index}`);
      await fixture.transaction(async (tx) => {
        for (const id of ids) await fixture.ledger.stage(fixture.task(id), tx);
      });
      const takers = Array.from({ length: 4 }, () => fixture.open());
      const taken: string[] = [];
      const takeAll = async (taker: (typeof takers)[number]): Promise<void> => {
        // A row that another one locks just now is passed over, so an empty answer is the end only when nobody takes.
        for (let misses = 0; misses < 3;) {
          const rows = await taker.take('staged', { limit: 7, holdMs: HOLD_MS });
          taken.push(...idsOf(rows));
          misses = rows.length === 0 ? misses + 1 : 0;
        }
      };
      await Promise.all(takers.map(takeAll));
      expect(taken.toSorted()).toEqual(ids.toSorted());
    });

    it('C47 passes over a row that a transaction has locked, and does not wait', async () => {
      const fixture = new LedgerFixture(database());
      const locked = (await fixture.stage('locked')).row;
      await fixture.stage('free');
      const transaction = await OpenTransaction.begin(database(), (tx) => fixture.ledger.complete(locked, tx));
      expect(idsOf(await fixture.ledger.take('staged', ALL))).toEqual(['free']);
      await transaction.rollback();
      expect(idsOf(await fixture.ledger.take('staged', ALL))).toEqual(['locked']);
    });

    it('C48 finds a row whose transaction commits after younger rows were taken', async () => {
      const fixture = new LedgerFixture(database());
      const late = await OpenTransaction.begin(database(), (tx) => fixture.ledger.stage(fixture.task('late'), tx));
      await fixture.stage('young');
      expect(idsOf(await fixture.ledger.take('staged', ALL))).toEqual(['young']);
      await late.commit();
      expect(idsOf(await fixture.ledger.take('staged', ALL))).toEqual(['late']);
    });

    it('finds cancelled rows until the store does not have them any more', async () => {
      const fixture = new LedgerFixture(database());
      const row = await fixture.index('a');
      await fixture.ledger.cancel({ type: TYPE, id: 'a' });
      const [found] = await fixture.ledger.take('cancelled', { limit: 5, holdMs: 0 });
      expect(found).toMatchObject({ row, state: 'cancelled', pending: true });
      await fixture.ledger.markRemoved([row]);
      expect(await fixture.ledger.take('cancelled', ALL)).toEqual([]);
    });

    it('finds indexed rows when they should have run', async () => {
      const fixture = new LedgerFixture(database());
      const due = await fixture.index('due', { due: { delayMs: 0 } });
      await fixture.index('waits', { due: { delayMs: 60_000 } });
      await fixture.index('done', { due: { delayMs: 0 } });
      await fixture.ledger.end([(await fixture.stage('done')).row], 'done');
      await new Promise((resolve) => setTimeout(resolve, 2));
      expect(idsOf(await fixture.ledger.take('indexed', { limit: 5, holdMs: 0 }))).toEqual(['due']);
      await fixture.ledger.lookAgain([{ row: due, delayMs: HOLD_MS }]);
      expect(await fixture.ledger.take('indexed', ALL)).toEqual([]);
    });
  });

  describe('deleteEnded', () => {
    const KEEP_NOTHING = { doneMs: -1, deadMs: -1 };

    it('deletes a bounded number of rows that are over', async () => {
      const fixture = new LedgerFixture(database());
      const rows = await Promise.all(['1', '2', '3', '4', '5'].map((id) => fixture.index(id)));
      await fixture.ledger.end(rows.slice(0, 2), 'done');
      await fixture.ledger.end(rows.slice(2, 3), 'dead');
      expect(await fixture.ledger.deleteEnded({ doneMs: HOLD_MS, deadMs: HOLD_MS }, 100)).toBe(0);
      expect(await fixture.ledger.deleteEnded(KEEP_NOTHING, 1)).toBe(1);
      expect(await fixture.ledger.deleteEnded(KEEP_NOTHING, 100)).toBe(2);
      expect(await fixture.ledger.deleteEnded(KEEP_NOTHING, 100)).toBe(0);
      expect((await fixture.ledger.states(rows)).size).toBe(2);
    });

    it('keeps a cancelled row that the store may still have', async () => {
      const fixture = new LedgerFixture(database());
      const row = await fixture.index('a');
      await fixture.ledger.cancel({ type: TYPE, id: 'a' });
      expect(await fixture.ledger.deleteEnded(KEEP_NOTHING, 100)).toBe(0);
      await fixture.ledger.markRemoved([row]);
      expect(await fixture.ledger.deleteEnded(KEEP_NOTHING, 100)).toBe(1);
    });
  });
}
