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
import { setUpCrosshairKeys } from './crosshair-keys.ts';
import { currentTheme, type Theme } from './theme.ts';

export interface Drawn {
  /** Of the chart's own coin. */
  readonly series: readonly SeriesCandle[];
  /** Several coins in percent, in place of prices; empty: one coin. */
  readonly compared: readonly ComparedSeries[];
  readonly style: ChartStyle;
  readonly isLogarithmic: boolean;
  readonly hasAverage: boolean;
  readonly quote: Quote;
  readonly interval: string;
}

export interface ChartView {
  /** A chart of the same times as before stays as far as it was zoomed. */
  draw(drawn: Drawn): void;
  /** As it is seen now, without the crosshair. */
  screenshot(): HTMLCanvasElement;
  /** Frees the canvas and the listeners. */
  remove(): void;
}

/** Closes that the moving average is of. */
export const AVERAGE_OF = 20;
/** Heights of the panes for prices and volumes. */
const [PRICE_PART, VOLUME_PART] = [4, 1];
/** The room that a symbol at the end of a line takes at most. */
const MAX_SYMBOL_PX = 80;
/** Strokes that tell lines apart without their colours; the legend draws them alike. */
const strokes = [
  LineStyle.Solid,
  LineStyle.Dashed,
  LineStyle.Dotted,
  LineStyle.LargeDashed,
  LineStyle.SparseDotted,
] as const;

/**
 * A chart in `container`, which it fills; `keys` is what the arrow keys are pressed in. `onTime` gets the time under the
 * crosshair, or undefined if the crosshair is elsewhere, and whether a key moved it.
 */
export function createChartView(
  container: HTMLElement,
  keys: HTMLElement,
  onTime: (time: number | undefined, isByKey: boolean) => void,
): ChartView {
  const chart = createChart(container, {
    autoSize: true,
    // The logo brings an inline style and markup as text, which the page's policy forbids; the attribution is in the footer.
    layout: { attributionLogo: false },
  });
  let current: Drawn | undefined;
  let drawnSeries: readonly ISeriesApi<SeriesType>[] = [];
  let shape = '';

  chart.timeScale().subscribeSizeChange(() => {
    if (current && current.compared.length > 0) chart.timeScale().fitContent();
  });
  chart.subscribeCrosshairMove(({ time }) => onTime(typeof time === 'number' ? time : undefined, false));
  setUpCrosshairKeys(keys, {
    count: () => (current ? pointsOf(current).length : 0),
    show(index) {
      const point = current && index !== undefined ? pointsOf(current)[index] : undefined;
      const [first] = drawnSeries;
      if (!point || !first) chart.clearCrosshairPosition();
      else chart.setCrosshairPosition(point.value, timeOf(point), first);
      onTime(point?.time, true); // setting a position does not call the listener
    },
  });

  return {
    draw(drawn) {
      current = drawn;
      for (const series of drawnSeries) chart.removeSeries(series);
      const theme = currentTheme();
      applyLook(chart, drawn, theme);
      drawnSeries = seriesOf(chart, drawn, theme);
      const panes = chart.panes();
      panes[0]?.setStretchFactor(PRICE_PART);
      panes[1]?.setStretchFactor(VOLUME_PART);
      const next = shapeOf(drawn);
      if (next !== shape) chart.timeScale().fitContent();
      shape = next;
    },
    screenshot: () => chart.takeScreenshot(true, false),
    remove: () => chart.remove(),
  };
}

/** What the crosshair stands on, from left to right. */
function pointsOf({ series, compared }: Drawn): readonly { readonly time: number; readonly value: number }[] {
  const [own] = compared;
  return own
    ? own.series.map(({ time, percent }) => ({ time, value: percent }))
    : series.map(({ time, close }) => ({ time, value: close }));
}

/** The first of them is the one that the crosshair stands on. */
function seriesOf(chart: IChartApi, drawn: Drawn, theme: Theme): ISeriesApi<SeriesType>[] {
  const { series, compared, style, hasAverage } = drawn;
  if (compared.length > 0) return addPercents(chart, compared, theme);
  const prices = style === 'line' ? addLine(chart, drawn, theme) : addCandles(chart, drawn, theme);
  return [
    prices,
    ...(hasAverage ? [addAverage(chart, drawn, theme)] : []),
    ...(series.some(({ volume }) => volume !== null) ? [addVolumes(chart, series, theme)] : []),
  ];
}

function addCandles(chart: IChartApi, drawn: Drawn, { up, down }: Theme) {
  const candles = chart.addSeries(CandlestickSeries, {
    upColor: up,
    downColor: down,
    wickUpColor: up,
    wickDownColor: down,
    borderVisible: false,
    priceFormat: priceFormat(drawn),
  });
  candles.setData(
    drawn.series.map(({ open, high, low, close, time }) => ({
      time: timeOf({ time }),
      open,
      high,
      low,
      close,
    })),
  );
  return candles;
}

function addLine(chart: IChartApi, drawn: Drawn, { line }: Theme) {
  const area = chart.addSeries(AreaSeries, {
    lineColor: line,
    lineWidth: 2,
    topColor: `${line}33`,
    bottomColor: `${line}00`,
    priceFormat: priceFormat(drawn),
  });
  area.setData(drawn.series.map((candle) => ({ time: timeOf(candle), value: candle.close })));
  return area;
}

