import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { ledgerTables } from './ledger-tables.js';
import { migrationFile } from './migration-file.js';
import { mysqlDialect } from './mysql-dialect.js';
import { postgresqlDialect } from './postgresql-dialect.js';

const FOLDER = fileURLToPath(new URL('../../sql/', import.meta.url));

describe('the SQL files of the package', () => {
  it.each([
    ['postgresql', postgresqlDialect],
    ['mysql', mysqlDialect],
  ] as const)('for %s are what migrate() runs; else run scripts/write-ledger-sql.mjs', (folder, dialect) => {
    const files = dialect.migrations(ledgerTables()).map((migration) => migrationFile(dialect, migration));
    const shipped = readdirSync(`${FOLDER}${folder}`).toSorted();
    expect(shipped).toEqual(files.map(({ name }) => name));
    for (const { name, text } of files) expect(readFileSync(`${FOLDER}${folder}/${name}`, 'utf8')).toBe(text);
  });

  it('have versions that rise by one', () => {
    for (const dialect of [postgresqlDialect, mysqlDialect]) {
      const versions = dialect.migrations(ledgerTables()).map(({ version }) => version);
      expect(versions).toEqual(versions.map((_, index) => index + 1));
    }
  });
});
