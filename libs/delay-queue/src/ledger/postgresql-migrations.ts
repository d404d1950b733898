import type { LedgerMigration } from './ledger-dialect.js';
import type { LedgerTables } from './ledger-tables.js';

/** Number of the advisory lock under which migrations are run: the first bytes of a hash of `delay-queue-ledger`. */
const LOCK = '5308124067719';

/** The history of the tables on PostgreSQL. What has been published is never changed: a change is a new version. */
export function postgresqlMigrations(tables: LedgerTables): readonly LedgerMigration[] {
  return [{ version: 1, name: 'create', statements: [block(tables, 1, createTables(tables))] }];
}

/** One statement for every connection, also for one that prepares its statements, and one transaction. */
function block({ migrations }: LedgerTables, version: number, body: string): string {
  return `DO $ledger$
BEGIN
  PERFORM pg_advisory_xact_lock(${LOCK});
  CREATE TABLE IF NOT EXISTS ${migrations} (
    version    integer PRIMARY KEY,
    applied_at timestamptz NOT NULL DEFAULT now()
  );
  IF EXISTS (SELECT 1 FROM ${migrations} WHERE version = ${version}) THEN
    RETURN;
  END IF;
${body}
  INSERT INTO ${migrations} (version) VALUES (${version});
END
$ledger$`;
}

function createTables({ tasks, epochs, indexPrefix }: LedgerTables): string {
  return `  -- Times are milliseconds since 1970 by this database's clock.
  CREATE TABLE ${tasks} (
    row_id        text COLLATE "C" PRIMARY KEY,
    queue         text COLLATE "C" NOT NULL,
    type          text COLLATE "C" NOT NULL,
    partition_no  integer NOT NULL,
    task_id       text COLLATE "C" NOT NULL,
    state         text COLLATE "C" NOT NULL CHECK (state IN ('staged', 'indexed', 'done', 'dead', 'cancelled')),
    -- Of the rows of one task id, at most one is not over: null is equal to nothing.
    open_key      smallint GENERATED ALWAYS AS (CASE WHEN state IN ('staged', 'indexed', 'dead') THEN 1 END) STORED,
    version       integer NOT NULL DEFAULT 0,
    epoch         bigint NOT NULL DEFAULT 0,
    attempts      integer NOT NULL DEFAULT 0,
    replaces      smallint NOT NULL DEFAULT 0,
    moved         smallint NOT NULL DEFAULT 0,
    envelope      text NOT NULL,
    created_at_ms bigint NOT NULL,
    due_at_ms     bigint NOT NULL,
    look_at_ms    bigint,
    ended_at_ms   bigint
  );
  CREATE UNIQUE INDEX ${indexPrefix}tasks_by_id ON ${tasks} (queue, type, task_id, open_key);
  CREATE INDEX ${indexPrefix}tasks_to_look_at ON ${tasks} (queue, state, look_at_ms) WHERE look_at_ms IS NOT NULL;
  CREATE INDEX ${indexPrefix}tasks_indexed ON ${tasks} (queue, type, partition_no, epoch DESC, due_at_ms)
    WHERE state = 'indexed';
  CREATE INDEX ${indexPrefix}tasks_ended ON ${tasks} (queue, state, ended_at_ms) WHERE ended_at_ms IS NOT NULL;
  CREATE TABLE ${epochs} (
    queue        text COLLATE "C" NOT NULL,
    type         text COLLATE "C" NOT NULL,
    partition_no integer NOT NULL,
    epoch        bigint NOT NULL,
    rebuilding   smallint NOT NULL DEFAULT 0,
    lost_at_ms   bigint,
    PRIMARY KEY (queue, type, partition_no)
  );`;
}
