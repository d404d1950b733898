import { afterAll, it } from '@jest/globals';
import { CompiledPrograms } from '../support/compiled-programs.js';
import { runChaos } from './support/chaos-run.js';
import { addRow } from './support/outcome-table.js';

const minutes = Number(process.env['CHAOS_MINUTES'] ?? 3);
const seed = Number(process.env['CHAOS_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

const programs = new CompiledPrograms();

it(
  'chaos: faults composed at random break no promise',
  async () => {
    const history: string[] = [];
    const startedMs = performance.now();
    const log = (line: string): void => {
      history.push(`${Math.round(performance.now() - startedMs)} ms: ${line}`);
    };
    process.stderr.write(`chaos for ${minutes} minutes, seed ${seed}\n`);
    addRow(await assertChaosKeepsPromises(log, history));
  },
  minutes * 60_000 + 300_000,
);

/** What was injected goes with the error: the seed alone does not tell what the machine made of it. */
async function assertChaosKeepsPromises(log: (line: string) => void, history: readonly string[]) {
  const program = (): Promise<string> => programs.pathOf('test/faults/worker/worker.ts');
  try {
    return await runChaos({ minutes, seed, log, program });
  } catch (error) {
    throw new Error([`seed ${seed}`, String(error), ...history].join('\n'), { cause: error });
  }
}

afterAll(() => programs.remove());
