import { describe, it } from '@jest/globals';
import { MariaDbServer } from '../../support/mariadb-server.js';
import { openMariaDbDatabase, openMysql2Database } from '../support/mysql-database.js';
import { openTypeOrmMysql } from '../support/typeorm-database.js';
import { describeTaskLedgers } from './describe-task-ledger.js';

if (MariaDbServer.isAvailable) {
  const start = async () => {
    const server = await MariaDbServer.start();
    return { url: server.url, release: () => server.stop() };
  };
  describeTaskLedgers('MariaDB', start, {
    mysql2: openMysql2Database,
    mariadb: openMariaDbDatabase,
    TypeORM: openTypeOrmMysql,
  });
} else {
  describe('MariaDB', () => {
    it.todo('skipped: no MariaDB 10.6 or MySQL 8 was found on this machine');
  });
}
