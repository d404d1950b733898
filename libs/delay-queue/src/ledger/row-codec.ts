import type { LedgerEpoch, LedgerRow, LedgerState } from '../ports/task-ledger.js';
import type { LedgerDialect } from './ledger-dialect.js';
import type { LedgerTables } from './ledger-tables.js';
import type { SqlRow } from './sql-runner.js';

/** The columns that {@link decodeLedgerRow} reads. */
export function ledgerRowColumns({ tasks, epochs }: LedgerTables, dialect: LedgerDialect): string {
  const presentEpoch =
    `(SELECT e.epoch FROM ${epochs} e WHERE e.queue = ${tasks}.queue AND e.type = ${tasks}.type ` +
    `AND e.partition_no = ${tasks}.partition_no)`;
  return (
    `row_id, type, partition_no, ${dialect.idColumn} AS task_id, state, version, attempts, replaces, moved, envelope, ` +
    `due_at_ms - ${dialect.now} AS remaining_ms, look_at_ms IS NOT NULL AS is_pending, ` +
    `COALESCE(${presentEpoch}, 0) AS present_epoch`
  );
}

/** Reads a row; numbers may come as numbers, texts or bigints, truth as 1 or true. */
export function decodeLedgerRow(row: SqlRow, dialect: LedgerDialect): LedgerRow {
  return {
    row: textOf(row['row_id']),
    type: textOf(row['type']),
    id: dialect.readId(row['task_id']),
    partition: Number(row['partition_no']),
    state: textOf(row['state']) as LedgerState,
    version: Number(row['version']),
    epoch: Number(row['present_epoch']),
    envelope: textOf(row['envelope']),
    remainingMs: Number(row['remaining_ms']),
    attempts: Number(row['attempts']),
    replaces: isTrue(row['replaces']),
    moved: isTrue(row['moved']),
    pending: isTrue(row['is_pending']),
  };
}

/** Reads a row of the table of epochs. */
export function decodeEpoch(row: SqlRow): LedgerEpoch {
  return {
    type: textOf(row['type']),
    partition: Number(row['partition_no']),
    epoch: Number(row['epoch']),
    rebuilding: isTrue(row['rebuilding']),
    lostAtMs: numberOrNull(row['lost_at_ms']),
    sinceLostMs: numberOrNull(row['since_lost_ms']),
  };
}

function numberOrNull(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}

function textOf(value: unknown): string {
  // Some drivers give a text with a binary collation as its bytes.
  return Buffer.isBuffer(value) ? value.toString() : String(value);
}

function isTrue(value: unknown): boolean {
  return value === true || Number(value) === 1;
}
