import { DataSource, type DataSourceOptions } from 'typeorm';
import { EmbeddedPostgres } from './embedded-postgres.js';

/** Options of a TypeORM data source on PostgreSQL. */
export type PostgresOptions = Extract<DataSourceOptions, { type: 'postgres' }>;

/** A data source that brings its own database server, which lives exactly as long as it does. */
export class EmbeddedDataSource extends DataSource {
  private constructor(
    options: PostgresOptions,
    private readonly server: EmbeddedPostgres,
  ) {
    super(options);
  }

  /** Starts the server and connects to it. */
  static async open(options: PostgresOptions): Promise<EmbeddedDataSource> {
    const server = await EmbeddedPostgres.start();
    const dataSource = new EmbeddedDataSource(
      {
        ...options,
        host: '127.0.0.1',
        port: server.port,
        username: 'postgres',
        database: 'postgres',
        // See EmbeddedPostgres: more than one connection would mix their queries.
        poolSize: 1,
      },
      server,
    );
    try {
      await dataSource.initialize();
    } catch (error) {
      await server.stop();
      throw error;
    }
    return dataSource;
  }

  override async destroy(): Promise<void> {
    try {
      await super.destroy();
    } finally {
      await this.server.stop();
    }
  }
}
