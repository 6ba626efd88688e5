import type { ChartStyle } from '../../commands/command.ts';
import { toneOf } from '../../commands/format/price.ts';
import { type Line, type Span, span } from '../../commands/format/text.ts';
import { changeOf, type SeriesCandle } from '../../commands/series.ts';
import { dateLine, priceLabels, type Tick } from './axis.ts';
import { brailleLine } from './braille.ts';
import { type Cell, candleColumn, colourlessLegend, merged } from './candlesticks.ts';
import { type Scale, scaleOf } from './scale.ts';

export interface ChartOptions {
  readonly style: ChartStyle;
  readonly interval: string;
  /** Cells that a line may take. */
  readonly width: number;
  /** Lines of the drawing itself, without the dates below it. */
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

/** A chart as lines of text: the drawing with prices at its right, dates below. */
export function drawChart(series: readonly SeriesCandle[], options: ChartOptions): Line[] {
  if (series.length === 0) return [];
  const { style, width, rows, interval } = options;
  const drawn = style === 'line' ? drawLine : drawCandles;

  // The prices decide how wide the labels are, and the labels how much is left for the drawing.
  const { scale } = drawn(series, width, options);
  const labels = priceLabels(scale, rows);
  const labelWidth = Math.max(...[...labels.values()].map((label) => label.length));
  const hasAxis = width - labelWidth - 2 >= MIN_PLOT;
  const plotWidth = hasAxis ? width - labelWidth - 2 : width;
  const drawing = drawn(series, plotWidth, options);
  const usedWidth = drawing.rows[0]?.length ?? 0;

  const plot = drawing.rows.map((cells, row): Line => {
    if (!hasAxis) return spansOf(cells);
    const label = labels.get(row);
    return [...spansOf(cells), span(label === undefined ? '│' : `┤ ${label}`, 'muted')];
  });
  return [
    ...plot,
    [span(hasAxis ? `${'─'.repeat(usedWidth)}┘` : '─'.repeat(usedWidth), 'muted')],
    [span(dateLine(drawing.ticks, interval, usedWidth), 'muted')],
    ...drawing.notes.map((note): Line => [span(note, 'muted')]),
  ];
}

function drawCandles(
  series: readonly SeriesCandle[],
  width: number,
  { rows, hasColour }: ChartOptions,
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

function drawLine(series: readonly SeriesCandle[], width: number, { rows }: ChartOptions): Drawing {
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
