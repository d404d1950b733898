import type { Row } from '../rows/row.js';
import { ledgerOrder } from './ledger-order.js';
import { ledgerRebuild, ledgerRebuildPaced } from './ledger-rebuild.js';
import { ledgerTask } from './ledger-task.js';

/** What a ledger costs and does; these rows need a PostgreSQL, and are run when they are asked for. */
export const LEDGER_ROWS: readonly Row[] = [ledgerOrder, ledgerTask, ledgerRebuild, ledgerRebuildPaced];
