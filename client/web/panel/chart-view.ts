import {
  AreaSeries,
  type CandlestickData,
  CandlestickSeries,
  createChart,
  HistogramSeries,
  type IChartApi,
  type ISeriesApi,
  type SeriesType,
  type UTCTimestamp,
} from 'lightweight-charts';
import type { ChartStyle } from '../../commands/command.ts';
import { axisDigits, formatPrice, type Quote } from '../../commands/format/numbers.ts';
import type { SeriesCandle } from '../../commands/series.ts';
import { setUpCrosshairKeys } from './crosshair-keys.ts';
import { currentTheme, onThemeChange } from './theme.ts';

export interface Drawn {
  readonly series: readonly SeriesCandle[];
  readonly style: ChartStyle;
  readonly quote: Quote;
  readonly interval: string;
}

export interface ChartView {
  draw(drawn: Drawn): void;
  /** Frees the canvas and the listeners. */
  remove(): void;
}

/** The part of the height that volumes take. */
const VOLUME_PART = 0.2;

/**
 * A chart in `container`, which it fills. `onCandle` gets the candle under the crosshair, or undefined if the
 * crosshair is elsewhere.
 */
export function createChartView(
  container: HTMLElement,
  onCandle: (candle: SeriesCandle | undefined) => void,
): ChartView {
  const chart = createChart(container, {
    autoSize: true,
    // The logo brings an inline style and markup as text, which the page's policy forbids from the start; the
    // attribution is in the page's footer.
    layout: { attributionLogo: false },
  });
  let current: Drawn | undefined;
  let prices: ISeriesApi<SeriesType> | undefined;
  let volumes: ISeriesApi<'Histogram'> | undefined;

  const stopTheme = onThemeChange(() => current && draw(current));
  chart.subscribeCrosshairMove(({ time }) => {
    onCandle(current?.series.find((candle) => candle.time === time));
  });
  setUpCrosshairKeys(container, {
    count: () => current?.series.length ?? 0,
    show(index) {
      const candle = index === undefined ? undefined : current?.series[index];
      if (!candle || !prices) chart.clearCrosshairPosition();
      else chart.setCrosshairPosition(candle.close, timeOf(candle), prices);
      onCandle(candle); // setting a position does not call the listener
    },
  });

  function draw(drawn: Drawn): void {
    current = drawn;
    for (const series of [prices, volumes]) if (series) chart.removeSeries(series);
    applyLook(chart, drawn);
    volumes = addVolumes(chart, drawn);
    prices = drawn.style === 'line' ? addLine(chart, drawn) : addCandles(chart, drawn);
    chart.timeScale().fitContent();
  }

  return {
    draw,
    remove() {
      stopTheme();
      chart.remove();
    },
  };
}

function applyLook(chart: IChartApi, { quote, interval }: Drawn): void {
  const { text, grid } = currentTheme();
  chart.applyOptions({
    layout: {
      background: { color: 'transparent' },
      textColor: text,
      fontFamily: 'system-ui, sans-serif',
    },
    grid: { vertLines: { visible: false }, horzLines: { color: grid } },
    rightPriceScale: { borderVisible: false, scaleMargins: { top: 0.05, bottom: VOLUME_PART + 0.05 } },
    timeScale: { borderColor: grid, timeVisible: interval === '1h', secondsVisible: false },
    localization: {
      locale: 'en-US',
      priceFormatter: (price: number) => formatPrice(price, quote),
      tickmarksPriceFormatter: axisDigits,
    },
    // The page scrolls; a chart that took the wheel or a finger would stop it.
    handleScroll: { mouseWheel: false, vertTouchDrag: false },
    handleScale: { mouseWheel: false },
  });
}

function addCandles(chart: IChartApi, { series }: Drawn): ISeriesApi<SeriesType> {
  const { up, down } = currentTheme();
  const candles = chart.addSeries(CandlestickSeries, {
    upColor: up,
    downColor: down,
    wickUpColor: up,
    wickDownColor: down,
    borderVisible: false,
    priceFormat: priceFormat(series),
  });
  candles.setData(
    series.map(
      (candle): CandlestickData<UTCTimestamp> => ({
        time: timeOf(candle),
        open: candle.open,
        high: candle.high,
        low: candle.low,
        close: candle.close,
      }),
    ),
  );
  return candles;
}

function addLine(chart: IChartApi, { series }: Drawn): ISeriesApi<SeriesType> {
  const { line } = currentTheme();
  const area = chart.addSeries(AreaSeries, {
    lineColor: line,
    lineWidth: 2,
    topColor: `${line}40`,
    bottomColor: `${line}00`,
    priceFormat: priceFormat(series),
  });
  area.setData(series.map((candle) => ({ time: timeOf(candle), value: candle.close })));
  return area;
}

function addVolumes(chart: IChartApi, { series }: Drawn): ISeriesApi<'Histogram'> {
  const { volume } = currentTheme();
  const histogram = chart.addSeries(HistogramSeries, {
    color: volume,
    priceScaleId: '',
    priceFormat: { type: 'volume' },
    priceLineVisible: false,
    lastValueVisible: false,
  });
  histogram.priceScale().applyOptions({ scaleMargins: { top: 1 - VOLUME_PART, bottom: 0 } });
  histogram.setData(
    series.flatMap((candle) =>
      candle.volume === null ? [] : [{ time: timeOf(candle), value: candle.volume }],
    ),
  );
  return histogram;
}

/** The axis steps by the smallest price's fourth digit; the library would otherwise step by cents. */
function priceFormat(series: readonly SeriesCandle[]) {
  const lowest = Math.min(...series.map(({ low }) => low).filter((low) => low > 0));
  const minMove = Number.isFinite(lowest) ? Math.min(0.01, 10 ** (Math.floor(Math.log10(lowest)) - 3)) : 0.01;
  return { type: 'price', minMove, precision: Math.ceil(-Math.log10(minMove)) } as const;
}

/** The library marks its seconds since the epoch with a type of their own; `toSeries` makes just those. */
function timeOf({ time }: SeriesCandle): UTCTimestamp {
  return time as UTCTimestamp;
}
