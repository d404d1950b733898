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

/** Runs a row: all subjects in turn, then all again, so that what changes on the machine meets them alike. */
export async function runRow(row: Row, plan: RunPlan): Promise<RowSummary> {
  const subjects = row.subjects.filter((subject) => plan.subjects.includes(subject));
  const measurements = new Map<SubjectName, Measurement[]>(subjects.map((subject) => [subject, []]));
  const measureOne = async (subject: SubjectName): Promise<void> => {
    const measurement = await measure(row, subject, plan.stage);
    measurements.get(subject)?.push(measurement);
    plan.onRun(subject, measurement);
  };
  for (let run = 0; run < plan.runs; run++) {
    if (row.sideBySide === true) await Promise.all(subjects.map(measureOne));
    else for (const subject of subjects) await measureOne(subject);
  }
  return new Map([...measurements].map(([subject, all]) => [subject, summarize(row, subject, all)]));
}

async function measure(row: Row, subject: SubjectName, options: StageOptions): Promise<Measurement> {
  try {
    return await Stage.use(subject, options, (stage) => row.measure(stage));
  } catch (error) {
    throw new Error(`${row.name}: ${subject} failed`, { cause: error });
  }
}
