import type { Row } from '../rows/row.js';
import type { RowRun } from '../run-row.js';
import type { RowSummary, Summary } from '../summary.js';
import type { SubjectName } from '../subjects/subject.js';
import { formatNumber } from './format-number.js';
import { table } from './table.js';

/** A row and what came of it. */
export interface RowResult extends RowRun {
  readonly row: Row;
}

/** Those whom others are compared with, where they have taken part: in rows with a database, and in the others. */
const COMPARED: readonly (readonly SubjectName[])[] = [
  ['nestjs-delay-queue', 'pg-boss'],
  ['bullmq', 'bee-queue'],
];

/** Writes the comparison as a table, and under it what the library should reach. */
export function reportRows(results: readonly RowResult[]): string {
  const isWithDatabase = results.some(({ row }) => row.database === true);
  const compared = COMPARED[isWithDatabase ? 0 : 1] ?? [];
  const ratios = compared.map((subject) => `× ${subject}`);
  const header = ['row', 'subject', 'unit', 'median', 'lowest – highest', ...ratios, 'further figures'];
  const lines = results.flatMap(({ summaries }) =>
    [...summaries.values()].map((each) => cells(each, summaries, compared)),
  );
  const goals = results.flatMap(goalLines);
  const failures = results.flatMap((result) => result.failures.map(({ message }) => `  ${message}`));
  return [
    table(header, lines),
    ...(goals.length === 0 ? [] : ['', 'Goals', ...goals]),
    ...(failures.length === 0 ? [] : ['', 'Failed, and left out', ...failures]),
  ].join('\n');
}

/** The figures for `--json`: one object for each subject of each row. */
export function figuresOf(results: readonly RowResult[]): readonly Record<string, unknown>[] {
  return results.flatMap(({ summaries }) =>
    [...summaries.values()].map(({ extra, ...figures }) => ({ ...figures, ...extra })),
  );
}

function cells(summary: Summary, summaries: RowSummary, compared: readonly SubjectName[]): string[] {
  const ratioTo = (subject: SubjectName): string => {
    const other = summaries.get(subject);
    if (other === undefined || other.subject === summary.subject || other.median === 0) return '';
    return (summary.median / other.median).toFixed(2);
  };
  const extra = Object.entries(summary.extra).map(([name, value]) => `${name} ${formatNumber(value)}`);
  return [
    summary.row,
    summary.subject,
    summary.unit,
    formatNumber(summary.median),
    summary.runs.length === 1 ? '' : `${formatNumber(summary.min)} – ${formatNumber(summary.max)}`,
    ...compared.map(ratioTo),
    extra.join(', '),
  ];
}

function goalLines({ row, summaries }: RowResult): string[] {
  return row.goals.flatMap((goal) => {
    const result = goal(summaries);
    return result === null ? [] : [`  ${result.met ? 'reached' : 'MISSED '}  ${row.name}: ${result.text}`];
  });
}
