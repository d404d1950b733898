/** Writes the SQL files of the package, as `SqlLedger.migrate()` runs them: `npm run build && node scripts/write-ledger-sql.mjs`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const library = join(import.meta.dirname, '../libs/delay-queue');
const from = (file) => import(join(library, 'dist/ledger', file));

const { ledgerTables } = await from('ledger-tables.js');
const { migrationFile } = await from('migration-file.js');
const { mysqlDialect } = await from('mysql-dialect.js');
const { postgresqlDialect } = await from('postgresql-dialect.js');

for (const [name, dialect] of Object.entries({ postgresql: postgresqlDialect, mysql: mysqlDialect })) {
  const folder = join(library, 'sql', name);
  mkdirSync(folder, { recursive: true });
  for (const migration of dialect.migrations(ledgerTables())) {
    const file = migrationFile(dialect, migration);
    writeFileSync(join(folder, file.name), file.text);
    console.log(join('sql', name, file.name));
  }
}
