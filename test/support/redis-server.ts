import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from './free-port.js';
import { waitFor } from './wait-for.js';
import { startWatchdog } from './watchdog.js';

export { freePort } from './free-port.js';

/** Settings of a server that a test starts. */
export interface RedisServerOptions {
  /** Writes an append-only file, so that the data survive a restart and a kill. @default false */
  readonly appendOnly?: boolean;
  /** For example `4mb`; the policy is `noeviction` unless `extraArgs` says otherwise. @default no limit */
  readonly maxMemory?: string;
  /** Password of the default user. @default none */
  readonly requirePass?: string;
  /** Lines of an ACL file, for example `user app on >secret ~* &* +@all`. The default user stays unless named here. */
  readonly aclUsers?: readonly string[];
  /** Runs as a sentinel, which keeps what it learns in a file of the server's folder. @default false */
  readonly sentinel?: boolean;
  /** Further arguments of redis-server, for example `['--cluster-enabled', 'yes']`. */
  readonly extraArgs?: readonly string[];
}

/** A server that several test files may share: each keeps to its own key prefix. */
export interface SharedRedis {
  readonly url: string;
  /** A prefix that no other test uses. */
  readonly prefix: string;
  /** Removes what stands under the prefix and gives the server back. */
  release(): Promise<void>;
}

const START_DEADLINE_MS = 10_000;

/** Ports can be taken between looking for a free one and using it: so often another one is tried. */
const START_ATTEMPTS = 5;

/**
 * A real redis-server for tests: on a free port of 127.0.0.1, with a temporary folder, without snapshots.
 *
 * The program is `REDIS_SERVER_BIN`, else `redis-server` from the PATH. However the test process ends, the server ends
 * with it.
 */
export class RedisServer {
  private child: ChildProcess | undefined;
  private watchdog: ChildProcess | undefined;

  private constructor(
    /** Port on 127.0.0.1. */
    readonly port: number,
    private readonly folder: string,
    private readonly options: RedisServerOptions,
  ) {}

  /** Starts a server and waits until it answers. */
  static async start(options: RedisServerOptions = {}): Promise<RedisServer> {
    for (let attempt = 1; ; attempt++) {
      const folder = await mkdtemp(join(tmpdir(), 'delay-queue-redis-'));
      const server = new RedisServer(await freePort(), folder, options);
      try {
        await server.launch();
        return server;
      } catch (error) {
        const log = await server.log();
        await server.stop();
        if (attempt < START_ATTEMPTS && log.includes('Address already in use')) continue;
        throw new Error(`redis-server did not start: ${log.slice(-2_000)}`, { cause: error });
      }
    }
  }

  /** The server of `TEST_REDIS_URL`, with a prefix of one's own; without that variable a server of one's own. */
  static async shared(): Promise<SharedRedis> {
    const prefix = `test-${randomBytes(6).toString('hex')}`;
    const url = process.env['TEST_REDIS_URL'];
    if (url !== undefined && url !== '') return { url, prefix, release: () => removeKeys(url, prefix) };
    const server = await RedisServer.start();
    return { url: server.url, prefix, release: () => server.stop() };
  }

  /** Address for clients; contains the password when `requirePass` is set. */
  get url(): string {
    const { requirePass } = this.options;
    const login = requirePass === undefined ? '' : `:${encodeURIComponent(requirePass)}@`;
    return `redis://${login}127.0.0.1:${this.port}`;
  }

  /** Process id of the running server. */
  get pid(): number {
    const pid = this.child?.pid;
    if (pid === undefined) throw new Error('the redis-server is not running');
    return pid;
  }

