import { REPEATED_IN_FULL, type Row } from '../rows/row.js';
import { measureTransactions } from './measure-transactions.js';

/** A row of the application and its task in one transaction; without a ledger the task is scheduled after the commit. */
export const ledgerOrder: Row = {
  name: 'ledger-order-c64',
  title: 'an order and its task in one transaction, 64 concurrent callers',
  unit: 'orders/s',
  subjects: ['ledger', 'nestjs-delay-queue', 'pg-boss'],
  runs: REPEATED_IN_FULL,
  database: true,
  goals: [],
  measure: (stage) => measureTransactions(stage, { call: 'scheduleWithOrder' }),
};
