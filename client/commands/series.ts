import type { MarketdataOhlcvData } from '../sdk/index.ts';

export type Candle = MarketdataOhlcvData['data'][number];

/** One candle for the charts: `time` is when it opened, in whole seconds since the epoch, UTC. */
export interface SeriesCandle {
  readonly time: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  /** Null if the provider does not know it. */
  readonly volume: number | null;
}

/**
 * Candles ready to draw: ascending by time, one per time (the last one wins), every price finite, and high and low at
 * least as far out as open and close. A candle without a valid time or price is left out. A coin that was redenominated begins with
 * its last unit: a line through both would show a rise or fall that nobody had.
 */
export function toSeries(candles: readonly Candle[]): SeriesCandle[] {
  const byTime = new Map<number, SeriesCandle>();
  let unitFrom = Number.NEGATIVE_INFINITY;
  for (const { time_open, open, high, low, close, volume, new_unit } of candles) {
    const time = Math.floor(Date.parse(time_open) / 1000);
    if (![time, open, high, low, close].every(Number.isFinite)) continue;
    if (new_unit) unitFrom = Math.max(unitFrom, time);
    byTime.set(time, {
      time,
      open,
      high: Math.max(open, high, low, close),
      low: Math.min(open, high, low, close),
      close,
      volume: volume !== null && Number.isFinite(volume) ? volume : null,
    });
  }
  const ofLastUnit = [...byTime.values()].filter(({ time }) => time >= unitFrom);
  return ofLastUnit.sort((a, b) => a.time - b.time);
}

/** The length of an interval such as `1h` or `7d`, in seconds. */
export function secondsOf(interval: string): number {
  return Number.parseInt(interval, 10) * (interval.endsWith('h') ? 3600 : 86_400);
}

/** The period of a change, from the first open to the last close: `24h`, `30d`, `1y`. */
export function periodOf(series: readonly Pick<SeriesCandle, 'time'>[], interval: string): string {
  const first = series[0];
  const last = series.at(-1);
  if (!first || !last) return '';
  const hours = Math.round((last.time - first.time + secondsOf(interval)) / 3600);
  const days = Math.round(hours / 24);
  if (hours <= 48) return `${hours}h`;
  return days % 365 === 0 ? `${days / 365}y` : `${days}d`;
}
