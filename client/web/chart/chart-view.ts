/** Draws with TradingView's library, which the page loads with its first chart. */
import {
  AreaSeries,
  CandlestickSeries,
  createChart,
  HistogramSeries,
  type IChartApi,
  type ISeriesApi,
  LineSeries,
  LineStyle,
  PriceScaleMode,
  type SeriesType,
  type UTCTimestamp,
} from 'lightweight-charts';
import { axisDigits, formatPercent, formatPrice, type Quote } from '../../commands/format/numbers.ts';
import type { ChartStyle } from '../../commands/result.ts';
import type { SeriesCandle } from '../../commands/series.ts';
import type { ComparedSeries } from '../../commands/shown-chart.ts';
import { colourOf } from '../app/session.ts';

export interface Drawn {
  /** The candles of the chart's own coin. */
  readonly series: readonly SeriesCandle[];
  /** Several coins in percent instead of prices; empty: one coin. */
  readonly compared: readonly ComparedSeries[];
  readonly style: ChartStyle;
  readonly isLogarithmic: boolean;
  readonly hasAverage: boolean;
  readonly quote: Quote;
  readonly interval: string;
}

export type ChartView = ReturnType<typeof createChartView>;

/** The number of closes in the moving average. */
const AVERAGE_OF = 20;
/** Relative heights of the panes for prices and volumes. */
const PARTS = [4, 1];
/** The most space for a symbol at the end of a line. */
const MAX_SYMBOL_PX = 80;
/** Line styles that distinguish lines without colour; the legend uses the same ones. */
const strokes = [
  LineStyle.Solid,
  LineStyle.Dashed,
  LineStyle.Dotted,
  LineStyle.LargeDashed,
  LineStyle.SparseDotted,
] as const;
/** Hides the line at the last price and its label. */
const quiet = { priceLineVisible: false, lastValueVisible: false } as const;

/**
 * A chart that fills `container`; `keys` is the element that receives arrow keys. `onTime` gets the time under the
 * crosshair, or undefined if there is none, and whether a key moved it.
 */
export function createChartView(
  container: HTMLElement,
  keys: HTMLElement,
  onTime: (time: number | undefined, isByKey: boolean) => void,
) {
  const chart = createChart(container, {
    autoSize: true,
    // The logo uses an inline style and markup as text, which the page's policy forbids; the attribution is in the footer.
    layout: { attributionLogo: false },
  });
  let current: Drawn | undefined;
  let drawnSeries: readonly ISeriesApi<SeriesType>[] = [];
  let shape = '';
  chart.timeScale().subscribeSizeChange(() => {
    if (current && current.compared.length > 0) chart.timeScale().fitContent();
  });
  chart.subscribeCrosshairMove(({ time }) => onTime(typeof time === 'number' ? time : undefined, false));
  followKeys(
    keys,
    () => (current ? pointsOf(current).length : 0),
    (index) => {
      const point = current && index !== undefined ? pointsOf(current)[index] : undefined;
      const [first] = drawnSeries;
      if (!point || !first) chart.clearCrosshairPosition();
      else chart.setCrosshairPosition(point.value, point.time, first);
      onTime(point?.time, true); // setting a position does not call the listener
    },
  );
  return {
    /** Keeps the zoom if the times are the same as before. */
    draw(drawn: Drawn) {
      current = drawn;
      for (const series of drawnSeries) chart.removeSeries(series);
      applyLook(chart, drawn);
      drawnSeries = drawn.compared.length > 0 ? addPercents(chart, drawn) : addPrices(chart, drawn);
      for (const [index, pane] of chart.panes().entries()) pane.setStretchFactor(PARTS[index] ?? 1);
      const { series, compared, interval, style } = drawn;
      const ids = compared.map(({ coin }) => coin.id);
      const next = JSON.stringify([series[0]?.time, series.length, interval, style, ids]);
      if (next !== shape) chart.timeScale().fitContent();
      shape = next;
    },
    /** The current picture, without the crosshair. */
    screenshot: () => chart.takeScreenshot(true, false),
    /** Frees the canvas and the listeners. */
    remove: () => chart.remove(),
  };
}

