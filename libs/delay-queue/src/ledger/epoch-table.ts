import type { PartitionRef } from '../core/partition.js';
import type { LedgerEpoch } from '../ports/task-ledger.js';
import { decodeEpoch } from './row-codec.js';
import type { LedgerContext } from './sql-task-ledger.js';

const OF_PARTITION = 'queue = ? AND type = ? AND partition_no = ?';

/** Statements about what is known of the store's memory. */
export class EpochTable {
  constructor(private readonly context: LedgerContext) {}

  async all(): Promise<readonly LedgerEpoch[]> {
    const { session, dialect, tables, options } = this.context;
    const sql = `SELECT ${this.columns} FROM ${tables.epochs} WHERE queue = ? ORDER BY type, partition_no`;
    return (await session.rows(dialect.sql(sql), [options.queue])).map(decodeEpoch);
  }

  async of(ref: PartitionRef): Promise<LedgerEpoch> {
    const found = await this.find(ref);
    if (found !== null) return found;
    const { session, dialect, tables } = this.context;
    await dialect.insertOrIgnore(session, {
      table: tables.epochs,
      columns: ['queue', 'type', 'partition_no', 'epoch'],
      values: ['?', '?', '?', '1'],
      parameters: this.parametersOf(ref),
    });
    const made = await this.find(ref);
    if (made === null) throw new Error(`The epoch of partition ${ref.partition} of '${ref.type}' could not be begun.`);
    return made;
  }

  async lose(ref: PartitionRef, knownEpoch: number): Promise<boolean> {
    const { now } = this.context.dialect;
    const set = `epoch = epoch + 1, rebuilding = 1, lost_at_ms = ${now}`;
    return this.update(`${set} WHERE ${OF_PARTITION} AND epoch = ?`, [...this.parametersOf(ref), knownEpoch]);
  }

  async markRebuilt(ref: PartitionRef, epoch: number, minAgeMs: number): Promise<boolean> {
    const { now } = this.context.dialect;
    return this.update(
      `rebuilding = 0 WHERE ${OF_PARTITION} AND rebuilding = 1 AND epoch = ? AND lost_at_ms <= ${now} - ?`,
      [...this.parametersOf(ref), epoch, minAgeMs],
    );
  }

  private get columns(): string {
    const sinceLost = `${this.context.dialect.now} - lost_at_ms AS since_lost_ms`;
    return `type, partition_no, epoch, rebuilding, lost_at_ms, ${sinceLost}`;
  }

  private async find(ref: PartitionRef): Promise<LedgerEpoch | null> {
    const { session, dialect, tables } = this.context;
    const sql = `SELECT ${this.columns} FROM ${tables.epochs} WHERE ${OF_PARTITION}`;
    const [found] = await session.rows(dialect.sql(sql), this.parametersOf(ref));
    return found === undefined ? null : decodeEpoch(found);
  }

  private async update(setAndWhere: string, parameters: readonly unknown[]): Promise<boolean> {
    const { session, dialect, tables } = this.context;
    return (await session.execute(dialect.sql(`UPDATE ${tables.epochs} SET ${setAndWhere}`), parameters)) > 0;
  }

  private parametersOf({ type, partition }: PartitionRef): readonly unknown[] {
    return [this.context.options.queue, type, partition];
  }
}