  /** Ends the server and removes its folder; also when it is paused or was killed before. */
  async stop(): Promise<void> {
    await this.end('SIGKILL');
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Ends the server as a crash does; {@link restart} brings it back. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** Stops the process where it is: connections stay open and nothing is answered. */
  pause(): void {
    process.kill(this.pid, 'SIGSTOP');
  }

  /** Lets a paused server go on. */
  resume(): void {
    process.kill(this.pid, 'SIGCONT');
  }

  /** Ends the server in order, if it runs, and starts it again on the same port; data are kept with `appendOnly`. */
  async restart(): Promise<void> {
    await this.end('SIGTERM');
    await this.launch();
  }

  /** What the server has logged, over all its starts. */
  async log(): Promise<string> {
    return readFile(this.logFile, 'utf8').catch(() => '');
  }

  private get logFile(): string {
    return join(this.folder, 'redis.log');
  }

  private async launch(): Promise<void> {
    const binary = process.env['REDIS_SERVER_BIN'] ?? 'redis-server';
    const child = spawn(binary, await this.arguments(), { stdio: 'ignore' });
    let failure: Error | undefined;
    // A program that is not there answers with 'error' instead of 'exit'.
    child.once('error', (cause) => (failure = new Error(`cannot run ${binary}`, { cause })));
    child.once('exit', (code, signal) => (failure = new Error(`${binary} ended with ${code ?? signal}`)));
    this.child = child;
    this.watchdog = startWatchdog(child.pid, this.folder);
    const answersOrFails = async (): Promise<boolean> => failure !== undefined || answers(this.port);
    await waitFor(answersOrFails, { deadlineMs: START_DEADLINE_MS, what: 'redis-server to answer' });
    if (failure !== undefined) throw failure;
  }

  private async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const { child, watchdog } = this;
    this.child = undefined;
    this.watchdog = undefined;
    if (child?.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit');
      child.kill(signal);
      await exited;
    }
    if (watchdog?.pid !== undefined && watchdog.exitCode === null && watchdog.signalCode === null) {
      const exited = once(watchdog, 'exit');
      watchdog.kill('SIGKILL');
      await exited;
    }
  }

  private async arguments(): Promise<string[]> {
    const { appendOnly = false, maxMemory, requirePass, aclUsers, extraArgs = [] } = this.options;
    const own = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.folder, '--logfile', this.logFile];
    const storage = ['--save', '', '--appendonly', appendOnly ? 'yes' : 'no'];
    const limits = maxMemory === undefined ? [] : ['--maxmemory', maxMemory, '--maxmemory-policy', 'noeviction'];
    const password = requirePass === undefined ? [] : ['--requirepass', requirePass];
    const mode = this.options.sentinel === true ? [await this.emptyConfiguration(), '--sentinel'] : [];
    return [...mode, ...own, ...storage, ...limits, ...password, ...(await this.aclArguments(aclUsers)), ...extraArgs];
  }

  private async emptyConfiguration(): Promise<string> {
    const file = join(this.folder, 'sentinel.conf');
    // What is there from an earlier start stays.
    await writeFile(file, '', { flag: 'a' });
    return file;
  }

  private async aclArguments(aclUsers: readonly string[] | undefined): Promise<string[]> {
    if (aclUsers === undefined) return [];
    const file = join(this.folder, 'users.acl');
    await writeFile(file, aclUsers.join('\n') + '\n');
    return ['--aclfile', file];
  }
}

/** True when a PING is answered, also with a refusal for want of a password, but not while data are being loaded. */
async function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const finish = (answered: boolean): void => {
      socket.destroy();
      resolve(answered);
    };
    socket.once('error', () => finish(false));
    socket.once('close', () => finish(false));
    socket.once('data', (data) => finish(!data.toString().startsWith('-LOADING')));
    socket.write('PING\r\n');
  });
}

async function removeKeys(url: string, prefix: string): Promise<void> {
  const client = new Redis(url);
  try {
    for await (const keys of client.scanStream({ match: `{${prefix}:*`, count: 1_000 })) {
      if ((keys as string[]).length > 0) await client.unlink(...(keys as string[]));
    }
  } finally {
    client.disconnect();
  }
}
