import { type ChildProcess, execFile, spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { findPostgres } from '../../../scripts/sql-servers.mjs';
import { exitOf, freePort, startWatchdog } from '../server-tools.js';

const run = promisify(execFile);

const START_MS = 30_000;

/** A PostgreSQL of one measurement, on a free port, with the server's own settings: what it commits is on the disk. */
export class PostgresServer {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
    private readonly watchdog: ChildProcess,
  ) {}

  /**
   * Makes a server and waits until it answers.
   *
   * @throws when no PostgreSQL is installed.
   */
  static async start(): Promise<PostgresServer> {
    const programs = await programFolder();
    const folder = await mkdtemp(join(tmpdir(), 'delay-queue-bench-'));
    const identity = await identityFor(folder);
    const data = join(folder, 'data');
    const setup = [`--pgdata=${data}`, '--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C'];
    await run(join(programs, 'initdb'), setup, { cwd: folder, ...identity });
    const port = String(await freePort());
    const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories='].flatMap((each) => ['-c', each]);
    const options: SpawnOptions = { cwd: folder, stdio: 'ignore', ...identity };
    const child = spawn(join(programs, 'postgres'), ['-D', data, '-p', port, ...settings], options);
    await once(child, 'spawn');
    const watchdog = startWatchdog(child.pid, folder);
    const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
    await untilItAnswers(url);
    return new PostgresServer(url, child, watchdog);
  }

  /** Ends the server; its folder goes with it. */
  async stop(): Promise<void> {
    const exited = Promise.all([exitOf(this.child), exitOf(this.watchdog)]);
    // At once, and with all its processes.
    this.child.kill('SIGQUIT');
    await exitOf(this.child);
    this.watchdog.stdin?.end();
    await exited;
  }
}

/** The version of the PostgreSQL that is started. */
export async function postgresVersion(): Promise<string> {
  return (await findPostgres())?.version ?? 'none';
}

async function programFolder(): Promise<string> {
  const found = await findPostgres();
  if (found !== undefined) return found.folder;
  throw new Error('there is no PostgreSQL; `node scripts/provide-databases.mjs` installs one, or says how');
}

/** PostgreSQL refuses to be run by root. */
async function identityFor(folder: string): Promise<Pick<SpawnOptions, 'uid' | 'gid'>> {
  if (process.getuid?.() !== 0) return {};
  const entries = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  const found = ['postgres', 'nobody'].map((user) => entries.find(([name]) => name === user)).find(Boolean);
  if (found === undefined) throw new Error('neither the user postgres nor nobody is there to run the server');
  const [uid, gid] = [Number(found[2]), Number(found[3])];
  await chown(folder, uid, gid);
  return { uid, gid };
}

async function untilItAnswers(url: string): Promise<void> {
  const endMs = performance.now() + START_MS;
  for (;;) {
    const client = new pg.Client(url);
    try {
      await client.connect();
      await client.query('SELECT 1');
      return;
    } catch (error) {
      if (performance.now() > endMs) throw error;
      await sleep(50);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}
