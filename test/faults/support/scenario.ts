import { afterAll, it } from '@jest/globals';
import { CompiledPrograms } from '../../support/compiled-programs.js';
import { addRow } from './outcome-table.js';
import { Permits } from './permits.js';
import type { ScenarioParts } from './scenario-parts.js';
import { ScenarioRun } from './scenario-run.js';

/** What a scenario may say about its servers and settings. */
export type ScenarioOptions = Omit<ScenarioParts, 'name' | 'program'>;

/** Several times what the longest scenarios of a file take together on a quiet machine. */
const DEADLINE_MS = 300_000;

/** Scenarios mostly wait, and each owns its servers: two of a file run side by side. */
const permits = new Permits(2);

const programs = new CompiledPrograms();

/**
 * A test of a few lines: start workers, schedule tasks, inject a fault.
 *
 * Afterwards the records that the handlers wrote are judged: every task ran, none early, every effect came once, each
 * further delivery is explained by what was injected, and nothing is left over in any key.
 */
export function scenario(name: string, options: ScenarioOptions, body: (run: ScenarioRun) => Promise<void>): void {
  it.concurrent(`${name}`, () => permits.with(() => assertPromisesKept(name, options, body)), DEADLINE_MS);
}

async function assertPromisesKept(
  name: string,
  options: ScenarioOptions,
  body: (run: ScenarioRun) => Promise<void>,
): Promise<void> {
  const program = (): Promise<string> => programs.pathOf('test/faults/worker/worker.ts');
  const run = await ScenarioRun.begin({ ...options, name, program });
  try {
    await body(run);
    addRow(await run.finish());
  } finally {
    await run.dispose();
  }
}

afterAll(() => programs.remove());
