-- The tables of the ledger of nestjs-delay-queue on PostgreSQL, version 1: what SqlLedger.migrate() runs.
-- Running it again changes nothing.

DO $ledger$
BEGIN
  PERFORM pg_advisory_xact_lock(5308124067719);
  CREATE TABLE IF NOT EXISTS delay_queue_migrations (
    version    integer PRIMARY KEY,
    applied_at timestamptz NOT NULL DEFAULT now()
  );
  IF EXISTS (SELECT 1 FROM delay_queue_migrations WHERE version = 1) THEN
    RETURN;
  END IF;
  -- Times are milliseconds since 1970 by this database's clock.
  CREATE TABLE delay_queue_tasks (
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
  CREATE UNIQUE INDEX delay_queue_tasks_by_id ON delay_queue_tasks (queue, type, task_id, open_key);
  CREATE INDEX delay_queue_tasks_to_look_at ON delay_queue_tasks (queue, state, look_at_ms) WHERE look_at_ms IS NOT NULL;
  CREATE INDEX delay_queue_tasks_indexed ON delay_queue_tasks (queue, type, partition_no, epoch DESC, due_at_ms)
    WHERE state = 'indexed';
  CREATE INDEX delay_queue_tasks_ended ON delay_queue_tasks (queue, state, ended_at_ms) WHERE ended_at_ms IS NOT NULL;
  CREATE TABLE delay_queue_epochs (
    queue        text COLLATE "C" NOT NULL,
    type         text COLLATE "C" NOT NULL,
    partition_no integer NOT NULL,
    epoch        bigint NOT NULL,
    rebuilding   smallint NOT NULL DEFAULT 0,
    lost_at_ms   bigint,
    PRIMARY KEY (queue, type, partition_no)
  );
  INSERT INTO delay_queue_migrations (version) VALUES (1);
END
$ledger$;
