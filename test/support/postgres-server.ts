import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import { ServerProcess, type ServerRecipe } from './server-process.js';

/** Settings that make a server quick at the price of its data after a crash of the machine; a kill loses nothing. */
const QUICK = ['fsync=off', 'full_page_writes=off', 'autovacuum=off'];

/** A database that a test file has for itself. */
export interface SharedPostgres {
  readonly url: string;
  /** Removes the database, or ends the server. */
  release(): Promise<void>;
}

/** A real PostgreSQL for tests; its programs are those of `POSTGRES_BIN_DIR`, else of the PATH. */
export class PostgresServer {
  private constructor(private readonly process: ServerProcess) {}

  static async start(): Promise<PostgresServer> {
    return new PostgresServer(await ServerProcess.start(recipe()));
  }

  /** A new database on the server of `TEST_DATABASE_URL`; without that variable a server of one's own. */
  static async shared(): Promise<SharedPostgres> {
    const url = process.env['TEST_DATABASE_URL'];
    if (url !== undefined && url !== '') return newDatabase(url);
    const server = await PostgresServer.start();
    return { url: server.url, release: () => server.stop() };
  }

  get url(): string {
    return urlOf(this.process.port);
  }

  /** Ends the server and removes its folder. */
  async stop(): Promise<void> {
    await this.process.stop();
  }

  /** Ends the server as a crash does; {@link restart} brings it back. */
  async kill(): Promise<void> {
    await this.process.kill();
  }

  async restart(): Promise<void> {
    await this.process.restart();
  }
}

function urlOf(port: number): string {
  return `postgres://postgres@127.0.0.1:${port}/postgres`;
}

function recipe(): ServerRecipe {
  const folder = process.env['POSTGRES_BIN_DIR'] ?? '';
  const settings = [...QUICK, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=200'];
  return {
    name: 'postgresql',
    users: ['postgres', 'nobody'],
    setup: (own) => {
      const options = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
      return [join(folder, 'initdb'), `--pgdata=${join(own, 'data')}`, ...options];
    },
    serve: (own, port) => {
      const program = join(folder, 'postgres');
      return [program, '-D', join(own, 'data'), '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
    },
    answers: async (port) => answers(urlOf(port)),
  };
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client(url);
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function newDatabase(url: string): Promise<SharedPostgres> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await runOn(url, `CREATE DATABASE ${name}`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  return { url: own.href, release: () => runOn(url, `DROP DATABASE ${name} WITH (FORCE)`) };
}

async function runOn(url: string, sql: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
