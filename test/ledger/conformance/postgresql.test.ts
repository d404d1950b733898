import { PostgresServer } from '../../support/postgres-server.js';
import { openPgDatabase, openRawCallDatabase } from '../support/pg-database.js';
import { openTypeOrmPostgres } from '../support/typeorm-database.js';
import { describeTaskLedgers } from './describe-task-ledger.js';

describeTaskLedgers('PostgreSQL', () => PostgresServer.shared(), {
  pg: openPgDatabase,
  TypeORM: openTypeOrmPostgres,
  'raw calls': openRawCallDatabase,
});
