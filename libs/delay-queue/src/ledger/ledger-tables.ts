import { ConfigurationError } from '../core/errors.js';

/** Begins the names of the ledger's tables, unless the options say otherwise. */
export const DEFAULT_TABLE_PREFIX = 'delay_queue_';

/** Names of the ledger's tables. */
export interface LedgerTables {
  /** One row for each task. */
  readonly tasks: string;
  /** What is known of the store's memory, for each partition. */
  readonly epochs: string;
  /** Versions of the tables that have been made. */
  readonly migrations: string;
  /** Begins the names of indexes and constraints, which stand in their table's schema. */
  readonly indexPrefix: string;
}

/** Short enough that no name gets too long for a database. */
const PREFIX = /^(?:[A-Za-z_][A-Za-z0-9_]{0,39}\.)?[A-Za-z_][A-Za-z0-9_]{0,29}$/;

/**
 * Makes the names of the tables.
 *
 * @throws ConfigurationError when the prefix cannot begin a name.
 */
export function ledgerTables(tablePrefix: unknown = DEFAULT_TABLE_PREFIX): LedgerTables {
  if (typeof tablePrefix !== 'string' || !PREFIX.test(tablePrefix)) {
    const problem =
      "must be up to 30 of A-Z a-z 0-9 _, after a schema and a dot if need be, such as 'app.delay_queue_'";
    throw new ConfigurationError('ledger.tablePrefix', problem);
  }
  return {
    tasks: `${tablePrefix}tasks`,
    epochs: `${tablePrefix}epochs`,
    migrations: `${tablePrefix}migrations`,
    indexPrefix: tablePrefix.slice(tablePrefix.indexOf('.') + 1),
  };
}
