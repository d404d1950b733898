import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { exitOf, freePort, startWatchdog } from '../server-tools.js';

const BINARY = process.env['REDIS_SERVER_BIN'] ?? 'redis-server';

/** A redis-server of one measurement, on a free port, without persistence. */
export class RedisServer {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
    private readonly watchdog: ChildProcess,
  ) {}

  /** Starts a server and waits until it answers. */
  static async start(): Promise<RedisServer> {
    const folder = await mkdtemp(join(tmpdir(), 'delay-queue-bench-'));
    const port = String(await freePort());
    const storage = ['--dir', folder, '--save', '', '--appendonly', 'no'];
    const child = spawn(BINARY, ['--port', port, '--bind', '127.0.0.1', ...storage], { stdio: 'ignore' });
    await once(child, 'spawn');
    const watchdog = startWatchdog(child.pid, folder);
    const url = `redis://127.0.0.1:${port}`;
    await Promise.race([untilItAnswers(url), failOnExit(child)]);
    return new RedisServer(url, child, watchdog);
  }

  /** Ends the server; its folder goes with it. */
  async stop(): Promise<void> {
    const exited = Promise.all([exitOf(this.child), exitOf(this.watchdog)]);
    this.child.kill('SIGKILL');
    this.watchdog.stdin?.end();
    await exited;
  }
}

/** The version of the redis-server that is started. */
export async function redisVersion(): Promise<string> {
  const { stdout } = await promisify(execFile)(BINARY, ['--version']);
  return /\bv=(\S+)/.exec(stdout)?.[1] ?? 'unknown';
}

async function failOnExit(child: ChildProcess): Promise<never> {
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  throw new Error(`${BINARY} ended with ${code ?? signal}`);
}

async function untilItAnswers(url: string): Promise<void> {
  // ioredis tries again until the server is there, and waits while it is loading.
  const client = new Redis(url, { retryStrategy: () => 20, maxRetriesPerRequest: 500 });
  // Without a listener it would write every refused try to the console.
  client.on('error', () => {});
  await client.ping();
  client.disconnect();
}
