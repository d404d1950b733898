import { ConfigurationError, InvalidArgumentError } from '../core/errors.js';
import type { LedgerBackend, LedgerOpenOptions, TaskLedger } from '../ports/task-ledger.js';
import type { LedgerConnection } from '../task/ledger-connection.js';
import type { LedgerDialect } from './ledger-dialect.js';
import { type LedgerTables, ledgerTables } from './ledger-tables.js';
import { mysqlDialect } from './mysql-dialect.js';
import { OwnCalls } from './own-calls.js';
import { postgresqlDialect } from './postgresql-dialect.js';
import { type SqlSession, sqlSessionOf } from './sql-session.js';
import { SqlTaskLedger } from './sql-task-ledger.js';

/** Options of a {@link SqlLedger}. */
export interface SqlLedgerOptions {
  /** `mysql` means MySQL from 8.0 on and MariaDB from 10.6 on, `postgresql` PostgreSQL from 12 on. */
  readonly dialect: 'postgresql' | 'mysql';
  /**
   * The ledger's own way to the database, of which it uses a few connections at most: a pool of `pg`, `mysql2/promise` or
   * `mariadb`, a `DataSource` of TypeORM, a client of Prisma. It is not closed.
   */
  readonly connection: LedgerConnection;
  /** Begins the names of the tables; a schema may stand before it, with a dot. @default 'delay_queue_' */
  readonly tablePrefix?: string;
}

const DIALECTS: Readonly<Record<SqlLedgerOptions['dialect'], LedgerDialect>> = {
  postgresql: postgresqlDialect,
  mysql: mysqlDialect,
};

/** Migrations may have to wait for those of another process. */
const MIGRATE_TIMEOUT_MS = 120_000;

/**
 * Keeps ledgers in a database of the application, next to the data that its transactions change.
 *
 * @example
 * const ledger = new SqlLedger({ dialect: 'postgresql', connection: dataSource });
 * await ledger.migrate();
 */
export class SqlLedger implements LedgerBackend {
  private readonly session: SqlSession;
  private readonly dialect: LedgerDialect;
  private readonly tables: LedgerTables;

  /** @throws ConfigurationError naming the option. */
  constructor({ dialect, connection, tablePrefix }: SqlLedgerOptions) {
    if (!Object.hasOwn(DIALECTS, dialect)) {
      throw new ConfigurationError('ledger.dialect', `must be 'postgresql' or 'mysql', got ${String(dialect)}`);
    }
    this.dialect = DIALECTS[dialect];
    this.tables = ledgerTables(tablePrefix);
    this.session = openSession(connection);
  }

  migrate(): Promise<void> {
    return new OwnCalls(MIGRATE_TIMEOUT_MS).make(() => this.dialect.migrate(this.session, this.tables));
  }

  open(options: LedgerOpenOptions): TaskLedger {
    const { session, dialect, tables } = this;
    return new SqlTaskLedger({ session, dialect, tables, options });
  }
}

function openSession(connection: LedgerConnection): SqlSession {
  try {
    return sqlSessionOf(connection);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw new ConfigurationError(`ledger.${error.field}`, error.message.slice(`${error.field}: `.length));
  }
}
