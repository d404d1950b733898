/** A line of a chart. */
export interface ChartLine {
  readonly name: string;
  readonly color: string;
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

/** A chart: x is logarithmic, y begins at zero. */
export interface Chart {
  readonly title: string;
  readonly lines: readonly ChartLine[];
}

/** Where a chart stands in its picture. */
export interface ChartPlace {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

const MARGIN = { left: 56, right: 16, top: 34, bottom: 34 };

/** Marks of the y axis beside zero. */
const Y_MARKS = 4;

/** Draws a chart as a group of an SVG picture. */
export function lineChart({ title, lines }: Chart, place: ChartPlace): string {
  const left = place.left + MARGIN.left;
  const right = place.left + place.width - MARGIN.right;
  const top = place.top + MARGIN.top;
  const bottom = place.top + place.height - MARGIN.bottom;

  const xs = [...new Set(lines.flatMap(({ points }) => points.map(({ x }) => x)))].sort((a, b) => a - b);
  const [lowest = 1, highest = lowest * 10] = [xs[0], xs.at(-1)];
  const top10 = roundUp(Math.max(...lines.flatMap(({ points }) => points.map(({ y }) => y))));
  const xOf = (x: number): number => left + ((right - left) * Math.log(x / lowest)) / Math.log(highest / lowest || 10);
  const yOf = (y: number): number => bottom - ((bottom - top) * y) / top10;

  const marks = Array.from({ length: Y_MARKS + 1 }, (_, index) => (top10 * index) / Y_MARKS);
  return [
    '<g>',
    text({ x: place.left + 12, y: place.top + 18, words: title, style: 'font-weight="600"' }),
    ...marks.map((mark) => `<path class="grid" d="M${left} ${fixed(yOf(mark))}H${right}"/>`),
    ...marks.map((mark) => text({ x: left - 8, y: yOf(mark) + 4, words: short(mark), style: 'text-anchor="end"' })),
    ...xs.map((x) => text({ x: xOf(x), y: bottom + 18, words: short(x), style: 'text-anchor="middle"' })),
    ...lines.map(({ color, points }) => {
      const path = points.map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${fixed(xOf(x))} ${fixed(yOf(y))}`);
      return `<path fill="none" stroke="${color}" stroke-width="2" d="${path.join('')}"/>`;
    }),
    ...lines.flatMap(({ color, points }) =>
      points.map(({ x, y }) => `<circle cx="${fixed(xOf(x))}" cy="${fixed(yOf(y))}" r="3" fill="${color}"/>`),
    ),
    '</g>',
  ].join('\n');
}

/** A piece of text of an SVG picture. */
export function text({ x, y, words, style = '' }: { x: number; y: number; words: string; style?: string }): string {
  return `<text x="${fixed(x)}" y="${fixed(y)}" ${style}>${words}</text>`;
}

/** The next of 1, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 1.5, 2, 3, 4, 5, 6, 8, 10].find((each) => each * power >= value) ?? 10;
  return step * power;
}

function short(value: number): string {
  if (value >= 1e6) return `${value / 1e6}M`;
  if (value >= 1e3) return `${value / 1e3}k`;
  return String(Number(value.toFixed(1)));
}

function fixed(value: number): string {
  return String(Number(value.toFixed(1)));
}
