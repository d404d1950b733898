import { join } from 'node:path';
import mysql from 'mysql2/promise';
import { ServerProcess, type ServerRecipe } from './server-process.js';

/** A real MariaDB or MySQL for tests; its program is `MARIADB_SERVER_BIN`. */
export class MariaDbServer {
  /** There is a server on this machine; where there is none, its tests are skipped. */
  static readonly isAvailable = (process.env['MARIADB_SERVER_BIN'] ?? '') !== '';

  private constructor(private readonly process: ServerProcess) {}

  static async start(): Promise<MariaDbServer> {
    return new MariaDbServer(await ServerProcess.start(recipe()));
  }

  get url(): string {
    return `mysql://root@127.0.0.1:${this.process.port}/test`;
  }

  async stop(): Promise<void> {
    await this.process.stop();
  }
}

function recipe(): ServerRecipe {
  const server = process.env['MARIADB_SERVER_BIN'] ?? '';
  const setup = process.env['MARIADB_SETUP_BIN'] ?? '';
  return {
    name: 'mariadb',
    users: ['mysql', 'nobody'],
    setup: (folder) =>
      setup === ''
        ? [server, '--no-defaults', '--initialize-insecure', `--datadir=${join(folder, 'data')}`]
        : [setup, '--no-defaults', `--datadir=${join(folder, 'data')}`, '--auth-root-authentication-method=normal'],
    serve: (folder, port) => [
      server,
      '--no-defaults',
      `--datadir=${join(folder, 'data')}`,
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      `--socket=${join(folder, 'server.sock')}`,
      `--pid-file=${join(folder, 'server.pid')}`,
      '--innodb-flush-log-at-trx-commit=0',
      '--skip-log-bin',
    ],
    answers,
  };
}

async function answers(port: number): Promise<boolean> {
  try {
    const connection = await mysql.createConnection({ host: '127.0.0.1', port, user: 'root' });
    await connection.query('CREATE DATABASE IF NOT EXISTS test');
    await connection.end();
    return true;
  } catch {
    return false;
  }
}
