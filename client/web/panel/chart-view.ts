import {
  createChart,
  type IChartApi,
  type ISeriesApi,
  PriceScaleMode,
  type SeriesType,
  type UTCTimestamp,
} from 'lightweight-charts';
import type { ChartStyle } from '../../commands/command.ts';
import type { ComparedSeries } from '../../commands/compare.ts';
import { axisDigits, formatPercent, formatPrice, type Quote } from '../../commands/format/numbers.ts';
import type { SeriesCandle } from '../../commands/series.ts';
import { addCandles, addLine, addPercents, addVolumes } from './chart-series.ts';
import { setUpCrosshairKeys } from './crosshair-keys.ts';
import { currentTheme, onThemeChange } from './theme.ts';

export interface Drawn {
  /** Of the card's own coin. */
  readonly series: readonly SeriesCandle[];
  /** Several coins in percent, in place of prices; empty: one coin. */
  readonly compared: readonly ComparedSeries[];
  readonly style: ChartStyle;
  readonly isLogarithmic: boolean;
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

/** The part of the height that volumes take. */
const VOLUME_PART = 0.18;
/** The room that a symbol at the end of a line takes at most. */
const MAX_SYMBOL_PX = 80;

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
    // The logo brings an inline style and markup as text, which the page's policy forbids from the start; the
    // attribution is in the page's footer.
    layout: { attributionLogo: false },
  });
  let current: Drawn | undefined;
  let drawnSeries: readonly ISeriesApi<SeriesType>[] = [];
  let shape = '';

  const stopTheme = onThemeChange(() => current && draw(current));
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
      else chart.setCrosshairPosition(point.value, point.time as UTCTimestamp, first); // made by `toSeries`
      onTime(point?.time, true); // setting a position does not call the listener
    },
  });

  function draw(drawn: Drawn): void {
    current = drawn;
    for (const series of drawnSeries) chart.removeSeries(series);
    applyLook(chart, drawn);
    drawnSeries = seriesOf(chart, drawn);
    const next = shapeOf(drawn);
    if (next !== shape) chart.timeScale().fitContent();
    shape = next;
  }

  return {
    draw,
    screenshot: () => chart.takeScreenshot(true, false),
    remove() {
      stopTheme();
      chart.remove();
    },
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
function seriesOf(chart: IChartApi, drawn: Drawn): ISeriesApi<SeriesType>[] {
  const { series, compared, style } = drawn;
  const theme = currentTheme();
  if (compared.length > 0) return addPercents(chart, compared, theme);
  const prices = style === 'line' ? addLine(chart, series, theme) : addCandles(chart, series, theme);
  const volumes = addVolumes(chart, series, theme, 1 - VOLUME_PART);
  volumes.setSeriesOrder(0);
  return [prices, volumes];
}

function shapeOf({ series, compared, interval, style }: Drawn): string {
  const ids = compared.map(({ coin }) => coin.id);
  return JSON.stringify([series[0]?.time, series.length, interval, style, ids]);
}

function applyLook(chart: IChartApi, { quote, interval, compared, isLogarithmic }: Drawn): void {
  const { text, grid } = currentTheme();
  const isCompared = compared.length > 0;
  const longest = Math.max(...compared.map(({ coin }) => coin.symbol.length));
  const volumePart = isCompared ? 0 : VOLUME_PART;
  chart.applyOptions({
    layout: {
      background: { color: 'transparent' },
      textColor: text,
      fontFamily: 'system-ui, sans-serif',
    },
    grid: { vertLines: { visible: false }, horzLines: { color: grid } },
    rightPriceScale: {
      borderVisible: false,
      entireTextOnly: true,
      mode: isLogarithmic && !isCompared ? PriceScaleMode.Logarithmic : PriceScaleMode.Normal,
      scaleMargins: { top: 0.06, bottom: volumePart + 0.06 },
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
    localization: {
      locale: 'en-US',
      priceFormatter: (value: number) => (isCompared ? formatPercent(value) : formatPrice(value, quote)),
      tickmarksPriceFormatter: (values: number[]) =>
        isCompared ? values.map(percentTick) : axisTicks(values),
    },
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
