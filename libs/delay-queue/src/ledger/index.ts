export type { LedgerBackend, LedgerOpenOptions, TaskLedger } from '../ports/task-ledger.js';
export type { LedgerConnection, QueryingConnection, RawCallingConnection } from '../task/ledger-connection.js';
export { SqlLedger, type SqlLedgerOptions } from './sql-ledger.js';
