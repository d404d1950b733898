import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ShopConfig } from '../../../apps/order-app/src/config/shop-config.js';

const PROGRAM = join(import.meta.dirname, 'postgres-server.ts');
const TS_LOADER = join(import.meta.dirname, '../../support/ts-loader.mjs');

/**
 * The database of a test: the server of `TEST_DATABASE_URL`, or an embedded one in a process of its own.
 *
 * Inside the process of the tests it would take 700 MB, which jest keeps for the files that follow.
 */
export class TestDatabase {
  private constructor(
    /** What a shop needs to know. */
    readonly settings: Pick<ShopConfig, 'databaseUrl' | 'databasePoolSize'>,
    private readonly server: ChildProcess | null,
  ) {}

  static async open(): Promise<TestDatabase> {
    const url = process.env['TEST_DATABASE_URL'];
    if (url !== undefined && url !== '') return new TestDatabase({ databaseUrl: url, databasePoolSize: 10 }, null);
    const server = fork(PROGRAM, { execArgv: ['--import', TS_LOADER] });
    const port = await portOf(server);
    const databaseUrl = `postgres://postgres@127.0.0.1:${port}/postgres`;
    // An embedded server is one session: several connections would mix their queries.
    return new TestDatabase({ databaseUrl, databasePoolSize: 1 }, server);
  }

  async close(): Promise<void> {
    const { server } = this;
    if (server === null || server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, 'exit');
    server.kill('SIGKILL');
    await exited;
  }
}

async function portOf(server: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('message', (port) => resolve(Number(port)));
    server.once('error', reject);
    server.once('exit', (code) => reject(new Error(`The embedded database ended with ${code} before it was ready.`)));
  });
}
