import { parseArgs } from 'node:util';
import { LEDGER_ROWS } from './ledger/ledger-rows.js';
import { ALL_ROWS } from './rows/all-rows.js';
import type { Row } from './rows/row.js';
import { SUBJECT_NAMES, type SubjectName } from './subjects/subject.js';

/** How to call the benchmark. */
export const USAGE = `
npm run bench -- [--quick] [--row NAME]... [--subject NAME]... [--runs N] [--json FILE] [--profile FOLDER]
npm run bench -- growth [--quick] [--json FILE]
npm run bench -- ledger [--quick] [--row NAME]... [--subject NAME]... [--runs N] [--json FILE]

  --quick     a short run, without the rows that take long
  --row       only this row; may be repeated: ${ALL_ROWS.map(({ name }) => name).join(', ')}
  --subject   only this subject; may be repeated: ${SUBJECT_NAMES.join(', ')}
  --runs      runs of each subject in each row
  --json      writes the figures to this file
  --profile   writes CPU profiles of the library's processes to this folder, and prints where their time went
  ledger      tasks in transactions of a PostgreSQL, which it starts: ${LEDGER_ROWS.map(({ name }) => name).join(', ')}
  growth      rates with 10,000 to 1,000,000 waiting tasks, and docs/images/growth.svg
`;

type Mode = 'rows' | 'growth' | 'ledger';

/** What the command line asks for. */
export interface BenchOptions {
  readonly mode: Mode;
  readonly quick: boolean;
  readonly rows: readonly Row[];
  readonly subjects: readonly SubjectName[];
  /** `null` for each row's own number. */
  readonly runs: number | null;
  readonly jsonFile: string | null;
  readonly profileFolder: string | null;
}

/**
 * Reads the command line.
 *
 * @throws when it asks for something that there is not.
 */
export function readOptions(args: readonly string[]): BenchOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      row: { type: 'string', multiple: true },
      subject: { type: 'string', multiple: true },
      runs: { type: 'string' },
      json: { type: 'string' },
      profile: { type: 'string' },
    },
  });
  const quick = values.quick;
  const mode = readMode(positionals);
  const rows = mode === 'ledger' ? LEDGER_ROWS : ALL_ROWS;
  return {
    mode,
    quick,
    rows: values.row?.map(findRow) ?? rows.filter(({ runs }) => (quick ? runs.quick : runs.full) > 0),
    subjects: values.subject?.map(findSubject) ?? SUBJECT_NAMES,
    runs: values.runs === undefined ? null : readCount(values.runs),
    jsonFile: values.json ?? null,
    profileFolder: values.profile ?? null,
  };
}

function readMode(positionals: readonly string[]): Mode {
  const [mode = 'rows', ...rest] = positionals;
  if ((mode === 'rows' || mode === 'growth' || mode === 'ledger') && rest.length === 0) return mode;
  throw new Error(`unknown argument: ${positionals.join(' ')}`);
}

function findRow(name: string): Row {
  const row = [...ALL_ROWS, ...LEDGER_ROWS].find((each) => each.name === name);
  if (row === undefined) throw new Error(`there is no row '${name}'`);
  return row;
}

function findSubject(name: string): SubjectName {
  const subject = SUBJECT_NAMES.find((each) => each === name);
  if (subject === undefined) throw new Error(`there is no subject '${name}'`);
  return subject;
}

function readCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new Error(`--runs must be a whole number from 1 on, got '${text}'`);
  return count;
}
