import type { LedgerConnection, SqlLedgerOptions } from 'nestjs-delay-queue/ledger';

/** A database as one library reaches it. */
export interface LedgerDatabase {
  readonly dialect: SqlLedgerOptions['dialect'];
  /** What the ledger uses by itself. */
  readonly connection: LedgerConnection;
  /** Runs something in a transaction of the application; rolls back what throws. */
  transaction<T>(work: (tx: LedgerConnection) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Opens the database of a URL with one library. */
export type OpenLedgerDatabase = (url: string) => Promise<LedgerDatabase>;
