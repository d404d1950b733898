import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type ModelCommand, modelSequence } from './model-commands.js';
import { type Coverage, ModelRun } from './model-run.js';
import { ModelPair } from './model-pair.js';
import { START_US } from './store-harness.js';

/** Fixed, so that every run sees the same sequences; another one finds other sequences. */
const SEED = Number(process.env['MODEL_SEED'] ?? 20_250_101);
const SEQUENCES = Number(process.env['MODEL_SEQUENCES'] ?? 2_000);

/** Some ten times what it takes on two slow cores. */
const TIME_LIMIT_MS = 300_000;

const INIT: ModelCommand = { op: 'init' };

const SETTLE_KINDS = ['complete', 'retry', 'snooze', 'release', 'bury', 'extend'];

/** What 2,000 sequences must have come across at least, or they are not random enough to show anything. */
const REACHED = [
  'created waiting, duplicate waiting, duplicate running, duplicate dead, duplicate done, replaced waiting',
  'rescheduled waiting, cancelled none, redriven waiting, purged none, running running',
  'not_found none, not_found waiting, not_found running, not_found dead, not_found done',
  'claimed, claimed suspect, claimed redriven, buried, overdue left, paused',
  'armed by take, armed by force, armed by leave, not armed by take, not armed by leave, not armed by resign',
  'signal beat A, signal wake A, signal wake B, signal wake everyone, signal help B',
  'epoch present, epoch absent',
  SETTLE_KINDS.map((kind) => `${kind} applied, ${kind} stale, ${kind} gone`).join(', '),
].flatMap((line) => line.split(', '));

describe('the memory store as the model of the Redis store', () => {
  let pair: ModelPair;

  beforeAll(async () => {
    pair = await ModelPair.open();
  });

  afterAll(async () => {
    await pair.dispose();
  });

  it(
    `gives the same answers and signals in ${SEQUENCES} random sequences (seed ${SEED})`,
    async () => {
      const coverage: Coverage = new Map();
      let sequencesRun = 0;
      const property = fc.asyncProperty(fc.boolean(), modelSequence, async (startsUninitialised, commands) => {
        const ref = { type: `model-${sequencesRun++}`, partition: 0 };
        await pair.setNowUs(START_US);
        const sequence = startsUninitialised ? commands : [INIT, ...commands];
        await new ModelRun(pair, ref, coverage).apply(sequence);
      });
      const details = await fc.check(property, { seed: SEED, numRuns: SEQUENCES });
      if (details.failed) throw new Error(describeFailure(details));
      expect(REACHED.filter((what) => !coverage.has(what))).toEqual([]);
    },
    TIME_LIMIT_MS,
  );
});

/** The shortest failing sequence, one command a line, and how to see it again. */
function describeFailure(details: fc.RunDetails<[boolean, readonly ModelCommand[]]>): string {
  const [startsUninitialised, commands] = details.counterexample ?? [false, []];
  const sequence: readonly ModelCommand[] = startsUninitialised ? commands : [INIT, ...commands];
  const lines = sequence.map((command, index) => `${index + 1}. ${JSON.stringify(command)}`);
  const cause = details.errorInstance instanceof Error ? details.errorInstance.message : String(details.errorInstance);
  const again = `seed ${details.seed}, path ${details.counterexamplePath}, after ${details.numShrinks} shrinks`;
  return `${cause}\n\n${lines.join('\n')}\n(${again})`;
}