/** Arrow keys, Home and End move the crosshair of a focused chart to a candle; Escape and leaving hide it. */
function followKeys(container: HTMLElement, count: () => number, show: (index?: number) => void): void {
  let index: number | undefined;
  const move = (to?: number) => {
    index = to;
    show(to);
  };
  container.addEventListener('keydown', (event) => {
    const last = count() - 1;
    if (event.key === 'Escape' && index !== undefined) {
      event.stopPropagation(); // the element around the chart gets the next one
      return move();
    }
    const targets: Readonly<Record<string, number>> = {
      ArrowLeft: Math.max(0, (index ?? last + 1) - 1),
      ArrowRight: Math.min(last, (index ?? last) + 1),
      Home: 0,
      End: last,
    };
    const target = targets[event.key];
    if (last < 0 || target === undefined) return;
    event.preventDefault();
    move(target);
  });
  container.addEventListener('blur', () => {
    if (index !== undefined) move();
  });
}

interface Point {
  readonly time: UTCTimestamp;
  readonly value: number;
}

/** The library brands its seconds since the epoch with a type of their own; `toSeries` returns exactly those. */
function pointOf(time: number, value: number): Point {
  return { time: time as UTCTimestamp, value };
}

/** The series under the crosshair, from left to right. */
function pointsOf({ series, compared: [own] }: Drawn): readonly Point[] {
  return own
    ? own.series.map(({ time, percent }) => pointOf(time, percent))
    : series.map(({ time, close }) => pointOf(time, close));
}

/** The prices, which the crosshair follows, an average, and the volumes in a pane of their own. */
function addPrices(chart: IChartApi, drawn: Drawn): ISeriesApi<SeriesType>[] {
  const { series, style, hasAverage } = drawn;
  const [up, down, line, color] = ['up', 'down', 'line', 'series-2'].map(colourOf);
  const [rise, fall] = ['volume-up', 'volume-down'].map(colourOf);
  const format = { priceFormat: priceFormatOf(drawn) };
  const added: ISeriesApi<SeriesType>[] = [];
  if (style === 'line') {
    const colours = { lineColor: line, topColor: `${line}33`, bottomColor: `${line}00` };
    const area = chart.addSeries(AreaSeries, { ...format, ...colours, lineWidth: 2 });
    area.setData(series.map(({ time, close }) => pointOf(time, close)));
    added.push(area);
  } else {
    const colours = { upColor: up, downColor: down, wickUpColor: up, wickDownColor: down };
    const candles = chart.addSeries(CandlestickSeries, { ...format, ...colours, borderVisible: false });
    candles.setData(series.map((candle) => ({ ...candle, ...pointOf(candle.time, candle.close) })));
    added.push(candles);
  }
  if (hasAverage) {
    const options = { ...format, ...quiet, color, crosshairMarkerVisible: false } as const;
    const means = chart.addSeries(LineSeries, { ...options, lineWidth: 2 });
    means.setData(averageOf(series, AVERAGE_OF).map(({ time, value }) => pointOf(time, value)));
    added.push(means);
  }
  const volumes = series.flatMap(({ time, open, close, volume }) =>
    volume === null ? [] : [{ ...pointOf(time, volume), color: close < open ? fall : rise }],
  );
  if (volumes.length > 0) {
    const options = { ...quiet, priceFormat: formatOf(1, shortVolume) } as const;
    const histogram = chart.addSeries(HistogramSeries, options, 1);
    histogram.setData(volumes);
    added.push(histogram);
  }
  return added;
}

/** The simple moving average of the closes, each at the time of its last candle. */
function averageOf(series: Drawn['series'], count: number) {
  return series.slice(count - 1).map(({ time }, index) => {
    const closes = series.slice(index, index + count).map(({ close }) => close);
    return { time, value: closes.reduce((sum, close) => sum + close, 0) / count };
  });
}

