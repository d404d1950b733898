import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Verdict } from './judge.js';

/** One line of the table: what a scenario injected and what came of it. */
export interface OutcomeRow {
  readonly scenario: string;
  readonly injected: readonly string[];
  readonly tasks: number;
  readonly refused: number;
  readonly deliveries: number;
  readonly duplicates: number;
  readonly causes: Readonly<Record<string, number>>;
  readonly duplicateEffects: number;
  readonly early: number;
  readonly lost: number;
  readonly excused: number;
  readonly seconds: number;
}

/** Folder that `table-reporter.mjs` collects the lines from; without it, they are printed where they arise. */
const FOLDER_VARIABLE = 'FAULT_TABLE_FOLDER';

/** Puts a line into the table. */
export function addRow(row: OutcomeRow): void {
  const folder = process.env[FOLDER_VARIABLE];
  if (folder === undefined) process.stderr.write(`fault: ${JSON.stringify(row)}\n`);
  else appendFileSync(join(folder, `${process.pid}.jsonl`), JSON.stringify(row) + '\n');
}

/** The line of a verdict. */
export function rowOf(
  verdict: Verdict,
  about: Pick<OutcomeRow, 'scenario' | 'injected' | 'refused' | 'seconds'>,
): OutcomeRow {
  const { tasks, deliveries, duplicates, causes, duplicateEffects, early, lost, excused } = verdict;
  const counts = { tasks, deliveries, duplicates, duplicateEffects, early, lost, excused };
  return { ...about, ...counts, causes: Object.fromEntries(causes) };
}
