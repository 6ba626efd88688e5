import { type ComparedSeries, comparedSeries } from '../../commands/compare.ts';
import { lineTone } from '../../commands/format/compare.ts';
import {
  clean,
  displayWidth,
  fitted,
  type Line,
  type Span,
  span,
  type Tone,
} from '../../commands/format/text.ts';
import { formatOpen } from '../../commands/format/time.ts';
import type { ChartResult } from '../../commands/result.ts';
import { brailleLine, type Dash } from './braille.ts';
import { type Scale, scaleOf } from './scale.ts';

export interface CompareSize {
  /** Cells that a line may take. */
  readonly width: number;
  /** Lines that the chart may take, with the dates and remarks below it. */
  readonly rows: number;
  readonly hasColour: boolean;
}

/** However low a window is, fewer rows would show nothing. */
const MIN_ROWS = 4;
const MAX_ROWS = 20;
/** From so many rows on there is an empty line above the chart and one below it. */
const ROOMY_ROWS = 14;
/** A drawing that would be narrower than this goes without percents beside it. */
const MIN_PLOT = 12;
const MAX_SYMBOL = 6;
const ROWS_PER_LABEL = 2;
/** Steps between labels, times a power of ten. */
const ROUND = [1, 2, 2.5, 5, 10] as const;
/** Over longer spans, days of two years would look alike. */
const LONG_SPAN_SECONDS = 300 * 86_400;
/** Tell the lines apart without colour, in the order of the command: steps that are drawn, and steps that are not. */
const dashes: readonly Dash[] = [
  [1, 0],
  [4, 4],
  [1, 2],
  [8, 3],
  [2, 4],
];

interface Mark {
  readonly text: string;
  readonly tone: Tone;
}

interface DotCell {
  readonly character: string;
  readonly tone: Tone | undefined;
}

/** Coins on one scale in percent: a line each, which ends with the coin's symbol, and dates below. */
export function drawCompared(result: ChartResult, { width, rows, hasColour }: CompareSize): Line[] {
  const coins = comparedSeries(result);
  const times = coins.flatMap(({ series }) => series.map(({ time }) => time));
  if (times.length === 0) return [];
  const from = times.reduce((a, b) => Math.min(a, b));
  const to = times.reduce((a, b) => Math.max(a, b));
  const isRoomy = rows >= ROOMY_ROWS;
  const notes = hasColour ? [] : legend(coins, width);
  const plotRows = Math.min(MAX_ROWS, Math.max(MIN_ROWS, rows - 2 - notes.length - (isRoomy ? 2 : 0)));
  const scale = scaleOf([0, ...coins.flatMap(({ series }) => series.map(({ percent }) => percent))]);

  const symbols = coins.map(({ coin }) => clean(coin.symbol));
  const markWidth = Math.min(MAX_SYMBOL, Math.max(...symbols.map(displayWidth)));
  const labels = percentLabels(scale, plotRows);
  const labelWidth = Math.max(...[...labels.values()].map((label) => label.length));
  const hasAxis = width - markWidth - labelWidth - 3 >= MIN_PLOT;
  const plotWidth = width - markWidth - 1 - (hasAxis ? labelWidth + 2 : 0);

  const layers = coins.map(({ series }, index) => {
    const points = series.map(({ time, percent }) => ({
      x: to > from ? (time - from) / (to - from) : 0,
      y: scale.depth(percent),
    }));
    const dash = hasColour ? undefined : dashes[index % dashes.length];
    return brailleLine(thinned(points, plotWidth * 2), plotWidth, plotRows, dash);
  });
  const marks = marksOf(coins, scale, plotRows);
  const plot = Array.from({ length: plotRows }, (_, row): Line => {
    const mark = marks.get(row);
    const label = labels.get(row);
    return [
      ...spansOf(cellsOf(layers, row, plotWidth)),
      span(` ${fitted(mark?.text ?? '', markWidth)}`, mark?.tone),
      ...(hasAxis ? [span(label === undefined ? '│' : `┤ ${label}`, 'muted')] : []),
    ];
  });
  const baseWidth = plotWidth + 1 + markWidth;
  const space: Line[] = isRoomy ? [[]] : [];
  return [
    ...space,
    ...plot,
    [span(hasAxis ? `${'─'.repeat(baseWidth)}┘` : '─'.repeat(baseWidth), 'muted')],
    [span(dates(from, to, result.data.interval, plotWidth), 'muted')],
    ...notes,
    ...space,
  ];
}

