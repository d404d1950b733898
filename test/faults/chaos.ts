/**
 * Composes faults at random and judges what came of them: `npm run test:chaos -- --minutes 30 --seed 7`.
 *
 * The seed is printed; the same one composes the same faults again.
 */
import { parseArgs } from 'node:util';
import { CompiledPrograms } from '../support/compiled-programs.js';
import { runChaos } from './support/chaos-run.js';

const DEFAULT_MINUTES = 3;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { minutes: { type: 'string' }, seed: { type: 'string' } } });
  const minutes = Number(values.minutes ?? DEFAULT_MINUTES);
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
  if (!(minutes > 0) || !Number.isSafeInteger(seed)) throw new Error('usage: --minutes <number> --seed <whole number>');
  console.log(`chaos for ${minutes} minutes, seed ${seed}`);
  const startedMs = performance.now();
  const log = (line: string): void => {
    console.log(`${((performance.now() - startedMs) / 1_000).toFixed(1).padStart(8)} s  ${line}`);
  };
  const programs = new CompiledPrograms();
  try {
    const row = await runChaos({ minutes, seed, log, program: () => programs.pathOf('test/faults/worker/worker.ts') });
    console.log(JSON.stringify(row, null, 2));
  } finally {
    await programs.remove();
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
