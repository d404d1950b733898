import { mkdir, writeFile } from 'node:fs/promises';
import { runGrowth } from './growth/run-growth.js';
import { type BenchOptions, readOptions, USAGE } from './options.js';
import { formatNumber } from './report/format-number.js';
import { describeMachine } from './report/machine.js';
import { reportProfiles } from './report/profile.js';
import { figuresOf, reportRows, type RowResult } from './report/report-rows.js';
import { runRow } from './run-row.js';
import type { Row } from './rows/row.js';
import type { StageOptions } from './stage.js';

/** Progress goes to the error output, so that the output is the report alone. */
function progress(line: string): void {
  console.error(line);
}

async function main(options: BenchOptions): Promise<void> {
  const startMs = performance.now();
  const { profileFolder } = options;
  if (profileFolder !== null) await mkdir(profileFolder, { recursive: true });
  const stage: StageOptions = { quick: options.quick, profileFolder: profileFolder ?? undefined, log: progress };

  console.log(await describeMachine({ database: options.rows.some(({ database }) => database === true) }));
  const { text, figures } = options.mode === 'growth' ? await grow(stage) : await compare(options, stage);
  console.log(`\n${text}\n\n${((performance.now() - startMs) / 1000).toFixed(0)} s in all`);
  if (options.jsonFile !== null) await writeFile(options.jsonFile, `${JSON.stringify(figures, null, 2)}\n`);
  if (profileFolder !== null) console.log(`\n${await reportProfiles(profileFolder)}`);
}

async function grow(stage: StageOptions): Promise<{ text: string; figures: unknown }> {
  const { text, points } = await runGrowth(stage, progress);
  return { text, figures: points };
}

async function compare(options: BenchOptions, stage: StageOptions): Promise<{ text: string; figures: unknown }> {
  const alone = options.rows.filter(({ sideBySide = false }) => !sideBySide);
  const results: RowResult[] = [];
  for (const row of alone) results.push(await resultOf(row, options, stage));
  const others = options.rows.filter(({ sideBySide = false }) => sideBySide);
  results.push(...(await Promise.all(others.map((row) => resultOf(row, options, stage)))));
  for (const failure of results.flatMap(({ failures }) => failures)) {
    console.error(failure);
    process.exitCode = 1;
  }
  return { text: reportRows(results), figures: figuresOf(results) };
}

async function resultOf(row: Row, options: BenchOptions, stage: StageOptions): Promise<RowResult> {
  // A row that was asked for by its name is run, also where the short run leaves it out.
  const runs = options.runs ?? ((options.quick ? row.runs.quick : row.runs.full) || 1);
  const startMs = performance.now();
  const run = await runRow(row, {
    runs,
    subjects: options.subjects,
    stage,
    onRun: (subject, { value }) => progress(`${row.name}  ${subject}  ${formatNumber(value)} ${row.unit}`),
  });
  progress(`${row.name}  took ${((performance.now() - startMs) / 1000).toFixed(0)} s`);
  return { row, ...run };
}

function readOptionsOrExplain(): BenchOptions | null {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
    process.exitCode = 2;
    return null;
  }
}

const options = readOptionsOrExplain();
if (options !== null) {
  main(options).catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
}
