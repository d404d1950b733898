import type { SubjectName } from '../subjects/subject.js';
import { type ChartLine, lineChart, text } from './line-chart.js';
import { GROWTH_SUBJECTS, type GrowthFigure, type GrowthPoint } from './measure-growth.js';

const COLORS: Readonly<Record<(typeof GROWTH_SUBJECTS)[number], string>> = {
  'nestjs-delay-queue': '#c2255c',
  bullmq: '#1971c2',
};

const CHARTS: readonly { readonly title: string; readonly figure: GrowthFigure }[] = [
  { title: 'schedule, 64 callers: tasks/s', figure: 'schedulesPerSecond' },
  { title: 'drain, concurrency 50: tasks/s', figure: 'drainsPerSecond' },
  { title: 'schedule: µs in Redis scripts per task', figure: 'scheduleScriptUs' },
  { title: 'drain: µs in Redis scripts per task', figure: 'drainScriptUs' },
];

const CHART_WIDTH = 440;
const CHART_HEIGHT = 250;
const LEGEND_HEIGHT = 40;

const STYLE =
  'text{font:12px system-ui,sans-serif;fill:#343a40}.grid{stroke:#dee2e6;stroke-width:1;fill:none}.back{fill:#fff}';

/** Draws rates and costs over the number of waiting tasks, as an SVG picture. */
export function growthPlot(points: readonly GrowthPoint[]): string {
  const width = 2 * CHART_WIDTH;
  const height = LEGEND_HEIGHT + 2 * CHART_HEIGHT;
  const charts = CHARTS.map(({ title, figure }, index) =>
    lineChart(
      { title, lines: GROWTH_SUBJECTS.map((subject) => lineOf(subject, figure, points)) },
      {
        left: (index % 2) * CHART_WIDTH,
        top: LEGEND_HEIGHT + Math.floor(index / 2) * CHART_HEIGHT,
        width: CHART_WIDTH,
        height: CHART_HEIGHT,
      },
    ),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    '<title>Rates and costs of Redis over the number of waiting tasks</title>',
    `<style>${STYLE}</style>`,
    `<rect class="back" width="${width}" height="${height}"/>`,
    ...legend(),
    ...charts,
    '</svg>\n',
  ].join('\n');
}

function lineOf(
  subject: SubjectName & keyof typeof COLORS,
  figure: GrowthFigure,
  points: readonly GrowthPoint[],
): ChartLine {
  const own = points.filter((point) => point.subject === subject);
  return {
    name: subject,
    color: COLORS[subject],
    points: own.map((point) => ({ x: point.waiting, y: point[figure] })),
  };
}

function legend(): string[] {
  const names = GROWTH_SUBJECTS.flatMap((subject, index) => {
    const x = 16 + index * 170;
    return [`<circle cx="${x}" cy="20" r="5" fill="${COLORS[subject]}"/>`, text({ x: x + 12, y: 24, words: subject })];
  });
  return [...names, text({ x: 420, y: 24, words: 'horizontal: tasks that wait meanwhile' })];
}
