import type { Measurement, Row } from './rows/row.js';
import { median, spread } from './statistics.js';
import type { SubjectName } from './subjects/subject.js';

/** All runs of one subject in one row. */
export interface Summary {
  readonly row: string;
  readonly subject: SubjectName;
  readonly unit: string;
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly runs: readonly number[];
  /** Further figures by name, over all runs. */
  readonly extra: Readonly<Record<string, number>>;
}

/** The summaries of a row, by subject. */
export type RowSummary = ReadonlyMap<SubjectName, Summary>;

/** Sums up a subject's runs. */
export function summarize(row: Row, subject: SubjectName, measurements: readonly Measurement[]): Summary {
  const runs = measurements.map(({ value }) => value);
  const names = new Set(measurements.flatMap(({ extra = {} }) => Object.keys(extra)));
  const extra = Object.fromEntries(
    [...names].map((name) => {
      const values = measurements.flatMap(({ extra: figures = {} }) => figures[name] ?? []);
      return [name, combine(values, row.combine?.[name] ?? 'median')];
    }),
  );
  return { row: row.name, subject, unit: row.unit, median: median(runs), ...spread(runs), runs, extra };
}

function combine(values: readonly number[], how: 'median' | 'max' | 'sum'): number {
  switch (how) {
    case 'median':
      return median(values);
    case 'max':
      return Math.max(...values);
    case 'sum':
      return values.reduce((sum, value) => sum + value, 0);
    default:
      return how satisfies never;
  }
}
