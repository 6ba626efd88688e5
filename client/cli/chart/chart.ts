import { lineTone } from '../../commands/format/chart.ts';
import { axisDigits, formatAmount, toneOf } from '../../commands/format/numbers.ts';
import { clean, type Line, span } from '../../commands/format/text.ts';
import { displayWidth, fitted, wrapped } from '../../commands/format/width.ts';
import type { ChartResult } from '../../commands/result.ts';
import type { SeriesCandle } from '../../commands/series.ts';
import { comparedSeries, type ShownChart, shownChart, styleOf } from '../../commands/shown-chart.ts';
import { axisLabels, type Label, type Labels, pointsOf, rowOf, scaleOf } from './axis.ts';
import {
  candleCells,
  colourlessLegend,
  merged,
  mergedSize,
  type Place,
  placesOf,
  volumeCells,
  wickOf,
} from './candles.ts';
import { BLANK, brailleCells, type Cells, type Dash, lineOf, type Point } from './cells.ts';
import { dateLabels, type Tick } from './dates.ts';

/** The cells available for a chart, including its axis, dates and remarks. */
export interface ChartSize {
  readonly width: number;
  readonly rows: number;
  readonly hasColour: boolean;
}

/** What is drawn between the axes. */
interface Drawing {
  readonly cells: Cells;
  readonly labels: Labels;
  readonly ticks: readonly Tick[];
  readonly notes: readonly string[];
}

type Draw = (width: number, rows: number) => Drawing;

/** Narrower drawings have no prices beside them. */
const MIN_PLOT = 12;
/** Fewer rows would show nothing, even in a low window. More than the maximum, or than a third of the width, look steep. */
const MIN_ROWS = 4;
const MAX_ROWS = 36;
/** From this height on, one row is left empty above the chart and one below it. */
const ROOMY_ROWS = 14;
/** Lower drawings have no volume. */
const MIN_ROWS_WITH_VOLUME = 10;
const MAX_SYMBOL = 6;
/** Dashes that distinguish lines without colour, in the order of the command. */
const dashes: readonly Dash[] = [
  [1, 0],
  [4, 4],
  [1, 2],
  [8, 3],
  [2, 4],
];
const SAMPLE_WIDTH = 5;
const DOTTED = '┈';

/**
 * The chart of a result as lines of text: candles or a line, or one line per compared coin. Prices are at the right,
 * dates and remarks below, with an empty line above and below if it fits.
 */
export function drawChart(result: ChartResult, size: ChartSize): Line[] {
  if (result.compared.length > 0) {
    const coins = comparedSeries(result);
    return coins.every((coin) => coin.series.length === 0) ? [] : framed(comparison(coins, size), size);
  }
  const chart = shownChart(result);
  return chart.series.length === 0 ? [] : framed(prices(chart, styleOf(result) === 'line', size), size);
}

function framed(draw: Draw, { width, rows: room }: ChartSize): Line[] {
  const space: Line[] = room >= ROOMY_ROWS ? [[]] : [];
  const most = room - 2 * space.length;
  // The number of remarks depends on the drawing's width, which depends on the prices.
  let rows = Math.max(MIN_ROWS, Math.min(MAX_ROWS, Math.ceil(width / 3), most - 2));
  let lines = withAxes(draw, width, rows);
  while (lines.length > most && rows > MIN_ROWS) {
    rows = Math.max(MIN_ROWS, rows - (lines.length - most));
    lines = withAxes(draw, width, rows);
  }
  return [...space, ...lines, ...space];
}

function withAxes(draw: Draw, width: number, rows: number): Line[] {
  // The prices determine the width of the labels, and the labels the width of the drawing.
  const widest = Math.max(...[...draw(width, rows).labels.values()].map(({ text }) => displayWidth(text)));
  const hasAxis = width - widest - 2 >= MIN_PLOT;
  const plotWidth = hasAxis ? width - widest - 2 : width;
  const { cells, labels, ticks, notes } = draw(plotWidth, rows);
  const dates = dateLabels(ticks, plotWidth);
  const marks = dates.reduce((text, { column }) => `${text.padEnd(column, '─')}┬`, '').padEnd(plotWidth, '─');
  const dateText = dates.reduce((text, { text: date, column }) => text.padEnd(column) + date, '');
  return [
    ...cells.map((row, index) => [...lineOf(row), ...(hasAxis ? axisOf(labels.get(index), widest) : [])]),
    [span(hasAxis ? `${marks}┘` : marks, 'muted')],
    [span(dateText, 'muted')],
    ...wrapped(notes.join('  '), width).flatMap((text): Line[] => (text ? [[span(text, 'muted')]] : [])),
  ];
}

function axisOf(label: Label | undefined, width: number): Line {
  if (!label) return [span('│', 'muted')];
  const text = ' '.repeat(Math.max(0, width - displayWidth(label.text))) + label.text;
  return label.isMark
    ? [span('┤', 'muted'), span(`◂${text}`, label.tone ?? 'strong')]
    : [span(`┤ ${text}`, 'muted')];
}

