import type { Measurement, Row } from './rows/row.js';
import { Stage, type StageOptions } from './stage.js';
import { type RowSummary, summarize } from './summary.js';
import type { SubjectName } from './subjects/subject.js';

/** How a row is run. */
export interface RunPlan {
  readonly runs: number;
  readonly subjects: readonly SubjectName[];
  readonly stage: StageOptions;
  /** Called after each run. */
  readonly onRun: (subject: SubjectName, measurement: Measurement) => void;
}

/** What came of a row. */
export interface RowRun {
  /** The subjects that have failed are not among them. */
  readonly summaries: RowSummary;
  readonly failures: readonly Error[];
}

/**
 * Runs a row: all subjects in turn, then all again, so that what changes on the machine meets them alike.
 *
 * A subject that fails is left out from then on; the others go on, because a run of all rows takes long.
 */
export async function runRow(row: Row, plan: RunPlan): Promise<RowRun> {
  const measurements = new Map<SubjectName, Measurement[]>();
  const failures: Error[] = [];
  const stageOptions: StageOptions = { ...plan.stage, database: row.database ?? false };
  for (const subject of row.subjects) if (plan.subjects.includes(subject)) measurements.set(subject, []);
  const measureOne = async (subject: SubjectName): Promise<void> => {
    try {
      const measurement = await Stage.use(subject, stageOptions, (stage) => row.measure(stage));
      measurements.get(subject)?.push(measurement);
      plan.onRun(subject, measurement);
    } catch (error) {
      measurements.delete(subject);
      failures.push(new Error(`${row.name}: ${subject} failed`, { cause: error }));
    }
  };
  for (let run = 0; run < plan.runs; run++) {
    const subjects = [...measurements.keys()];
    if (row.sideBySide === true) await Promise.all(subjects.map(measureOne));
    else for (const subject of subjects) await measureOne(subject);
  }
  const summaries = new Map([...measurements].map(([subject, all]) => [subject, summarize(row, subject, all)]));
  return { summaries, failures };
}
