import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';

const PROGRAM = join(import.meta.dirname, '../../apps/order-app/src/demo/main.ts');
const TS_LOADER = join(import.meta.dirname, '../support/ts-loader.mjs');

/** The demo takes about 10 s on an idle machine; one that hangs is killed, so that its output is seen. */
const DEMO_MS = 120_000;

const TEST_MS = DEMO_MS + 10_000;

interface DemoRun {
  /** Null when it had to be killed. */
  readonly exitCode: number | null;
  readonly output: string;
}

describe('the demo', () => {
  it(
    'shows every delivery, finds all as it must be and ends by itself with 0',
    async () => {
      const { exitCode, output } = await runDemo({});
      expect(output).toMatch(/timeout runs, delivery 1: due \+\d+\.\d{3} s, started \+\d+\.\d{3} s, \d+\.\d ms late/);
      expect(output).toMatch(/All \d+ checks hold/);
      expect(output).not.toContain('WRONG');
      expect(exitCode).toBe(0);
    },
    TEST_MS,
  );

  it(
    'names what is wrong and ends with 1 when the time to pay is too short for its first customer',
    async () => {
      const { exitCode, output } = await runDemo({ DEMO_ORDER_TIMEOUT: '100ms' });
      expect(output).toMatch(/WRONG {2}A paid in time: is paid - but found: cancelled/);
      expect(exitCode).toBe(1);
    },
    TEST_MS,
  );
});

/** Runs the demo with nothing of this process's environment that it could take for a setting. */
async function runDemo(settings: Readonly<Record<string, string>>): Promise<DemoRun> {
  const demo = spawn(process.execPath, ['--import', TS_LOADER, PROGRAM], {
    env: { PATH: process.env['PATH'], ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: DEMO_MS,
    killSignal: 'SIGKILL',
  });
  const [stdout, stderr] = await Promise.all([text(demo.stdout), text(demo.stderr), once(demo, 'close')]);
  return { exitCode: demo.exitCode, output: stdout + stderr };
}
