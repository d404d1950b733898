import type { DueTime } from '../ports/mutation.js';
import type { ChangedRow, LedgerState, NewLedgerTask, StageResult, TaskKey } from '../ports/task-ledger.js';
import type { SqlRunner } from './sql-runner.js';
import type { LedgerContext } from './sql-task-ledger.js';

/** Another transaction may free the id between two statements; so often the insert is tried. */
const STAGE_ATTEMPTS = 3;

/** Statements that change one task by its id, mostly in a transaction of the application. */
export class TaskWrites {
  constructor(private readonly context: LedgerContext) {}

  async stage(runner: SqlRunner, task: NewLedgerTask): Promise<StageResult> {
    if (task.onDuplicate === 'replace') await this.cancel(runner, task);
    for (let attempt = 1; ; attempt++) {
      const done = await this.findDoneWithinWindow(runner, task);
      if (done !== null) return done;
      const dueAtMs = await this.insert(runner, task);
      if (dueAtMs !== null) return { status: 'staged', row: task.row, state: 'staged', dueAtMs };
      const other = await this.findOpen(runner, task);
      if (other !== null) return { status: 'duplicate', ...other };
      if (attempt === STAGE_ATTEMPTS) throw new Error(`The id '${task.id}' was taken and freed ${attempt} times.`);
    }
  }

  cancel(runner: SqlRunner, task: TaskKey): Promise<ChangedRow | null> {
    return this.cancelIn(runner, task, ['staged', 'indexed', 'dead']);
  }

  async reschedule(runner: SqlRunner, task: TaskKey, due: DueTime): Promise<ChangedRow | null> {
    const { now } = this.context.dialect;
    const set =
      `state = 'staged', moved = 1, version = version + 1, attempts = 0, ` +
      `due_at_ms = ${this.dueExpression(due)}, look_at_ms = ${now} + ?`;
    const parameters = [dueParameter(due), this.context.options.relayAfterMs];
    return this.change(runner, task, { states: ['staged', 'indexed'], set, parameters });
  }

  async retime(runner: SqlRunner, task: TaskKey, due: DueTime): Promise<ChangedRow | null> {
    const expression = this.dueExpression(due);
    const set = `due_at_ms = ${expression}, look_at_ms = ${expression} + ?`;
    const parameters = [dueParameter(due), dueParameter(due), this.context.options.sweepAfterMs];
    const indexed = await this.change(runner, task, { states: ['indexed'], set, parameters });
    return indexed === null ? this.reschedule(runner, task, due) : null;
  }

  async purge(runner: SqlRunner, task: TaskKey): Promise<boolean> {
    return (await this.cancelIn(runner, task, ['dead'])) !== null;
  }

  async complete(runner: SqlRunner, row: string): Promise<'completed' | LedgerState | 'missing'> {
    const { dialect, tables } = this.context;
    const ended = await runner.execute(
      dialect.sql(
        `UPDATE ${tables.tasks} SET state = 'done', ended_at_ms = ${dialect.now}, look_at_ms = NULL ` +
          `WHERE row_id = ? AND state IN ('staged', 'indexed')`,
      ),
      [row],
    );
    if (ended > 0) return 'completed';
    const sql = `SELECT state FROM ${tables.tasks} WHERE row_id = ? ${dialect.forUpdate}`;
    const [found] = await runner.rows(dialect.sql(sql), [row]);
    return found === undefined ? 'missing' : (String(found['state']) as LedgerState);
  }

  private cancelIn(runner: SqlRunner, task: TaskKey, states: readonly LedgerState[]): Promise<ChangedRow | null> {
    const { now } = this.context.dialect;
    const set = `state = 'cancelled', version = version + 1, ended_at_ms = ${now}, look_at_ms = ${now} + ?`;
    return this.change(runner, task, { states, set, parameters: [this.context.options.relayAfterMs] });
  }

  private insert(runner: SqlRunner, task: NewLedgerTask): Promise<number | null> {
    const { dialect, tables, options } = this.context;
    const { row, type, partition, id, envelope, due, onDuplicate } = task;
    const given = [
      ['row_id', row],
      ['queue', options.queue],
      ['type', type],
      ['partition_no', partition],
      ['task_id', dialect.writeId(id)],
      ['replaces', onDuplicate === 'replace' ? 1 : 0],
      ['envelope', envelope],
    ] as const;
    return dialect.insertTask(runner, {
      table: tables.tasks,
      row,
      columns: [...given.map(([column]) => column), 'state', 'created_at_ms', 'due_at_ms', 'look_at_ms'],
      values: [...given.map(() => '?'), `'staged'`, dialect.now, this.dueExpression(due), `${dialect.now} + ?`],
      parameters: [...given.map(([, value]) => value), dueParameter(due), options.relayAfterMs],
    });
  }

  private async findOpen(runner: SqlRunner, { type, id }: TaskKey): Promise<Omit<StageResult, 'status'> | null> {
    const { dialect, tables, options } = this.context;
    const [found] = await runner.rows(
      dialect.sql(
        `SELECT row_id, state, due_at_ms FROM ${tables.tasks} ` +
          `WHERE queue = ? AND type = ? AND task_id = ? AND open_key = 1 ${dialect.forUpdate}`,
      ),
      [options.queue, type, dialect.writeId(id)],
    );
    if (found === undefined) return null;
    const state = String(found['state']) as LedgerState;
    return { row: String(found['row_id']), state, dueAtMs: Number(found['due_at_ms']) };
  }

  private async findDoneWithinWindow(runner: SqlRunner, task: NewLedgerTask): Promise<StageResult | null> {
    if (task.dedupeForMs === 0) return null;
    const { dialect, tables, options } = this.context;
    const [found] = await runner.rows(
      dialect.sql(
        `SELECT row_id, due_at_ms FROM ${tables.tasks} WHERE queue = ? AND type = ? AND task_id = ? ` +
          `AND state = 'done' AND ended_at_ms > ${dialect.now} - ? ORDER BY ended_at_ms DESC LIMIT 1`,
      ),
      [options.queue, task.type, dialect.writeId(task.id), task.dedupeForMs],
    );
    if (found === undefined) return null;
    return { status: 'duplicate', row: String(found['row_id']), state: 'done', dueAtMs: Number(found['due_at_ms']) };
  }

  /** Outside of a transaction another change may come between the two statements: then nothing is changed here. */
  private async change(
    runner: SqlRunner,
    task: TaskKey,
    { states, set, parameters }: { states: readonly LedgerState[]; set: string; parameters: readonly unknown[] },
  ): Promise<ChangedRow | null> {
    const { dialect, tables } = this.context;
    const open = await this.findOpen(runner, task);
    if (open === null || !states.includes(open.state)) return null;
    const sql = `UPDATE ${tables.tasks} SET ${set} WHERE row_id = ? AND state = ?`;
    const changed = await runner.execute(dialect.sql(sql), [...parameters, open.row, open.state]);
    if (changed === 0) return null;
    const select = `SELECT version, due_at_ms FROM ${tables.tasks} WHERE row_id = ?`;
    const [now] = await runner.rows(dialect.sql(select), [open.row]);
    return { row: open.row, version: Number(now?.['version']), dueAtMs: Number(now?.['due_at_ms']) };
  }

  /** One that has passed counts as now. */
  private dueExpression(due: DueTime): string {
    const { now } = this.context.dialect;
    return 'delayMs' in due ? `${now} + ?` : `GREATEST(${now}, ?)`;
  }
}

function dueParameter(due: DueTime): number {
  return 'delayMs' in due ? due.delayMs : due.atMs;
}
