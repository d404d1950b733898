import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { formatNumber } from '../report/format-number.js';
import { table } from '../report/table.js';
import type { StageOptions } from '../stage.js';
import { growthPlot } from './growth-plot.js';
import type { SubjectName } from '../subjects/subject.js';
import { type Crowd, measureCrowd } from './measure-crowd.js';
import { GROWTH_SUBJECTS, type GrowthFigure, type GrowthPoint, measureGrowth } from './measure-growth.js';

const PLOT_FILE = fileURLToPath(new URL('../../../docs/images/growth.svg', import.meta.url));

const COLUMNS: readonly { readonly title: string; readonly figure: GrowthFigure }[] = [
  { title: 'schedules/s', figure: 'schedulesPerSecond' },
  { title: 'script µs', figure: 'scheduleScriptUs' },
  { title: 'CPU µs', figure: 'scheduleCpuUs' },
  { title: 'drains/s', figure: 'drainsPerSecond' },
  { title: 'script µs', figure: 'drainScriptUs' },
  { title: 'CPU µs', figure: 'drainCpuUs' },
  { title: 'consumer MiB', figure: 'consumerMib' },
];

/** Measures the growth, draws it, and returns its figures as text and as data. */
export async function runGrowth(
  options: StageOptions,
  log: (line: string) => void,
): Promise<{ readonly text: string; readonly points: readonly GrowthPoint[] }> {
  const points = await measureGrowth(options, ({ subject, waiting, schedulesPerSecond, drainsPerSecond }) =>
    log(
      `${formatNumber(waiting)} waiting, ${subject}: ${formatNumber(schedulesPerSecond)} schedules/s, ` +
        `${formatNumber(drainsPerSecond)} drains/s`,
    ),
  );
  await mkdir(dirname(PLOT_FILE), { recursive: true });
  await writeFile(PLOT_FILE, growthPlot(points));
  const header = ['waiting', 'subject', ...COLUMNS.map(({ title }) => title)];
  const rows = points.map((point) => [
    formatNumber(point.waiting),
    point.subject,
    ...COLUMNS.map(({ figure }) => formatNumber(point[figure])),
  ]);
  const crowd = await measureCrowd(options);
  const lines = [table(header, rows), '', ...lossLines(points), crowdLine(crowd), '', `Drawn to ${PLOT_FILE}`];
  return { text: lines.join('\n'), points };
}

/** What a rate may lose at most from the smallest number of waiting tasks to the largest. */
const MAX_LOSS = 0.35;

function lossLines(points: readonly GrowthPoint[]): string[] {
  return (['schedulesPerSecond', 'drainsPerSecond'] as const).map((figure) => {
    const [ours = Number.NaN, theirs = Number.NaN] = GROWTH_SUBJECTS.map((subject) => lossOf(points, subject, figure));
    const met = ours <= MAX_LOSS && ours <= theirs;
    const loss = `loses ${percent(ours)}, bullmq ${percent(theirs)}; at most ${percent(MAX_LOSS)} and no more than bullmq`;
    return `  ${met ? 'reached' : 'MISSED '}  ${figure}: ${loss}`;
  });
}

function lossOf(points: readonly GrowthPoint[], subject: SubjectName, figure: GrowthFigure): number {
  const own = points.filter((point) => point.subject === subject);
  return 1 - (own.at(-1)?.[figure] ?? Number.NaN) / (own[0]?.[figure] ?? Number.NaN);
}

function crowdLine({ tasks, consumerMib, drainsPerSecond }: Crowd): string {
  const rate = `${formatNumber(drainsPerSecond)} tasks/s`;
  return `  ${formatNumber(tasks)} tasks due at once: ${rate}, the consumer has ${formatNumber(consumerMib)} MiB afterwards`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}
