import { PostgresServer } from '../../support/postgres-server.js';
import { openPgDatabase } from '../support/pg-database.js';
import { openPrismaPostgres } from '../support/prisma-database.js';
import { openTypeOrmPostgres } from '../support/typeorm-database.js';
import { describeTaskLedgers } from './describe-task-ledger.js';

describeTaskLedgers('PostgreSQL', () => PostgresServer.shared(), {
  pg: openPgDatabase,
  TypeORM: openTypeOrmPostgres,
  Prisma: openPrismaPostgres,
});
