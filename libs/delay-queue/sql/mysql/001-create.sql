-- The tables of the ledger of nestjs-delay-queue on MySQL, version 1: what SqlLedger.migrate() runs.
-- Running it again changes nothing.

CREATE TABLE IF NOT EXISTS delay_queue_migrations (
  version    integer NOT NULL PRIMARY KEY,
  applied_at timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS delay_queue_tasks (
  row_id        varchar(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
  queue         varchar(100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  type          varchar(100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  partition_no  integer NOT NULL,
  task_id       varbinary(512) NOT NULL,
  state         varchar(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL CHECK (state IN ('staged', 'indexed', 'done', 'dead', 'cancelled')),
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
  UNIQUE KEY delay_queue_tasks_by_id (queue, type, task_id, open_key),
  KEY delay_queue_tasks_to_look_at (queue, state, look_at_ms),
  KEY delay_queue_tasks_indexed (queue, type, partition_no, state, epoch, due_at_ms),
  KEY delay_queue_tasks_ended (queue, state, ended_at_ms)
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS delay_queue_epochs (
  queue        varchar(100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  type         varchar(100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  partition_no integer NOT NULL,
  epoch        bigint NOT NULL,
  rebuilding   smallint NOT NULL DEFAULT 0,
  lost_at_ms   bigint,
  PRIMARY KEY (queue, type, partition_no)
) ENGINE = InnoDB;

INSERT INTO delay_queue_migrations (version) VALUES (1) ON DUPLICATE KEY UPDATE version = 1;
