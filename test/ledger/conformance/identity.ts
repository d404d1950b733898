import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { LedgerDatabase } from '../support/ledger-database.js';
import { LedgerFixture, TYPE } from './ledger-fixture.js';

/** Ids that one collation or another takes for each other, or that break a text. */
const IDS = [
  'a',
  'A',
  'a ',
  ' a',
  ' ',
  'é',
  'e\u0301',
  'ß',
  'ss',
  '😀',
  "'",
  '"',
  '\\',
  '%',
  '?',
  '$1',
  '{a}',
  '__proto__',
];

/** How rows are told apart. */
export function describeIdentity(database: () => LedgerDatabase): void {
  describe('identity', () => {
    it('C32 tells ids apart by their bytes, and gives them back as they are', async () => {
      const fixture = new LedgerFixture(database());
      const staged = await Promise.all(IDS.map((id) => fixture.stage(id)));
      expect(staged.map(({ status }) => status)).toEqual(IDS.map(() => 'staged'));
      for (const [index, id] of IDS.entries()) {
        expect((await fixture.ledger.read([staged[index]?.row ?? '']))[0]?.id).toBe(id);
        expect(await fixture.stage(id)).toMatchObject({ status: 'duplicate', row: staged[index]?.row });
      }
    });

    it('C32 takes any id of up to 512 bytes', async () => {
      const fixture = new LedgerFixture(database());
      const ids = fc.string({ unit: 'binary', minLength: 1, maxLength: 128 }).filter((id) => !id.includes('\0'));
      await fc.assert(
        fc.asyncProperty(ids, async (id) => {
          const { row } = await fixture.stage(id, { onDuplicate: 'replace' });
          expect((await fixture.ledger.read([row]))[0]?.id).toBe(id);
        }),
        { numRuns: 50 },
      );
    });

    it('is the type and the id', async () => {
      const fixture = new LedgerFixture(database());
      await fixture.stage('a');
      expect((await fixture.stage('a', { type: 'other' })).status).toBe('staged');
      await fixture.ledger.cancel({ type: 'other', id: 'a' });
      expect(await fixture.stage('a')).toMatchObject({ status: 'duplicate', state: 'staged' });
    });

    it('is the queue as well: two queues in the same tables share nothing', async () => {
      const [one, two] = [new LedgerFixture(database()), new LedgerFixture(database())];
      const { row } = await one.stage('a');
      expect((await two.stage('a')).status).toBe('staged');
      await two.ledger.cancel({ type: TYPE, id: 'a' });
      expect(await one.stateOf(row)).toBe('staged');
      expect(await two.ledger.take('staged', { limit: 10, holdMs: 1 })).toEqual([]);
    });
  });
}
