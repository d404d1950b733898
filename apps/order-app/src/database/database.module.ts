import { Logger, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { type InjectedShopConfig, shopConfig } from '../config/shop-config.js';
import { EmbeddedDataSource, type PostgresOptions } from './embedded-data-source.js';
import { CreateShop } from './migrations/create-shop.js';

/** The connection to PostgreSQL: the server of `DATABASE_URL`, or one inside this process. */
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [shopConfig.KEY],
      useFactory: ({ databaseUrl, databasePoolSize }: InjectedShopConfig) => ({
        type: 'postgres' as const,
        ...(databaseUrl !== null && { url: databaseUrl, poolSize: databasePoolSize }),
        autoLoadEntities: true,
        migrations: [CreateShop],
        migrationsRun: true,
      }),
      dataSourceFactory: openDataSource,
    }),
  ],
})
export class DatabaseModule {}

async function openDataSource(options?: DataSourceOptions): Promise<DataSource> {
  const postgresOptions = options as PostgresOptions;
  if (postgresOptions.url !== undefined) return new DataSource(postgresOptions);
  new Logger('DatabaseModule').log(
    'DATABASE_URL is not set: starting a database in this process; its data are gone when it ends.',
  );
  return EmbeddedDataSource.open(postgresOptions);
}
