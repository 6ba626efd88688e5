import { simulatedEntries } from '../../registry-layer/simulated/list.ts';
import { encodeHours } from '../../shared/marketdata/store/hours-file.ts';
import { encodeSamples } from '../../shared/marketdata/store/sample-file.ts';
import { encodeSeries } from '../../shared/marketdata/store/series-file.ts';
import { DAY_MS, HOUR_MS } from '../../shared/platform/time.ts';
import { inventedCandles } from '../invented-candles.ts';

/** Bytes of the history's objects. */
export interface ObjectBytes {
  /** Of all coins, at one run of the snapshot's job. */
  readonly samples: number;
  /** Of all coins. */
  readonly hoursOfDay: number;
  /** Of one coin, as the next three. */
  readonly daysOfYear: number;
  readonly daysOfFiveYears: number;
  readonly hoursOfMonth: number;
}

const START = Date.UTC(2026, 0, 1);
const INTERVAL_SECONDS = 600;
const DAYS_A_YEAR = 365;
const HOURS_A_LONG_MONTH = 31 * 24;
const source = 'coinpaprika';

/** The objects as the service's own encoders make them, of invented candles of so many coins with ids as real ones. */
export function objectBytes(coins: number): ObjectBytes {
  const ids = simulatedEntries(coins).map(({ id }) => id);
  const candles = (count: number, stepMs: number) =>
    inventedCandles({ from: START, count, stepMs, price: 100, source });
  const hours = candles(24, HOUR_MS);
  const seriesOf = (count: number, stepMs: number) => {
    const asked = { from: START, to: START + count * stepMs };
    const series = { id: ids[coins >> 1] ?? '', stepMs, candles: candles(count, stepMs), asked };
    return encodeSeries(series).length;
  };
  return {
    samples: encodeSamples(
      ids.map((id, rank) => ({ id, price: 1 + rank, volume: 1e6 + rank, market_cap: 1e9 + rank })),
      { takenAt: START, intervalSeconds: INTERVAL_SECONDS, source },
    ).length,
    hoursOfDay: encodeHours({
      day: START,
      intervalSeconds: INTERVAL_SECONDS,
      source,
      coins: new Map(ids.map((id) => [id, hours])),
    }).length,
    daysOfYear: seriesOf(DAYS_A_YEAR, DAY_MS),
    daysOfFiveYears: seriesOf(5 * DAYS_A_YEAR, DAY_MS),
    hoursOfMonth: seriesOf(HOURS_A_LONG_MONTH, HOUR_MS),
  };
}