/** The mean of the last closes, from where there are enough of them. */
function addAverage(chart: IChartApi, drawn: Drawn, { average }: Theme) {
  const line = chart.addSeries(LineSeries, {
    color: average,
    lineWidth: 2,
    priceLineVisible: false,
    lastValueVisible: false,
    crosshairMarkerVisible: false,
    priceFormat: priceFormat(drawn),
  });
  line.setData(averageOf(drawn.series).map(({ time, value }) => ({ time: timeOf({ time }), value })));
  return line;
}

/** The simple moving average of the closes, with the time of the last candle that each is of. */
export function averageOf(series: Drawn['series'], count = AVERAGE_OF) {
  return series.slice(count - 1).map(({ time }, index) => {
    const closes = series.slice(index, index + count).map(({ close }) => close);
    return { time, value: closes.reduce((sum, close) => sum + close, 0) / count };
  });
}

/** In a pane of their own, in the tint of a rise or a fall. */
function addVolumes(chart: IChartApi, series: Drawn['series'], { volumeUp, volumeDown }: Theme) {
  const options = {
    priceFormat: volumeFormat,
    priceLineVisible: false,
    lastValueVisible: false,
  } as const;
  const histogram = chart.addSeries(HistogramSeries, options, 1);
  histogram.setData(
    series.flatMap((candle) =>
      candle.volume === null
        ? []
        : [
            {
              time: timeOf(candle),
              value: candle.volume,
              color: candle.close < candle.open ? volumeDown : volumeUp,
            },
          ],
    ),
  );
  return histogram;
}

/** One line for each coin with its symbol at the end, and the line of no change. */
function addPercents(chart: IChartApi, compared: Drawn['compared'], { compared: colours, text }: Theme) {
  return compared.map(({ coin, series }, index) => {
    const line = chart.addSeries(LineSeries, {
      color: colours[index] ?? '',
      lineWidth: index === 0 ? 3 : 2,
      lineStyle: strokes[index] ?? LineStyle.Solid,
      title: coin.symbol,
      priceFormat: percentFormat,
      priceLineVisible: false,
    });
    line.setData(series.map(({ time, percent }) => ({ time: timeOf({ time }), value: percent })));
    if (index === 0)
      line.createPriceLine({
        price: 0,
        color: text,
        lineWidth: 1,
        lineStyle: LineStyle.Solid,
        axisLabelVisible: false,
      });
    return line;
  });
}

/** The axis steps by the smallest price's fourth digit; the library would otherwise step by cents. */
function priceFormat({ series, quote }: Drawn) {
  const lowest = Math.min(...series.map(({ low }) => low).filter((low) => low > 0));
  const minMove = Number.isFinite(lowest) ? Math.min(0.01, 10 ** (Math.floor(Math.log10(lowest)) - 3)) : 0.01;
  const formatter = (price: number) => formatPrice(price, quote);
  return { type: 'custom', minMove, formatter, tickmarksFormatter: axisTicks } as const;
}

const percentFormat = {
  type: 'custom',
  minMove: 0.01,
  formatter: (percent: number) => formatPercent(percent),
  tickmarksFormatter: (percents: readonly number[]) => percents.map(percentTick),
} as const;

const volumeFormat = {
  type: 'custom',
  minMove: 1,
  formatter: shortVolume,
  tickmarksFormatter: (volumes: readonly number[]) => volumes.map(shortVolume),
} as const;

function shortVolume(volume: number): string {
  return new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 }).format(volume);
}

/** The library marks its seconds since the epoch with a type of their own; `toSeries` makes just those. */
function timeOf({ time }: { readonly time: number }): UTCTimestamp {
  return time as UTCTimestamp;
}

function shapeOf({ series, compared, interval, style }: Drawn): string {
  const ids = compared.map(({ coin }) => coin.id);
  return JSON.stringify([series[0]?.time, series.length, interval, style, ids]);
}

function applyLook(chart: IChartApi, drawn: Drawn, { text, grid, label }: Theme): void {
  const { interval, compared, isLogarithmic } = drawn;
  const isCompared = compared.length > 0;
  const longest = Math.max(...compared.map(({ coin }) => coin.symbol.length));
  chart.applyOptions({
    layout: {
      background: { color: 'transparent' },
      textColor: text,
      fontFamily: 'system-ui, sans-serif',
      panes: { separatorColor: grid, enableResize: false },
    },
    grid: { vertLines: { visible: false }, horzLines: { color: grid } },
    crosshair: {
      vertLine: { color: text, labelBackgroundColor: label },
      horzLine: { color: text, labelBackgroundColor: label },
    },
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
      // The symbols at the lines' ends stand beside them, in a room that would grow with the locked times.
      rightOffsetPixels: isCompared ? Math.min(MAX_SYMBOL_PX, 16 + 8 * longest) : 0,
    },
    localization: { locale: 'en-US' },
    // The page scrolls; a chart that took the wheel or a finger would stop it.
    handleScroll: { mouseWheel: false, vertTouchDrag: false },
    handleScale: { mouseWheel: false },
  });
}

/** On a logarithmic scale the steps differ: the smallest says how many decimals tell all apart. */
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
