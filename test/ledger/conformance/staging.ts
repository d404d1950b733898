import { describe, expect, it } from '@jest/globals';
import type { LedgerDatabase } from '../support/ledger-database.js';
import { LedgerFixture, OpenTransaction, TYPE } from './ledger-fixture.js';

/** What writing a task does. */
export function describeStaging(database: () => LedgerDatabase): void {
  describe('stage', () => {
    it('is seen when its transaction has committed, and not before', async () => {
      const fixture = new LedgerFixture(database());
      const task = fixture.task('a', { partition: 3 });
      const transaction = await OpenTransaction.begin(database(), (tx) => fixture.ledger.stage(task, tx));
      expect(await fixture.ledger.read([task.row])).toEqual([]);
      await transaction.commit();
      expect(await fixture.ledger.read([task.row])).toEqual([
        {
          row: task.row,
          type: TYPE,
          id: 'a',
          partition: 3,
          state: 'staged',
          version: 0,
          epoch: 0,
          envelope: task.envelope,
          remainingMs: expect.any(Number),
          attempts: 0,
          replaces: false,
          moved: false,
          pending: true,
        },
      ]);
    });

    it('C49 never existed when its transaction rolls back', async () => {
      const fixture = new LedgerFixture(database());
      const task = fixture.task('a');
      const transaction = await OpenTransaction.begin(database(), (tx) => fixture.ledger.stage(task, tx));
      await transaction.rollback();
      expect(await fixture.ledger.read([task.row])).toEqual([]);
      expect((await fixture.stage('a')).status).toBe('staged');
    });

    it('counts the delay from the statement on, by the clock of the database', async () => {
      const fixture = new LedgerFixture(database());
      const { row, dueAtMs } = await fixture.transaction(async (tx) => {
        await fixture.ledger.cancel({ type: TYPE, id: 'none' }, tx);
        await new Promise((resolve) => setTimeout(resolve, 30));
        return fixture.ledger.stage(fixture.task('a', { due: { delayMs: 40_000 } }), tx);
      });
      expect(Math.abs(dueAtMs - Date.now() - 40_000)).toBeLessThan(20_000);
      const [read] = await fixture.ledger.read([row]);
      // Nothing of the delay was used up before the statement; what is gone now was used up after it.
      expect(read?.remainingMs).toBeLessThanOrEqual(40_000);
      expect(read?.remainingMs).toBeGreaterThan(20_000);
    });

    it.each([
      ['a century from now', 100 * 365 * 86_400_000, 99 * 365 * 86_400_000],
      ['a time that has passed', -5_000, -60_000],
    ])('takes %s', async (_, aheadMs, atLeastMs) => {
      const fixture = new LedgerFixture(database());
      const { row } = await fixture.stage('a', { due: { atMs: Date.now() + aheadMs } });
      const [read] = await fixture.ledger.read([row]);
      expect(read?.remainingMs).toBeGreaterThan(atLeastMs);
      expect(read?.remainingMs).toBeLessThanOrEqual(Math.max(0, aheadMs));
    });

    it('keeps an envelope of a megabyte as it is', async () => {
      const fixture = new LedgerFixture(database());
      const envelope = `[1,"${'é😀\\u0000'.repeat(70_000)}","m5d4ruo0abc123"]`;
      const { row } = await fixture.stage('a', { envelope });
      expect((await fixture.ledger.read([row]))[0]?.envelope).toBe(envelope);
    });

    it('needs no transaction', async () => {
      const fixture = new LedgerFixture(database());
      const { row, status } = await fixture.ledger.stage(fixture.task('a'), database().connection);
      expect([status, await fixture.stateOf(row)]).toEqual(['staged', 'staged']);
    });
  });

  describe('stage with an id that is taken', () => {
    it.each(['staged', 'indexed', 'dead'] as const)('keeps a %s row', async (state) => {
      const fixture = new LedgerFixture(database());
      const first = state === 'staged' ? (await fixture.stage('a')).row : await fixture.index('a');
      if (state === 'dead') await fixture.ledger.end([first], 'dead');
      expect(await fixture.stage('a')).toMatchObject({ status: 'duplicate', row: first, state });
    });

    it.each(['staged', 'indexed', 'dead'] as const)('replaces a %s row, which is cancelled', async (state) => {
      const fixture = new LedgerFixture(database());
      const first = state === 'staged' ? (await fixture.stage('a')).row : await fixture.index('a');
      if (state === 'dead') await fixture.ledger.end([first], 'dead');
      const second = await fixture.stage('a', { onDuplicate: 'replace' });
      expect(second).toMatchObject({ status: 'staged', state: 'staged' });
      const [old, now] = [first, second.row].map((row) => fixture.ledger.read([row]));
      expect((await old)?.[0]).toMatchObject({ state: 'cancelled', pending: true });
      expect((await now)?.[0]).toMatchObject({ state: 'staged', replaces: true });
    });

    it.each(['done', 'cancelled'] as const)('takes no notice of a %s row', async (state) => {
      const fixture = new LedgerFixture(database());
      await fixture.ledger.end([await fixture.index('a')], state);
      expect((await fixture.stage('a')).status).toBe('staged');
    });

    it('keeps a done row within the dedupe window', async () => {
      const fixture = new LedgerFixture(database());
      const first = await fixture.index('a');
      await fixture.ledger.end([first], 'done');
      const again = await fixture.stage('a', { dedupeForMs: 600_000 });
      expect(again).toMatchObject({ status: 'duplicate', row: first, state: 'done' });
      expect((await fixture.stage('a', { dedupeForMs: 1 })).status).toBe('staged');
    });

    it.each(['commit', 'rollback'] as const)(
      'waits for the transaction that has it, whose end is a %s',
      async (end) => {
        const fixture = new LedgerFixture(database());
        const first = fixture.task('a');
        const transaction = await OpenTransaction.begin(database(), (tx) => fixture.ledger.stage(first, tx));
        const second = fixture.stage('a');
        const winner = await Promise.race([second, new Promise((resolve) => setTimeout(() => resolve('waits'), 100))]);
        expect(winner).toBe('waits');
        await transaction[end]();
        const expected = end === 'commit' ? { status: 'duplicate', row: first.row } : { status: 'staged' };
        expect(await second).toMatchObject(expected);
      },
    );
  });
}