/** Candles or a line, with the heading's price marked; the volume is below if it is known and fits. */
function prices(chart: ShownChart, isLine: boolean, { hasColour }: ChartSize): Draw {
  const { series, price = 0, change } = chart;
  const right = Math.max(1, series.length - 1);
  return (width, allRows) => {
    const size = mergedSize(series, width);
    const candles = merged(series, size);
    const places = isLine ? columnsOf(series, width) : placesOf(candles, width);
    const largest = Math.max(...places.map(({ candle }) => candle.volume ?? 0));
    const hasVolume = largest > 0 && allRows >= MIN_ROWS_WITH_VOLUME;
    const volumeRows = hasVolume ? Math.max(2, Math.round(allRows / 7)) : 0;
    const rows = allRows - volumeRows;

    const closes = series.map(({ close }) => close);
    const scale = scaleOf([price, ...(isLine ? closes : candles.flatMap(({ high, low }) => [high, low]))]);
    const cells = isLine
      ? brailleCells([{ points: pointsOf(closes, scale), tone: toneOf(change) }], width, rows)
      : candleCells(places, { width, rows, hasColour }, scale);
    const labels = axisLabels(scale, rows);
    const priceRow = rowOf(price, scale, rows);
    labels.set(priceRow, { text: axisDigits([price])[0] ?? '', tone: toneOf(change), isMark: true });
    // The source may count coins or dollars, so no currency is shown.
    if (hasVolume) labels.set(rows, { text: formatAmount(largest).replace('$', '') });
    return {
      cells: [...dotted(cells, priceRow), ...volumeCells(places, width, volumeRows)],
      labels,
      ticks: isLine
        ? series.map(({ time }, index) => ({ time, column: Math.round((index / right) * (width - 1)) }))
        : places.map((place) => ({ time: place.candle.time, column: wickOf(place) })),
      notes: [
        ...(isLine || hasColour ? [] : [colourlessLegend]),
        ...(isLine || size === 1 ? [] : [`${size} candles in one; a wider terminal shows more`]),
      ],
    };
  };
}

/** A series over the whole width, one value per column. */
function columnsOf(series: readonly SeriesCandle[], width: number): Place[] {
  return Array.from({ length: width }, (_, column) => {
    const start = Math.floor((column * series.length) / width);
    const end = Math.max(start + 1, Math.floor(((column + 1) * series.length) / width));
    const [candle] = merged(series.slice(start, end), end - start);
    const volume = candle?.volume == null ? null : candle.volume / (end - start);
    return candle ? [{ candle: { ...candle, volume }, column, width: 1 }] : [];
  }).flat();
}

/** A dotted line through the empty cells of a row. */
function dotted(cells: Cells, row: number): Cells {
  const line = { character: DOTTED, tone: 'muted' } as const;
  return cells.map((each, index) =>
    index === row ? each.map((cell) => (cell === BLANK ? line : cell)) : each,
  );
}

function comparison(coins: ReturnType<typeof comparedSeries>, { width: room, hasColour }: ChartSize): Draw {
  const times = [...new Set(coins.flatMap(({ series }) => series.map(({ time }) => time)))].sort(
    (a, b) => a - b,
  );
  const [from = 0, to = 0] = [times[0], times.at(-1)];
  const xOf = (time: number) => (to > from ? (time - from) / (to - from) : 0);
  const scale = scaleOf([0, ...coins.flatMap(({ series }) => series.map(({ percent }) => percent))]);
  const lines = coins.map(({ coin, series }, index) => ({
    symbol: fitted(clean(coin.symbol), MAX_SYMBOL).trimEnd(),
    last: series.at(-1)?.percent,
    points: series.map(({ time, percent }) => ({ x: xOf(time), y: scale.depth(percent) })),
    tone: lineTone(index),
    dash: hasColour ? undefined : dashes[index % dashes.length],
  }));
  return (width, rows) => {
    const labels = axisLabels(scale, rows, true);
    const zero = rowOf(0, scale, rows);
    for (const { symbol, last, tone } of lines) {
      if (last === undefined) continue;
      const wanted = rowOf(last, scale, rows);
      const row = Array.from({ length: rows }, (_, at) => at)
        .filter((at) => at !== zero && !labels.get(at)?.isMark)
        .sort((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted))[0];
      if (row !== undefined) labels.set(row, { text: symbol, tone, isMark: true });
    }
    const thin = lines.map((line) => ({ ...line, points: thinned(line.points, width * 2) }));
    return {
      cells: dotted(brailleCells(thin, width, rows), zero),
      labels,
      ticks: times.map((time) => ({ time, column: Math.round(xOf(time) * (width - 1)) })),
      notes: hasColour
        ? []
        : lines.map(({ symbol, dash }) => fitted(`${sampleOf(dash)} ${symbol}`, room).trimEnd()),
    };
  };
}

/** The last point of each column of dots: more points would fill the gaps of a dashed line. */
function thinned(points: readonly Point[], columns: number): Point[] {
  const columnOf = ({ x }: Point) => Math.round(x * (columns - 1));
  return points.filter((point, index) => {
    const next = points[index + 1];
    return !next || columnOf(next) !== columnOf(point);
  });
}

/** `⠤⠤⠤⠤⠤`, with spaces that survive wrapping. */
function sampleOf(dash: Dash | undefined): string {
  const points = pointsOf([1, 1], scaleOf([1]));
  const [cells = []] = brailleCells([{ points, dash }], SAMPLE_WIDTH, 1);
  return cells.map(({ character }) => (character === ' ' ? '⠀' : character)).join('');
}
