import { REPEATED_IN_FULL, type Row } from '../rows/row.js';
import { measureTransactions } from './measure-transactions.js';

/** A task alone, one call each; with a ledger as a statement that is its own transaction. */
export const ledgerTask: Row = {
  name: 'ledger-task-c64',
  title: 'a task alone, 64 concurrent callers',
  unit: 'tasks/s',
  subjects: ['ledger', 'nestjs-delay-queue', 'pg-boss'],
  runs: REPEATED_IN_FULL,
  database: true,
  goals: [],
  measure: (stage) => measureTransactions(stage, { call: 'schedule' }),
};
