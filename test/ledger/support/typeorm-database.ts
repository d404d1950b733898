import { DataSource } from 'typeorm';
import type { LedgerDatabase } from './ledger-database.js';

/** PostgreSQL with TypeORM. */
export function openTypeOrmPostgres(url: string): Promise<LedgerDatabase> {
  return open(new DataSource({ type: 'postgres', url, poolSize: 10 }), 'postgresql');
}

/** MariaDB or MySQL with TypeORM. */
export function openTypeOrmMysql(url: string): Promise<LedgerDatabase> {
  return open(new DataSource({ type: 'mysql', url, poolSize: 10 }), 'mysql');
}

async function open(dataSource: DataSource, dialect: LedgerDatabase['dialect']): Promise<LedgerDatabase> {
  await dataSource.initialize();
  return {
    dialect,
    connection: dataSource,
    transaction: (work) => dataSource.transaction((manager) => work(manager)),
    close: () => dataSource.destroy(),
  };
}
