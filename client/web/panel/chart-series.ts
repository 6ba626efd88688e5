import {
  AreaSeries,
  type CandlestickData,
  CandlestickSeries,
  HistogramSeries,
  type IChartApi,
  type ISeriesApi,
  LineSeries,
  LineStyle,
  type SeriesType,
  type UTCTimestamp,
} from 'lightweight-charts';
import type { ComparedSeries } from '../../commands/compare.ts';
import type { SeriesCandle } from '../../commands/series.ts';
import type { Theme } from './theme.ts';

type Candles = readonly SeriesCandle[];

export function addCandles(chart: IChartApi, series: Candles, { up, down }: Theme): ISeriesApi<SeriesType> {
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

export function addLine(chart: IChartApi, series: Candles, { line }: Theme): ISeriesApi<SeriesType> {
  const area = chart.addSeries(AreaSeries, {
    lineColor: line,
    lineWidth: 2,
    topColor: `${line}33`,
    bottomColor: `${line}00`,
    priceFormat: priceFormat(series),
  });
  area.setData(series.map((candle) => ({ time: timeOf(candle), value: candle.close })));
  return area;
}

/** Below the prices, from `top` of the height on, in the tint of a rise or a fall. */
export function addVolumes(
  chart: IChartApi,
  series: Candles,
  { volumeUp, volumeDown }: Theme,
  top: number,
): ISeriesApi<SeriesType> {
  const histogram = chart.addSeries(HistogramSeries, {
    priceScaleId: '',
    priceFormat: { type: 'volume' },
    priceLineVisible: false,
    lastValueVisible: false,
  });
  histogram.priceScale().applyOptions({ scaleMargins: { top, bottom: 0 } });
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

/** Strokes that tell lines apart without their colours; the legend draws them alike. */
const strokes = [
  LineStyle.Solid,
  LineStyle.Dashed,
  LineStyle.Dotted,
  LineStyle.LargeDashed,
  LineStyle.SparseDotted,
] as const;

/** One line for each coin, with its symbol at the end. */
export function addPercents(
  chart: IChartApi,
  compared: readonly ComparedSeries[],
  { compared: colours }: Theme,
): ISeriesApi<SeriesType>[] {
  return compared.map(({ coin, series }, index) => {
    const line = chart.addSeries(LineSeries, {
      color: colours[index] ?? '',
      lineWidth: index === 0 ? 3 : 2,
      lineStyle: strokes[index] ?? LineStyle.Solid,
      title: coin.symbol,
      priceLineVisible: false,
    });
    line.setData(series.map(({ time, percent }) => ({ time: time as UTCTimestamp, value: percent }))); // as below
    return line;
  });
}

/** The axis steps by the smallest price's fourth digit; the library would otherwise step by cents. */
function priceFormat(series: Candles) {
  const lowest = Math.min(...series.map(({ low }) => low).filter((low) => low > 0));
  const minMove = Number.isFinite(lowest) ? Math.min(0.01, 10 ** (Math.floor(Math.log10(lowest)) - 3)) : 0.01;
  return { type: 'price', minMove, precision: Math.ceil(-Math.log10(minMove)) } as const;
}

/** The library marks its seconds since the epoch with a type of their own; `toSeries` makes just those. */
function timeOf({ time }: SeriesCandle): UTCTimestamp {
  return time as UTCTimestamp;
}
