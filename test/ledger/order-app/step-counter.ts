import { appendFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import pg from 'pg';

/** Statements of the regular looks at the ledger, which are no steps of what is tested. */
const REGULAR = /^(WITH picked|DELETE)|FROM delay_queue_(epochs WHERE|migrations)/;

/**
 * Counts what a process says to its database and to Redis about its orders, and kills it before one of these steps.
 *
 * A step is counted before it is taken, so what was said before it has been answered, unless others were under way.
 */
export class StepCounter {
  private dieBefore = Number.POSITIVE_INFINITY;
  private steps = 0;
  private counting = false;

  constructor(private readonly traceFile: string) {
    this.watchDatabase();
    this.watchRedis();
  }

  /** Begins to count; the process dies before the step with this number. */
  begin(dieBefore: number): void {
    this.dieBefore = dieBefore;
    this.steps = 0;
    this.counting = true;
  }

  private step(label: string): void {
    if (!this.counting) return;
    const isLast = this.steps++ === this.dieBefore;
    appendFileSync(this.traceFile, `${isLast ? 'killed before ' : ''}${label}\n`);
    if (isLast) process.kill(process.pid, 'SIGKILL');
  }

  private watchDatabase(): void {
    const step = (sql: string): void => this.step(labelOf(sql));
    const prototype = pg.Client.prototype as { query: (this: pg.Client, ...args: unknown[]) => unknown };
    const { query } = prototype;
    prototype.query = function (...args) {
      const sql = typeof args[0] === 'string' ? args[0] : ((args[0] as { text?: string } | undefined)?.text ?? '');
      if (sql !== '' && !REGULAR.test(sql)) step(sql);
      return query.apply(this, args);
    };
  }

  private watchRedis(): void {
    const step = (label: string): void => this.step(label);
    const prototype = Redis.prototype as { sendCommand: (this: Redis, ...args: unknown[]) => unknown };
    const { sendCommand } = prototype;
    prototype.sendCommand = function (...args) {
      const command = args[0] as { readonly name: string; readonly args: readonly unknown[] };
      // The ids of a call's tasks are one argument, as JSON.
      if (command.args.some((argument) => String(argument).includes('"order:'))) step('redis');
      return sendCommand.apply(this, args);
    };
  }
}

/** The beginning of a statement, and its table: enough to tell the steps apart. */
function labelOf(sql: string): string {
  const [verb = ''] = sql.trim().split(/\s+/);
  const tables = [...sql.matchAll(/(?:FROM|UPDATE|INTO) (?!statement_timestamp)"?(\w+)"?/g)];
  // What stands before it is in a subquery.
  const table = tables.at(-1)?.[1] ?? '';
  const set = /SET state = '(\w+)'/.exec(sql)?.[1] ?? '';
  return [verb.toUpperCase(), table, set].filter((word) => word !== '').join(' ');
}
