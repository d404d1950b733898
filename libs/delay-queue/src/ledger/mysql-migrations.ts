import type { LedgerMigration } from './ledger-dialect.js';
import type { LedgerTables } from './ledger-tables.js';

/** The history of the tables on MySQL. What has been published is never changed: a change is a new version. */
export function mysqlMigrations(tables: LedgerTables): readonly LedgerMigration[] {
  const { migrations } = tables;
  const note = `INSERT INTO ${migrations} (version) VALUES (1) ON DUPLICATE KEY UPDATE version = 1`;
  return [{ version: 1, name: 'create', statements: [...createTables(tables), note] }];
}

function createTables({ tasks, epochs, migrations, indexPrefix }: LedgerTables): readonly string[] {
  const name = 'varchar(100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL';
  const word = 'CHARACTER SET ascii COLLATE ascii_bin NOT NULL';
  return [
    `CREATE TABLE IF NOT EXISTS ${migrations} (
  version    integer NOT NULL PRIMARY KEY,
  applied_at timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP
) ENGINE = InnoDB`,
    // Times are milliseconds since 1970 by the database's clock. Of the rows of one task id, at most one is not over:
    // null is equal to nothing.
    `CREATE TABLE IF NOT EXISTS ${tasks} (
  row_id        varchar(32) ${word} PRIMARY KEY,
  queue         ${name},
  type          ${name},
  partition_no  integer NOT NULL,
  task_id       varbinary(512) NOT NULL,
  state         varchar(10) ${word} CHECK (state IN ('staged', 'indexed', 'done', 'dead', 'cancelled')),
  open_key      smallint GENERATED ALWAYS AS (CASE WHEN state IN ('staged', 'indexed', 'dead') THEN 1 END) STORED,
  version       integer NOT NULL DEFAULT 0,
  epoch         bigint NOT NULL DEFAULT 0,
  attempts      integer NOT NULL DEFAULT 0,
  replaces      smallint NOT NULL DEFAULT 0,
  moved         smallint NOT NULL DEFAULT 0,
  envelope      mediumtext CHARACTER SET utf8mb4 NOT NULL,
  created_at_ms bigint NOT NULL,
  due_at_ms     bigint NOT NULL,
  look_at_ms    bigint,
  ended_at_ms   bigint,
  UNIQUE KEY ${indexPrefix}tasks_by_id (queue, type, task_id, open_key),
  KEY ${indexPrefix}tasks_to_look_at (queue, state, look_at_ms),
  KEY ${indexPrefix}tasks_indexed (queue, type, partition_no, state, epoch, due_at_ms),
  KEY ${indexPrefix}tasks_ended (queue, state, ended_at_ms)
) ENGINE = InnoDB`,
    `CREATE TABLE IF NOT EXISTS ${epochs} (
  queue        ${name},
  type         ${name},
  partition_no integer NOT NULL,
  epoch        bigint NOT NULL,
  rebuilding   smallint NOT NULL DEFAULT 0,
  lost_at_ms   bigint,
  PRIMARY KEY (queue, type, partition_no)
) ENGINE = InnoDB`,
  ];
}
