import type { LedgerOptions } from '../options/ledger-options.js';
import type { LedgerBackend } from '../ports/task-ledger.js';

/** The ledger of a queue, in a database of the application. */
export interface ModuleLedgerOptions extends LedgerOptions {
  /** The database: an `SqlLedger` of `nestjs-delay-queue/ledger`. */
  readonly backend: LedgerBackend;
  /** Creates the tables at boot, or brings them up to date. @default false */
  readonly migrate?: boolean;
}
