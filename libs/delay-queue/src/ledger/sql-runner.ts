import { InvalidArgumentError } from '../core/errors.js';
import type { LedgerConnection, QueryingConnection, RawCallingConnection } from '../task/ledger-connection.js';

/** One row of an answer, by column. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** Runs statements on a connection of any library, and understands its answers. */
export interface SqlRunner {
  /** Runs a statement that answers rows. */
  rows(sql: string, parameters: readonly unknown[]): Promise<readonly SqlRow[]>;
  /** Runs a statement that changes rows, and answers how many. */
  execute(sql: string, parameters: readonly unknown[]): Promise<number>;
}

/**
 * Finds out by its shape how a connection is used.
 *
 * @param field names the argument, for the error.
 * @throws InvalidArgumentError when it has neither `query` nor Prisma's raw calls.
 */
export function sqlRunnerOf(connection: LedgerConnection, field: string): SqlRunner {
  if (isRawCalling(connection)) return new RawCallRunner(connection);
  if (isQuerying(connection)) return new QueryRunner(connection, field);
  const shown = connection === null ? 'null' : typeof connection;
  throw new InvalidArgumentError(
    field,
    `must be a connection or a transaction with query(sql, parameters), or a client of Prisma, got ${shown}`,
  );
}

function isRawCalling(connection: unknown): connection is RawCallingConnection {
  const candidate = connection as Partial<RawCallingConnection> | null | undefined;
  return typeof candidate?.$queryRawUnsafe === 'function' && typeof candidate.$executeRawUnsafe === 'function';
}

function isQuerying(connection: unknown): connection is QueryingConnection {
  return typeof (connection as Partial<QueryingConnection> | null | undefined)?.query === 'function';
}

/** Prisma. */
class RawCallRunner implements SqlRunner {
  constructor(private readonly connection: RawCallingConnection) {}

  async rows(sql: string, parameters: readonly unknown[]): Promise<readonly SqlRow[]> {
    return (await this.connection.$queryRawUnsafe(sql, ...parameters)) as SqlRow[];
  }

  async execute(sql: string, parameters: readonly unknown[]): Promise<number> {
    return this.connection.$executeRawUnsafe(sql, ...parameters);
  }
}

/** Everything with `query`; what it answers differs from library to library. */
class QueryRunner implements SqlRunner {
  constructor(
    private readonly connection: QueryingConnection,
    private readonly field: string,
  ) {}

  async rows(sql: string, parameters: readonly unknown[]): Promise<readonly SqlRow[]> {
    return rowsOf(await this.query(sql, parameters)) ?? this.misunderstood();
  }

  async execute(sql: string, parameters: readonly unknown[]): Promise<number> {
    return affectedBy(await this.query(sql, parameters)) ?? this.misunderstood();
  }

  private async query(sql: string, parameters: readonly unknown[]): Promise<unknown> {
    // Without parameters none are given: a statement with some is prepared, which not every statement can be.
    const answer: unknown =
      parameters.length === 0 ? this.connection.query(sql) : this.connection.query(sql, [...parameters]);
    if (typeof (answer as Partial<PromiseLike<unknown>> | null)?.then !== 'function') {
      throw new InvalidArgumentError(
        this.field,
        'has a query() that returns no promise: use the promise API of its library',
      );
    }
    return answer;
  }

  private misunderstood(): never {
    throw new InvalidArgumentError(
      this.field,
      'has a query() whose answers are those of no library that is known here',
    );
  }
}

/** `pg` answers `{ rows }`, `mysql2` `[rows, fields]`, TypeORM the rows alone, or `[rows, count]` for a change. */
function rowsOf(answer: unknown): readonly SqlRow[] | undefined {
  if (!Array.isArray(answer)) return (answer as { readonly rows?: readonly SqlRow[] } | null)?.rows;
  return (Array.isArray(answer[0]) ? answer[0] : answer) as readonly SqlRow[];
}

/** `pg` answers `{ rowCount }`, `mysql2` `[{ affectedRows }, fields]`, TypeORM `[rows, count]`, or `{ affectedRows }`. */
function affectedBy(answer: unknown): number | undefined {
  if (Array.isArray(answer)) return typeof answer[1] === 'number' ? answer[1] : affectedBy(answer[0] ?? null);
  if (typeof answer !== 'object' || answer === null) return undefined;
  const { rowCount, affectedRows } = answer as { rowCount?: unknown; affectedRows?: unknown };
  const count = typeof rowCount === 'number' ? rowCount : affectedRows;
  return typeof count === 'number' ? count : undefined;
}
