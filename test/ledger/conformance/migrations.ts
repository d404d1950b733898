import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { SqlLedger } from 'nestjs-delay-queue/ledger';
import { sqlRunnerOf } from '../../../libs/delay-queue/src/ledger/sql-runner.js';
import type { LedgerDatabase } from '../support/ledger-database.js';
import { LedgerFixture, TYPE } from './ledger-fixture.js';

const SQL_FOLDER = fileURLToPath(new URL('../../../libs/delay-queue/sql/', import.meta.url));

/** What making the tables does. */
export function describeMigrations(database: () => LedgerDatabase): void {
  describe('migrate', () => {
    it('does nothing when the tables are there', async () => {
      const fixture = new LedgerFixture(database());
      const { row } = await fixture.stage('a');
      await new SqlLedger(database()).migrate();
      expect(await fixture.stateOf(row)).toBe('staged');
      await expect(fixture.ledger.check()).resolves.toBeUndefined();
    });

    it('makes other tables under another prefix, also when five do it at once', async () => {
      const tablePrefix = `p${Date.now().toString(36)}_`;
      const backends = Array.from({ length: 5 }, () => new SqlLedger({ ...database(), tablePrefix }));
      await Promise.all(backends.map((backend) => backend.migrate()));
      const options = { queue: 'shop', callTimeoutMs: 20_000, relayAfterMs: 0, sweepAfterMs: 0 };
      const ledger = (backends[0] as SqlLedger).open(options);
      await expect(ledger.check()).resolves.toBeUndefined();
      expect(await ledger.cancel({ type: TYPE, id: 'a' })).toBeNull();
    });

    it('has nothing left to do after the SQL file of the package was run, twice', async () => {
      const tablePrefix = `f${Date.now().toString(36)}_`;
      const file = await readFile(`${SQL_FOLDER}${database().dialect}/001-create.sql`, 'utf8');
      const text = file.replaceAll('delay_queue_', tablePrefix);
      // A client of PostgreSQL runs a file as a whole, or ends a statement at its quotes; one of MySQL ends it at the line's.
      const statements =
        database().dialect === 'mysql' ? text.split(/;\n/).filter((part) => part.trim() !== '') : [text];
      const runner = sqlRunnerOf(database().connection, 'connection');
      for (const statement of [...statements, ...statements]) {
        if (database().dialect === 'mysql') await runner.execute(statement, []);
        else await runner.rows(statement, []);
      }
      const backend = new SqlLedger({ ...database(), tablePrefix });
      const ledger = backend.open({ queue: 'shop', callTimeoutMs: 20_000, relayAfterMs: 0, sweepAfterMs: 0 });
      await expect(ledger.check()).resolves.toBeUndefined();
      await backend.migrate();
      expect((await ledger.stage(new LedgerFixture(database()).task('a'))).status).toBe('staged');
    });

    it('is asked for when there are no tables', async () => {
      const backend = new SqlLedger({ ...database(), tablePrefix: 'absent_' });
      const ledger = backend.open({ queue: 'shop', callTimeoutMs: 20_000, relayAfterMs: 0, sweepAfterMs: 0 });
      const refusal = {
        code: 'configuration',
        field: 'ledger',
        message: expect.stringContaining('migrate()'),
      };
      await expect(ledger.check()).rejects.toMatchObject(refusal);
      await expect(ledger.read(['a'])).rejects.toMatchObject(refusal);
    });
  });
}
