import { openSnapshot } from '../../shared/marketdata/snapshot/snapshot.ts';
import { encodeHours } from '../../shared/marketdata/store/hours-file.ts';
import { objectNames } from '../../shared/marketdata/store/names.ts';
import { encodeSeries } from '../../shared/marketdata/store/series-file.ts';
import { DAY_MS, HOUR_MS } from '../../shared/platform/time.ts';
import { inventedCandles } from '../invented-candles.ts';

const DAYS = 365;
const INTERVAL_SECONDS = 600;

/** About what three exchanges list together. */
const AT_EXCHANGES = 600;

interface Coins {
  /** All of the snapshot that may have hours of today, the largest first. */
  readonly all: readonly string[];
  /** Those that have a past. */
  readonly known: readonly string[];
}

/**
 * The history's objects, by name, as they lie there after a year: the closed hours of the running day of all coins, what
 * exchanges told of the day, and for those with a past the days up to yesterday and this month's hours, at the prices of a snapshot.
 */
export function historyObjects(
  snapshotFile: Uint8Array,
  { all, known }: Coins,
  now = Date.now(),
): ReadonlyMap<string, Uint8Array> {
  const { source, ticker } = openSnapshot(snapshotFile);
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  const closedHours = Math.floor((now - today) / HOUR_MS);
  const date = new Date(today);
  const month = Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
  const objects = new Map<string, Uint8Array>();

  const candlesOf = (id: string, from: number, count: number, stepMs: number) => {
    const price = ticker(id)?.data.quotes.USD.price;
    return price ? inventedCandles({ from, count, stepMs, price, source }) : [];
  };
  const hours =
    closedHours > 0 ? all.map((id) => [id, candlesOf(id, today, closedHours, HOUR_MS)] as const) : [];
  const coins = new Map(hours.filter(([, candles]) => candles.length > 0));
  objects.set(
    objectNames.hours(today),
    encodeHours({ day: today, intervalSeconds: INTERVAL_SECONDS, source, coins }),
  );
  const exact = all.slice(0, AT_EXCHANGES).map((id) => {
    const told = candlesOf(id, today, closedHours + 1, HOUR_MS);
    const withEnds = told.map((hour) => ({ ...hour, lastAt: Math.min(now, hour.opensAt + HOUR_MS) }));
    return [id, withEnds.map((hour) => ({ ...hour, quality: 'exact' as const, samples: 0 }))] as const;
  });
  const told = new Map(exact.filter(([, candles]) => candles.length > 0));
  objects.set(
    objectNames.exact(today),
    encodeHours({ day: today, intervalSeconds: INTERVAL_SECONDS, source, coins: told }),
  );
  for (const id of known) {
    const first = today - DAYS * DAY_MS;
    const days = candlesOf(id, first, DAYS, DAY_MS);
    const asked = { from: first, to: today };
    objects.set(objectNames.daily(id), encodeSeries({ id, stepMs: DAY_MS, candles: days, asked }));
    const monthHours = candlesOf(id, month, (today - month) / HOUR_MS, HOUR_MS);
    const series = { id, stepMs: HOUR_MS, candles: monthHours, asked: undefined };
    objects.set(objectNames.hourly(id, today), encodeSeries(series));
  }
  return objects;
}