/** One line for each coin with its symbol at the end, and the zero line. */
function addPercents(chart: IChartApi, { compared }: Drawn) {
  return compared.map(({ coin, series }, index) => {
    const line = chart.addSeries(LineSeries, {
      color: colourOf(`series-${index + 1}`),
      lineWidth: index === 0 ? 3 : 2,
      lineStyle: strokes[index] ?? LineStyle.Solid,
      title: coin.symbol,
      priceFormat: formatOf(0.01, formatPercent, (percents) => percents.map(percentTick)),
      priceLineVisible: false,
    });
    line.setData(series.map(({ time, percent }) => pointOf(time, percent)));
    const zero = { price: 0, lineStyle: LineStyle.Solid, lineWidth: 1, axisLabelVisible: false } as const;
    if (index === 0) line.createPriceLine({ ...zero, color: colourOf('muted') });
    return line;
  });
}

type Ticks = (values: readonly number[]) => string[];

function formatOf(
  minMove: number,
  formatter: (value: number) => string,
  tickmarksFormatter: Ticks = (all) => all.map(formatter),
) {
  return { type: 'custom', minMove, formatter, tickmarksFormatter } as const;
}

/** The axis steps by the smallest price's fourth digit; the library's default is cents. */
function priceFormatOf({ series, quote }: Drawn) {
  const lowest = Math.min(...series.map(({ low }) => low).filter((low) => low > 0));
  const minMove = Number.isFinite(lowest) ? Math.min(0.01, 10 ** (Math.floor(Math.log10(lowest)) - 3)) : 0.01;
  return formatOf(minMove, (price) => formatPrice(price, quote), axisTicks);
}

/** On a logarithmic scale the steps differ: the smallest determines the decimals that distinguish all of them. */
function axisTicks(prices: readonly number[]): string[] {
  const steps = prices.slice(1).map((price, index) => Math.abs(price - (prices[index] ?? price)));
  const smallest = Math.min(...steps.filter((step) => step > 0));
  if (!Number.isFinite(smallest)) return axisDigits(prices);
  return prices.map((price) => axisDigits([price, price + smallest])[0] ?? '');
}

function percentTick(percent: number): string {
  const digits = Number(percent.toFixed(2));
  return `${digits > 0 ? '+' : ''}${digits}%`;
}

function shortVolume(volume: number): string {
  return new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 }).format(volume);
}

function applyLook(chart: IChartApi, drawn: Drawn): void {
  const [text, grid, label] = ['muted', 'grid', 'label'].map(colourOf);
  const { interval, compared, isLogarithmic } = drawn;
  const isCompared = compared.length > 0;
  const longest = Math.max(...compared.map(({ coin }) => coin.symbol.length));
  const crosshairLine = { color: text, labelBackgroundColor: label };
  chart.applyOptions({
    layout: {
      background: { color: 'transparent' },
      textColor: text,
      fontFamily: 'system-ui, sans-serif',
      panes: { separatorColor: grid, enableResize: false },
    },
    grid: { vertLines: { visible: false }, horzLines: { color: grid } },
    crosshair: { vertLine: crosshairLine, horzLine: crosshairLine },
    rightPriceScale: {
      borderVisible: false,
      entireTextOnly: true,
      mode: isLogarithmic && !isCompared ? PriceScaleMode.Logarithmic : PriceScaleMode.Normal,
      scaleMargins: { top: 0.06, bottom: 0.06 },
    },
    timeScale: {
      borderColor: grid,
      timeVisible: interval === '1h',
      secondsVisible: false,
      // A card that grows or shrinks shows the same times, from edge to edge.
      lockVisibleTimeRangeOnResize: !isCompared,
      fixLeftEdge: true,
      fixRightEdge: !isCompared,
      // The symbols are beside the lines' ends, in a space that would grow with the locked times.
      rightOffsetPixels: isCompared ? Math.min(MAX_SYMBOL_PX, 16 + 8 * longest) : 0,
    },
    localization: { locale: 'en-US' },
    // The page scrolls; a chart that captured the wheel or touch would stop it.
    handleScroll: { mouseWheel: false, vertTouchDrag: false },
    handleScale: { mouseWheel: false },
  });
}
