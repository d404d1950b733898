import type { IndexedRow, PostponedRow } from '../ports/task-ledger.js';
import { isOneOf } from './row-reader.js';
import type { LedgerContext } from './sql-task-ledger.js';

/** Statements that change rows by their names. */
export class RowWrites {
  constructor(private readonly context: LedgerContext) {}

  async markIndexed(rows: readonly IndexedRow[]): Promise<number> {
    const { dialect, options } = this.context;
    const nextLook = `GREATEST(due_at_ms, ${dialect.now}) + ?`;
    const set = `state = 'indexed', epoch = ?, moved = 0, attempts = 0, look_at_ms = ${nextLook}`;
    let marked = 0;
    for (const group of groupBy(rows, ({ version, epoch }) => `${version}|${epoch}`)) {
      const [{ version, epoch }] = group;
      marked += await this.update(
        group.map(({ row }) => row),
        {
          set,
          parameters: [epoch, options.sweepAfterMs],
          where: `state = 'staged' AND version = ${version}`,
        },
      );
    }
    return marked;
  }

  end(rows: readonly string[], state: 'done' | 'dead' | 'cancelled'): Promise<number> {
    const set = `state = '${state}', ended_at_ms = ${this.context.dialect.now}, look_at_ms = NULL`;
    return this.update(rows, { set, parameters: [], where: `state IN ('staged', 'indexed')` });
  }

  async revive(rows: readonly string[]): Promise<void> {
    const { dialect, options } = this.context;
    const set = `state = 'indexed', ended_at_ms = NULL, attempts = 0, look_at_ms = ${dialect.now} + ?`;
    await this.update(rows, { set, parameters: [options.sweepAfterMs], where: `state = 'dead'` });
  }

  async markRemoved(rows: readonly string[]): Promise<void> {
    await this.update(rows, { set: 'look_at_ms = NULL', parameters: [], where: `state = 'cancelled'` });
  }

  async postpone(rows: readonly PostponedRow[]): Promise<void> {
    await this.setNextLook(rows, 'look_at_ms IS NOT NULL', '');
  }

  async lookAgain(rows: readonly PostponedRow[]): Promise<void> {
    await this.setNextLook(rows, `state = 'indexed'`, ', attempts = 0');
  }

  private async setNextLook(rows: readonly PostponedRow[], where: string, alsoSet: string): Promise<void> {
    for (const group of groupBy(rows, ({ delayMs }) => Math.round(delayMs))) {
      const set = `look_at_ms = ${this.context.dialect.now} + ?${alsoSet}`;
      await this.update(
        group.map(({ row }) => row),
        { set, parameters: [Math.round(group[0].delayMs)], where },
      );
    }
  }

  private async update(
    rows: readonly string[],
    { set, parameters, where }: { set: string; parameters: readonly unknown[]; where: string },
  ): Promise<number> {
    if (rows.length === 0) return 0;
    const { session, dialect, tables } = this.context;
    const sql = `UPDATE ${tables.tasks} SET ${set} WHERE ${isOneOf(rows)} AND ${where}`;
    return session.execute(dialect.sql(sql), [...parameters, ...rows]);
  }
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => unknown): readonly [Item, ...Item[]][] {
  const groups = new Map<unknown, [Item, ...Item[]]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return [...groups.values()];
}
