import { type ChildProcess, execFile, spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { chown, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './free-port.js';
import { waitFor } from './wait-for.js';
import { startWatchdog } from './watchdog.js';

const run = promisify(execFile);

/** What it takes to run a database server. */
export interface ServerRecipe {
  /** Names it in errors and folders. */
  readonly name: string;
  /** Program and arguments that make the data folder within the server's folder; run once. */
  readonly setup: (folder: string) => readonly string[];
  /** Program and arguments of the server. */
  readonly serve: (folder: string, port: number) => readonly string[];
  /** The server answers. */
  readonly answers: (port: number) => Promise<boolean>;
  /** Users that may run it when the tests run as root, which databases refuse. */
  readonly users: readonly string[];
}

const START_DEADLINE_MS = 60_000;

/**
 * A real database server for tests: on a free port of 127.0.0.1, with a temporary folder.
 *
 * However the test process ends, the server ends with it.
 */
export class ServerProcess {
  private child: ChildProcess | undefined;
  private watchdog: ChildProcess | undefined;

  private constructor(
    private readonly recipe: ServerRecipe,
    /** Port on 127.0.0.1. */
    readonly port: number,
    private readonly folder: string,
    private readonly identity: Pick<SpawnOptions, 'uid' | 'gid'>,
  ) {}

  /** Makes the data folder, starts the server and waits until it answers. */
  static async start(recipe: ServerRecipe): Promise<ServerProcess> {
    const folder = await mkdtemp(join(tmpdir(), `delay-queue-${recipe.name}-`));
    const identity = await identityFor(recipe.users);
    if (identity.uid !== undefined && identity.gid !== undefined) await chown(folder, identity.uid, identity.gid);
    const server = new ServerProcess(recipe, await freePort(), folder, identity);
    try {
      await server.setUp();
      await server.launch();
      return server;
    } catch (error) {
      const log = await readFile(server.logFile, 'utf8').catch(() => '');
      await server.stop();
      throw new Error(`${recipe.name} did not start: ${log.slice(-2_000)}`, { cause: error });
    }
  }

  /** Ends the server and removes its folder. */
  async stop(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Ends the server as a crash does; {@link restart} brings it back. */
  async kill(): Promise<void> {
    await end(this.child);
    this.child = undefined;
    await end(this.watchdog);
    this.watchdog = undefined;
  }

  /** Starts a server again that was killed, on the same port and with its data. */
  async restart(): Promise<void> {
    // Processes of the killed server may live for a moment longer, and the new one refuses to run beside them.
    const launches = async (): Promise<boolean> => {
      await this.kill();
      return this.launch().then(
        () => true,
        () => false,
      );
    };
    await waitFor(launches, { deadlineMs: START_DEADLINE_MS, what: `${this.recipe.name} to start again` });
  }

  private get logFile(): string {
    return join(this.folder, 'server.log');
  }

  private async setUp(): Promise<void> {
    const [program = '', ...args] = this.recipe.setup(this.folder);
    // The folder of the tests may be closed to the user who runs the server.
    await run(program, args, { cwd: this.folder, ...this.identity });
  }

  private async launch(): Promise<void> {
    const [program = '', ...args] = this.recipe.serve(this.folder, this.port);
    const child = spawn(program, args, { cwd: this.folder, stdio: ['ignore', 'pipe', 'pipe'], ...this.identity });
    const log = createWriteStream(this.logFile, { flags: 'a' });
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    child.once('close', () => log.end());
    let failure: Error | undefined;
    child.once('error', (cause) => (failure = new Error(`cannot run ${program}`, { cause })));
    child.once('exit', (code, signal) => (failure = new Error(`${program} ended with ${code ?? signal}`)));
    this.child = child;
    this.watchdog = startWatchdog(child.pid, this.folder);
    const answersOrFails = async (): Promise<boolean> => failure !== undefined || this.recipe.answers(this.port);
    await waitFor(answersOrFails, { deadlineMs: START_DEADLINE_MS, what: `${this.recipe.name} to answer` });
    if (failure !== undefined) throw failure;
  }
}

async function end(child: ChildProcess | undefined): Promise<void> {
  if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

/** Root's servers run as another user, the first one of these that there is. */
async function identityFor(users: readonly string[]): Promise<Pick<SpawnOptions, 'uid' | 'gid'>> {
  if (process.getuid?.() !== 0) return {};
  const entries = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  const found = users.map((user) => entries.find(([name]) => name === user)).find((entry) => entry !== undefined);
  if (found === undefined) throw new Error(`none of the users ${users.join(', ')} is there to run the server`);
  return { uid: Number(found[2]), gid: Number(found[3]) };
}
