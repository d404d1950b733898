import type { LedgerDialect, LedgerMigration } from './ledger-dialect.js';

/** A file of the package with the statements of one migration, for those who run their migrations by themselves. */
export interface MigrationFile {
  readonly name: string;
  readonly text: string;
}

/** Writes a migration as a file that any client of the database can run. */
export function migrationFile(dialect: LedgerDialect, { version, name, statements }: LedgerMigration): MigrationFile {
  const head = [
    `-- The tables of the ledger of nestjs-delay-queue on ${dialect.name}, version ${version}: what SqlLedger.migrate() runs.`,
    '-- Running it again changes nothing.',
  ];
  const text = [head.join('\n'), ...statements.map((statement) => `${statement};`)].join('\n\n');
  return { name: `${String(version).padStart(3, '0')}-${name}.sql`, text: `${text}\n` };
}
