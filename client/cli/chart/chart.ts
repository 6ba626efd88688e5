import type { ChartStyle } from '../../commands/command.ts';
import { toneOf } from '../../commands/format/price.ts';
import { type Line, type Span, span, wrapped } from '../../commands/format/text.ts';
import { changeOf, type SeriesCandle } from '../../commands/series.ts';
import { priceLabels } from './axis.ts';
import { brailleLine } from './braille.ts';
import { type Cell, candleColumn, colourlessLegend, merged } from './candlesticks.ts';
import { dateLabels, type Tick } from './dates.ts';
import { type Scale, scaleOf } from './scale.ts';

export interface ChartOptions {
  readonly style: ChartStyle;
  /** Cells that a line may take. */
  readonly width: number;
  /** Lines that the chart may take, with the dates and remarks below it. */
  readonly rows: number;
  readonly hasColour: boolean;
}

interface Drawing {
  readonly rows: readonly (readonly Cell[])[];
  readonly scale: Scale;
  readonly ticks: readonly Tick[];
  readonly notes: readonly string[];
}

/** The most cells for a candle with its gap: few candles make a narrow chart, not a sparse one. */
const MAX_STEP = 4;
/** A drawing that would be narrower than this goes without prices beside it. */
const MIN_PLOT = 12;

/** However low a window is, fewer rows would show nothing. */
const MIN_PLOT_ROWS = 4;
const MAX_PLOT_ROWS = 20;
/** From so many rows on, two of them are left empty, above the chart and below it. */
const ROOMY_ROWS = 14;

/** A chart with an empty line above and one below it, if there is room for them. */
export function spacedChart(series: readonly SeriesCandle[], options: ChartOptions): Line[] {
  if (options.rows < ROOMY_ROWS) return drawChart(series, options);
  return [[], ...drawChart(series, { ...options, rows: options.rows - 2 }), []];
}

/** A chart as lines of text: the drawing with prices at its right, then dates and remarks. */
export function drawChart(series: readonly SeriesCandle[], options: ChartOptions): Line[] {
  if (series.length === 0) return [];
  // How many remarks there are depends on the drawing's width, and that on its prices.
  let plotRows = Math.max(MIN_PLOT_ROWS, Math.min(MAX_PLOT_ROWS, options.rows - 2));
  let lines = chartOf(series, plotRows, options);
  while (lines.length > options.rows && plotRows > MIN_PLOT_ROWS) {
    plotRows = Math.max(MIN_PLOT_ROWS, plotRows - (lines.length - options.rows));
    lines = chartOf(series, plotRows, options);
  }
  return lines;
}

function chartOf(series: readonly SeriesCandle[], rows: number, options: ChartOptions): Line[] {
  const { style, width } = options;
  const drawn = style === 'line' ? drawLine : drawCandles;

  // The prices decide how wide the labels are, and the labels how much is left for the drawing.
  const { scale } = drawn(series, width, rows, options);
  const labels = priceLabels(scale, rows);
  const labelWidth = Math.max(...[...labels.values()].map((label) => label.length));
  const hasAxis = width - labelWidth - 2 >= MIN_PLOT;
  const plotWidth = hasAxis ? width - labelWidth - 2 : width;
  const drawing = drawn(series, plotWidth, rows, options);
  const usedWidth = drawing.rows[0]?.length ?? 0;
  const dates = dateLabels(drawing.ticks, usedWidth);

  const plot = drawing.rows.map((cells, row): Line => {
    if (!hasAxis) return spansOf(cells);
    const label = labels.get(row);
    return [...spansOf(cells), span(label === undefined ? '│' : `┤ ${label}`, 'muted')];
  });
  const remarks = drawing.notes.length > 0 ? wrapped(drawing.notes.join('  '), width) : [];
  const axis = dates.reduce((line, { column }) => `${line.padEnd(column, '─')}┬`, '').padEnd(usedWidth, '─');
  return [
    ...plot,
    [span(hasAxis ? `${axis}┘` : axis, 'muted')],
    [
      span(
        dates.reduce((line, { text, column }) => line.padEnd(column) + text, ''),
        'muted',
      ),
    ],
    ...remarks.map((remark): Line => [span(remark, 'muted')]),
  ];
}

function drawCandles(
  series: readonly SeriesCandle[],
  width: number,
  rows: number,
  { hasColour }: ChartOptions,
): Drawing {
  const candles = merged(series, width);
  const step = Math.min(MAX_STEP, Math.max(1, Math.floor(width / candles.length)));
  const scale = scaleOf(candles.flatMap(({ high, low }) => [high, low]));
  const drawn = candles.map((candle) => candleColumn(candle, { scale, rows, hasColour }));
  const gap: Cell[] = new Array(step - 1).fill({ character: ' ', tone: undefined });
  return {
    rows: Array.from({ length: rows }, (_, row) =>
      drawn.flatMap((column) => [...column.slice(row, row + 1), ...gap]),
    ),
    scale,
    ticks: candles.map(({ time }, index) => ({ time, column: index * step })),
    notes: [
      ...(hasColour ? [] : [colourlessLegend]),
      ...(candles.length < series.length
        ? [`${Math.ceil(series.length / width)} candles in one column; a wider terminal shows more`]
        : []),
    ],
  };
}

function drawLine(series: readonly SeriesCandle[], width: number, rows: number): Drawing {
  const scale = scaleOf(series.map(({ close }) => close));
  const right = Math.max(1, series.length - 1);
  const points = series.map(({ close }, index) => ({ x: index / right, y: scale.depth(close) }));
  const tone = toneOf(changeOf(series));
  return {
    rows: brailleLine(points, width, rows).map((row) => [...row].map((character) => ({ character, tone }))),
    scale,
    ticks: series.map(({ time }, index) => ({ time, column: Math.round((index / right) * (width - 1)) })),
    notes: [],
  };
}

/** Joins neighbours of one tone into one span. */
function spansOf(cells: readonly Cell[]): Span[] {
  const spans: { text: string; tone: Cell['tone'] }[] = [];
  for (const { character, tone } of cells) {
    const last = spans.at(-1);
    if (last && (last.tone === tone || character === ' ')) last.text += character;
    else spans.push({ text: character, tone: character === ' ' ? undefined : tone });
  }
  return spans;
}
