import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Against hanging only: an install from the registry, or a test run, on a busy machine. */
const DEADLINE_MS = 240_000;

/** What our own test runner, and npm, tell their children of themselves: these must not hear of it. */
const FOREIGN =
  /^(NODE_OPTIONS|NODE_ENV|JEST_\w+|FORCE_COLOR|npm_(package|lifecycle)_\w+|npm_config_(local_)?prefix)$/i;

/** What a test runner says of a run. */
export interface RunnerReport {
  readonly success: boolean;
  readonly numPassedTests: number;
  readonly numTotalTests: number;
}

/** What an application of a user consists of. */
export interface ConsumerParts {
  /** Its folder, outside of the workspace. */
  readonly folder: string;
  /** Folder with its own settings, beside that of the sources. */
  readonly settings: string;
  readonly manifest: Readonly<Record<string, unknown>>;
  /** What the processes get to see of the environment, beside what every process needs. */
  readonly env: Readonly<Record<string, string>>;
}

/** An application of a user, installed from the registry and from a tarball of the library. */
export class Consumer {
  private constructor(
    private readonly folder: string,
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  static async install({ folder, settings, manifest, env }: ConsumerParts): Promise<Consumer> {
    await mkdir(folder);
    await cp(join(import.meta.dirname, '../app'), folder, { recursive: true });
    await cp(settings, folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
    const consumer = new Consumer(folder, env);
    await consumer.run('npm', ['install', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']);
    return consumer;
  }

  /** Compiles it strictly, and runs what comes of it until it ends by itself; answers what it printed. */
  async buildAndStart(): Promise<string> {
    await this.node('node_modules/typescript/bin/tsc');
    return this.node('dist/main.js');
  }

  /** Runs its tests with jest, which has to end by itself. */
  async jest(): Promise<RunnerReport> {
    const report = join(this.folder, 'jest.json');
    const args = ['node_modules/jest/bin/jest.js', '--json', `--outputFile=${report}`];
    await this.node('--experimental-vm-modules', ...args);
    return readReport(report);
  }

  /** Runs its tests with vitest, which has to end by itself. */
  async vitest(): Promise<RunnerReport> {
    const report = join(this.folder, 'vitest.json');
    await this.node('node_modules/vitest/vitest.mjs', 'run', '--reporter=json', `--outputFile=${report}`);
    return readReport(report);
  }

  private node(...args: readonly string[]): Promise<string> {
    return this.run(process.execPath, args);
  }

  private async run(command: string, args: readonly string[]): Promise<string> {
    const env = {
      ...Object.fromEntries(Object.entries(process.env).filter(([key]) => !FOREIGN.test(key))),
      ...this.env,
    };
    try {
      const options = { cwd: this.folder, env, timeout: DEADLINE_MS, maxBuffer: 64 * 1024 * 1024 };
      return (await run(command, [...args], options)).stdout;
    } catch (cause) {
      const { stdout = '', stderr = '' } = cause as { stdout?: string; stderr?: string };
      throw new Error(`${command} ${args.join(' ')} failed in ${this.folder}\n${stdout}\n${stderr}`, { cause });
    }
  }
}

async function readReport(file: string): Promise<RunnerReport> {
  return JSON.parse(await readFile(file, 'utf8')) as RunnerReport;
}
