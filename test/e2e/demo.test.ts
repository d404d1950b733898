import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EmittedApp } from './support/emitted-app.js';

const EMIT_MS = 60_000;

/** The demo ends by itself long before; one that hangs is killed, so that its output is seen. */
const DEMO_MS = 45_000;

interface DemoRun {
  /** Null when it had to be killed. */
  readonly exitCode: number | null;
  readonly output: string;
}

describe('the demo', () => {
  let emitted: EmittedApp;

  beforeAll(async () => {
    emitted = await EmittedApp.emit();
  }, EMIT_MS);

  afterAll(async () => {
    await emitted.remove();
  });

  it(
    'shows every delivery, finds all as it must be and ends by itself with 0',
    async () => {
      const { exitCode, output } = await runDemo({});
      expect(output).toMatch(/timeout runs, delivery 1: due \+\d+\.\d{3} s, started \+\d+\.\d{3} s, \d+\.\d ms late/);
      expect(output).toMatch(/All \d+ checks hold/);
      expect(output).not.toContain('WRONG');
      expect(exitCode).toBe(0);
    },
    DEMO_MS * 2,
  );

  it(
    'names what is wrong and ends with 1 when the time to pay is too short for its first customer',
    async () => {
      const { exitCode, output } = await runDemo({ DEMO_ORDER_TIMEOUT: '100ms' });
      expect(output).toMatch(/WRONG {2}A paid in time: is paid - but found: cancelled/);
      expect(exitCode).toBe(1);
    },
    DEMO_MS * 2,
  );

  /** Runs the demo with nothing of this process's environment that it could take for a setting. */
  async function runDemo(settings: Readonly<Record<string, string>>): Promise<DemoRun> {
    const demo = spawn(process.execPath, ['demo/main.js'], {
      cwd: emitted.folder,
      env: { PATH: process.env['PATH'], ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: DEMO_MS,
      killSignal: 'SIGKILL',
    });
    const [stdout, stderr] = await Promise.all([text(demo.stdout), text(demo.stderr), once(demo, 'close')]);
    return { exitCode: demo.exitCode, output: stdout + stderr };
  }
});
