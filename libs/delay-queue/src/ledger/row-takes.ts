import type { PartitionRef } from '../core/partition.js';
import type { LedgerRetention, LedgerRow, TakeableState, TakeRequest } from '../ports/task-ledger.js';
import { decodeLedgerRow, ledgerRowColumns } from './row-codec.js';
import type { LedgerContext } from './sql-task-ledger.js';

/**
 * Statements that find rows by their state and age, and hold them for a while without a lock.
 *
 * There is no cursor: a transaction that commits late is found as any other. Rows that somebody has locked are passed over.
 */
export class RowTakes {
  constructor(private readonly context: LedgerContext) {}

  take(state: TakeableState, { limit, holdMs }: TakeRequest): Promise<readonly LedgerRow[]> {
    const { now } = this.context.dialect;
    return this.run({
      where: `queue = ? AND state = '${state}' AND look_at_ms <= ${now}`,
      whereParameters: [this.context.options.queue],
      orderBy: 'look_at_ms',
      limit,
      set: `attempts = attempts + 1, look_at_ms = ${now} + ?`,
      setParameters: [holdMs],
    });
  }

  takeLost(ref: PartitionRef, { limit, holdMs }: TakeRequest): Promise<readonly LedgerRow[]> {
    return this.run({
      where: this.lostRows,
      whereParameters: this.lostParameters(ref),
      // Each loading begins with the nearest, so what a later epoch has is nearer than what it still lacks.
      orderBy: 'epoch DESC, due_at_ms',
      limit,
      set: `state = 'staged', attempts = 1, look_at_ms = ${this.context.dialect.now} + ?`,
      setParameters: [holdMs],
    });
  }

  async hasIndexed({ type, partition }: PartitionRef): Promise<boolean> {
    const { session, dialect, tables, options } = this.context;
    const where = `queue = ? AND type = ? AND partition_no = ? AND state = 'indexed'`;
    const sql = dialect.sql(`SELECT row_id FROM ${tables.tasks} WHERE ${where} LIMIT 1`);
    return (await session.rows(sql, [options.queue, type, partition])).length > 0;
  }

  async countLost(ref: PartitionRef): Promise<number> {
    const { session, dialect, tables } = this.context;
    const sql = `SELECT COUNT(*) AS lost FROM ${tables.tasks} WHERE ${this.lostRows}`;
    const [found] = await session.rows(dialect.sql(sql), this.lostParameters(ref));
    return Number(found?.['lost'] ?? 0);
  }

  async deleteEnded({ doneMs, deadMs }: LedgerRetention, limit: number): Promise<number> {
    let deleted = 0;
    for (const [state, keepMs] of [
      ['done', doneMs],
      ['cancelled', doneMs],
      ['dead', deadMs],
    ] as const) {
      const where = `queue = ? AND state = '${state}' AND ended_at_ms <= ${this.context.dialect.now} - ?`;
      // A cancelled one that the store may still have is not over.
      const sql = this.context.dialect.deleteSome(this.tasks, `${where} AND look_at_ms IS NULL`, limit - deleted);
      const parameters = [this.context.options.queue, keepMs];
      deleted += await this.context.session.execute(this.context.dialect.sql(sql), parameters);
      if (deleted >= limit) break;
    }
    return deleted;
  }

  private get tasks(): string {
    return this.context.tables.tasks;
  }

  private get lostRows(): string {
    const present = `SELECT e.epoch FROM ${this.context.tables.epochs} e WHERE e.queue = ? AND e.type = ? AND e.partition_no = ?`;
    return `queue = ? AND type = ? AND partition_no = ? AND state = 'indexed' AND epoch < (${present})`;
  }

  private lostParameters({ type, partition }: PartitionRef): readonly unknown[] {
    const { queue } = this.context.options;
    return [queue, type, partition, queue, type, partition];
  }

  private async run(statement: {
    readonly where: string;
    readonly whereParameters: readonly unknown[];
    readonly orderBy: string;
    readonly limit: number;
    readonly set: string;
    readonly setParameters: readonly unknown[];
  }): Promise<readonly LedgerRow[]> {
    const { session, dialect, tables } = this.context;
    const columns = ledgerRowColumns(tables, dialect);
    const taken = await dialect.take(session, { table: tables.tasks, columns, ...statement });
    const rows = taken.map((row) => decodeLedgerRow(row, dialect));
    return rows.sort((a, b) => a.remainingMs - b.remainingMs);
  }
}
