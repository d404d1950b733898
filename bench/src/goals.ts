import type { RowSummary, Summary } from './summary.js';
import type { SubjectName } from './subjects/subject.js';

/** What a row of the library should reach, and whether it does; `null` when the subject to compare with was not run. */
export type Goal = (summaries: RowSummary) => GoalResult | null;

export interface GoalResult {
  readonly text: string;
  readonly met: boolean;
}

/** At least so many times what another subject reaches. */
export function atLeastTimes(subject: SubjectName, factor: number): Goal {
  return compare(subject, (ours, theirs) => ({
    text: `≥ ${factor} × ${subject} (is ${(ours.median / theirs.median).toFixed(2)})`,
    met: ours.median >= factor * theirs.median,
  }));
}

/** No more than another subject, in the median or in a further figure. */
export function notAbove(subject: SubjectName, figure = 'median'): Goal {
  return compare(subject, (ours, theirs) => ({
    text: `${figure} ≤ ${subject}'s`,
    met: figureOf(ours, figure) <= figureOf(theirs, figure),
  }));
}

/** At most so much, in the median or in a further figure. */
export function atMost(limit: number, figure = 'median'): Goal {
  return (summaries) => {
    const ours = summaries.get('nestjs-delay-queue');
    if (ours === undefined) return null;
    return { text: `${figure} ≤ ${limit}`, met: figureOf(ours, figure) <= limit };
  };
}

function compare(subject: SubjectName, judge: (ours: Summary, theirs: Summary) => GoalResult): Goal {
  return (summaries) => {
    const ours = summaries.get('nestjs-delay-queue');
    const theirs = summaries.get(subject);
    return ours === undefined || theirs === undefined ? null : judge(ours, theirs);
  };
}

function figureOf(summary: Summary, figure: string): number {
  return figure === 'median' ? summary.median : (summary.extra[figure] ?? Number.NaN);
}
