import { describe, expect, it } from '@jest/globals';
import type { LedgerState } from '../../../libs/delay-queue/src/ports/task-ledger.js';
import type { LedgerDatabase } from '../support/ledger-database.js';
import { LedgerFixture, OpenTransaction, TYPE } from './ledger-fixture.js';

const STATES: readonly LedgerState[] = ['staged', 'indexed', 'done', 'dead', 'cancelled'];

/** How rows get from one state to another. */
export function describeTransitions(database: () => LedgerDatabase): void {
  const key = { type: TYPE, id: 'a' };

  async function rowIn(state: LedgerState, fixture: LedgerFixture): Promise<string> {
    if (state === 'staged') return (await fixture.stage('a')).row;
    const row = await fixture.index('a');
    if (state !== 'indexed') await fixture.ledger.end([row], state);
    return row;
  }

  describe('complete', () => {
    it.each(STATES)('of a %s row', async (state) => {
      const fixture = new LedgerFixture(database());
      const row = await rowIn(state, fixture);
      const isOpen = state === 'staged' || state === 'indexed';
      const answer = await fixture.transaction((tx) => fixture.ledger.complete(row, tx));
      expect(answer).toBe(isOpen ? 'completed' : state);
      expect(await fixture.stateOf(row)).toBe(isOpen ? 'done' : state);
    });

    it('of a row that is not there', async () => {
      const fixture = new LedgerFixture(database());
      expect(await fixture.transaction((tx) => fixture.ledger.complete('none', tx))).toBe('missing');
    });

    it('is undone by a rollback', async () => {
      const fixture = new LedgerFixture(database());
      const row = await fixture.index('a');
      const transaction = await OpenTransaction.begin(database(), (tx) => fixture.ledger.complete(row, tx));
      await transaction.rollback();
      expect(await fixture.stateOf(row)).toBe('indexed');
    });

    it('lets one of two transactions through, after the other', async () => {
      const fixture = new LedgerFixture(database());
      const row = await fixture.index('a');
      const first = await OpenTransaction.begin(database(), (tx) => fixture.ledger.complete(row, tx));
      const second = fixture.transaction((tx) => fixture.ledger.complete(row, tx));
      await first.commit();
      expect(await second).toBe('done');
    });

    it('or a cancellation, whichever comes first', async () => {
      const fixture = new LedgerFixture(database());
      const row = await fixture.index('a');
      const cancelling = await OpenTransaction.begin(database(), (tx) => fixture.ledger.cancel(key, tx));
      const completing = fixture.transaction((tx) => fixture.ledger.complete(row, tx));
      await cancelling.commit();
      expect(await completing).toBe('cancelled');
    });
  });

  describe('cancel', () => {
    it.each(STATES)('of a %s row', async (state) => {
      const fixture = new LedgerFixture(database());
      const row = await rowIn(state, fixture);
      const isOver = state === 'done' || state === 'cancelled';
      const changed = await fixture.transaction((tx) => fixture.ledger.cancel(key, tx));
      expect(changed?.row).toBe(isOver ? undefined : row);
      expect(await fixture.stateOf(row)).toBe(state === 'done' ? 'done' : 'cancelled');
    });

    it('is undone by a rollback', async () => {
      const fixture = new LedgerFixture(database());
      const { row } = await fixture.stage('a');
      const transaction = await OpenTransaction.begin(database(), (tx) => fixture.ledger.cancel(key, tx));
      await transaction.rollback();
      expect(await fixture.stateOf(row)).toBe('staged');
    });
  });

  describe('reschedule', () => {
    it.each(STATES)('of a %s row', async (state) => {
      const fixture = new LedgerFixture(database());
      const row = await rowIn(state, fixture);
      const isOpen = state === 'staged' || state === 'indexed';
      const due = { atMs: Date.now() + 7_200_000 };
      const changed = await fixture.transaction((tx) => fixture.ledger.reschedule(key, due, tx));
      expect(changed).toEqual(isOpen ? { row, version: 1, dueAtMs: due.atMs } : null);
      const [read] = await fixture.ledger.read([row]);
      expect(read).toMatchObject(isOpen ? { state: 'staged', moved: true, version: 1 } : { state, moved: false });
    });

    it('makes a mark void that was under way', async () => {
      const fixture = new LedgerFixture(database());
      const { row } = await fixture.stage('a');
      await fixture.ledger.reschedule(key, { delayMs: 5_000 });
      expect(await fixture.ledger.markIndexed([{ row, version: 0, epoch: 0 }])).toBe(0);
      expect(await fixture.ledger.markIndexed([{ row, version: 1, epoch: 0 }])).toBe(1);
      expect((await fixture.ledger.read([row]))[0]).toMatchObject({ state: 'indexed', moved: false, version: 1 });
    });

    it('retime moves the due time, and nothing else', async () => {
      const fixture = new LedgerFixture(database());
      const row = await fixture.index('a');
      expect(await fixture.ledger.retime(key, { delayMs: 7_200_000 })).toBeNull();
      const [read] = await fixture.ledger.read([row]);
      expect(read).toMatchObject({ state: 'indexed', moved: false, version: 0 });
      expect(read?.remainingMs).toBeGreaterThan(7_000_000);
    });
  });

  describe('retime', () => {
    it('stages a row again that is not marked as indexed', async () => {
      const fixture = new LedgerFixture(database());
      const { row } = await fixture.stage('a');
      expect(await fixture.ledger.retime(key, { delayMs: 7_200_000 })).toMatchObject({ row, version: 1 });
      expect((await fixture.ledger.read([row]))[0]).toMatchObject({ state: 'staged', moved: true, version: 1 });
    });
  });

  describe('purge', () => {
    it.each(STATES)('of a %s row', async (state) => {
      const fixture = new LedgerFixture(database());
      const row = await rowIn(state, fixture);
      expect(await fixture.ledger.purge(key)).toBe(state === 'dead');
      expect(await fixture.stateOf(row)).toBe(state === 'dead' ? 'cancelled' : state);
      const isFree = state === 'dead' || state === 'done' || state === 'cancelled';
      expect((await fixture.stage('a')).status).toBe(isFree ? 'staged' : 'duplicate');
    });
  });

  describe('marks', () => {
    it.each(['done', 'dead', 'cancelled'] as const)('end open rows as %s, and no others', async (state) => {
      const fixture = new LedgerFixture(database());
      const rows = [(await fixture.stage('1')).row, await fixture.index('2'), await fixture.index('3')];
      await fixture.ledger.end([rows[2] ?? ''], 'dead');
      expect(await fixture.ledger.end([...rows, 'none'], state)).toBe(2);
      expect(await Promise.all(rows.map((row) => fixture.stateOf(row)))).toEqual([state, state, 'dead']);
    });

    it('revive dead rows, and no others', async () => {
      const fixture = new LedgerFixture(database());
      const rows = [await fixture.index('1'), await fixture.index('2')];
      await fixture.ledger.end([rows[0] ?? ''], 'dead');
      await fixture.ledger.end([rows[1] ?? ''], 'done');
      await fixture.ledger.revive(rows);
      expect(await Promise.all(rows.map((row) => fixture.stateOf(row)))).toEqual(['indexed', 'done']);
    });

    it('of no rows are no statements', async () => {
      const { ledger } = new LedgerFixture(database());
      expect(await ledger.end([], 'done')).toBe(0);
      expect(await ledger.markIndexed([])).toBe(0);
      expect(await ledger.read([])).toEqual([]);
      expect([...(await ledger.states([]))]).toEqual([]);
      await Promise.all([ledger.revive([]), ledger.markRemoved([]), ledger.postpone([]), ledger.lookAgain([])]);
    });
  });
}
