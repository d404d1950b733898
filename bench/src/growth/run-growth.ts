import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { formatNumber } from '../report/format-number.js';
import { table } from '../report/table.js';
import type { StageOptions } from '../stage.js';
import { growthPlot } from './growth-plot.js';
import { type GrowthFigure, type GrowthPoint, measureGrowth } from './measure-growth.js';

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
  return { text: `${table(header, rows)}\n\nDrawn to ${PLOT_FILE}`, points };
}