/** Round changes such as `+20%` by their row from the top, zero among them; all as wide as the widest. */
function percentLabels({ low, high, depth }: Scale, rows: number): ReadonlyMap<number, string> {
  const least = ((high - low) * ROWS_PER_LABEL) / rows;
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = ROUND.find((candidate) => candidate * power >= least) ?? 10;
  const step = power * factor;
  const decimals = Math.max(0, (factor === 2.5 ? 1 : 0) - Math.round(Math.log10(power)));
  const labels = new Map<number, string>();
  for (let count = Math.ceil(low / step); count * step <= high; count += 1) {
    const row = Math.min(rows - 1, Math.floor(depth(count * step) * rows));
    labels.set(row, `${count > 0 ? '+' : ''}${(count * step).toFixed(decimals)}%`);
  }
  const width = Math.max(...[...labels.values()].map((label) => label.length));
  return new Map([...labels].map(([row, label]) => [row, label.padStart(width)]));
}

/** The symbol of each coin at the row where its line ends, or at the nearest row that no other symbol has. */
function marksOf(coins: readonly ComparedSeries[], scale: Scale, rows: number): ReadonlyMap<number, Mark> {
  const marks = new Map<number, Mark>();
  for (const [index, { coin, series }] of coins.entries()) {
    const last = series.at(-1);
    if (!last) continue;
    const wanted = Math.min(rows - 1, Math.floor(scale.depth(last.percent) * rows));
    const free = Array.from({ length: rows }, (_, row) => row)
      .filter((row) => !marks.has(row))
      .sort((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted))[0];
    if (free !== undefined) marks.set(free, { text: clean(coin.symbol), tone: lineTone(index) });
  }
  return marks;
}

/** A row of all lines together. A cell has the dots of all of them, and the colour of the first. */
function cellsOf(layers: readonly (readonly string[])[], row: number, width: number): DotCell[] {
  const lines = layers.map((layer) => [...(layer[row] ?? '')]);
  return Array.from({ length: width }, (_, column) => {
    const dots = lines.map((line) => Math.max(0, (line[column] ?? ' ').charCodeAt(0) - BLANK));
    const owner = dots.findIndex((bits) => bits > 0);
    if (owner < 0) return { character: ' ', tone: undefined };
    const all = dots.reduce((a, b) => a | b, 0);
    return { character: String.fromCharCode(BLANK + all), tone: lineTone(owner) };
  });
}

/** The first braille character, which has no dots. */
const BLANK = 0x2800;

/** Joins neighbours of one tone into one span. */
function spansOf(cells: readonly DotCell[]): Span[] {
  const spans: { text: string; tone: Tone | undefined }[] = [];
  for (const { character, tone } of cells) {
    const last = spans.at(-1);
    if (last && (last.tone === tone || character === ' ')) last.text += character;
    else spans.push({ text: character, tone });
  }
  return spans;
}

/** The last point of each column of dots: more of them would fill a dashed line's gaps. */
function thinned<Point extends { readonly x: number }>(points: readonly Point[], columns: number): Point[] {
  const columnOf = ({ x }: Point) => Math.round(x * (columns - 1));
  return points.filter((point, index) => {
    const next = points[index + 1];
    return !next || columnOf(next) !== columnOf(point);
  });
}

function dates(from: number, to: number, interval: string, width: number): string {
  const precision = to - from > LONG_SPAN_SECONDS ? '365d' : interval;
  const first = formatOpen(from * 1000, precision);
  const last = formatOpen(to * 1000, precision);
  const hasRoom = first.length + 2 + last.length <= width && to > from;
  return hasRoom ? first + last.padStart(width - first.length) : first;
}

/** `⠤⠤⠤⠤⠤ BTC  ⠤⠄ ⠠⠤ ETH`, in as many lines as it takes. */
function legend(coins: readonly ComparedSeries[], width: number): Line[] {
  const points = [
    { x: 0, y: 0.5 },
    { x: 1, y: 0.5 },
  ];
  const lines: string[] = [];
  for (const [index, { coin }] of coins.entries()) {
    const [sample] = brailleLine(points, SAMPLE_WIDTH, 1, dashes[index % dashes.length]);
    const entry = `${sample} ${fitted(clean(coin.symbol), MAX_SYMBOL).trimEnd()}`;
    const line = lines.at(-1);
    if (line === undefined || displayWidth(line) + 2 + displayWidth(entry) > width) lines.push(entry);
    else lines[lines.length - 1] = `${line}  ${entry}`;
  }
  return lines.map((line) => [span(line, 'muted')]);
}

const SAMPLE_WIDTH = 5;
