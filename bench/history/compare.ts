import { monthText, objectNames } from '../../shared/marketdata/store/names.ts';
import { openSeries } from '../../shared/marketdata/store/series-file.ts';
import type { StoredCandle } from '../../shared/marketdata/store/stored-candle.ts';
import { DAY_MS, HOUR_MS } from '../../shared/platform/time.ts';
import { type FileBucket, fileBucket } from './file-bucket.ts';
import { coinId } from './market.ts';
import { plainCandles } from './plain-fold.ts';
import type { Simulation } from './replay.ts';

const fields = [
  'opensAt',
  'open',
  'high',
  'low',
  'close',
  'volume',
  'market_cap',
  'quality',
  'samples',
  'lastAt',
  'source',
] as const;

export interface Compared {
  readonly days: number;
  readonly hours: number;
  /** Candles that are missing, too many, or not the same in every field. */
  readonly differences: number;
  /** The first of them, in words. */
  readonly first: string | undefined;
}

/** Holds every stored day and hour of all coins against those made of their samples with a plain fold. */
export function compare(
  { coins, listed, from, days }: Simulation,
  folder: string,
  onCoin: (coin: number) => void,
): Compared {
  const bucket = fileBucket(folder);
  const to = from + days * DAY_MS;
  const found = { days: 0, hours: 0, differences: 0, first: undefined as string | undefined };
  const hold = (id: string, stored: readonly StoredCandle[], expected: readonly StoredCandle[]): number => {
    const byTime = new Map(stored.map((candle) => [candle.opensAt, candle]));
    const wrong = expected.filter((candle) => !isSame(byTime.get(candle.opensAt), candle));
    const times = new Set(expected.map(({ opensAt }) => opensAt));
    const tooMany = stored.filter(({ opensAt }) => !times.has(opensAt));
    found.differences += wrong.length + tooMany.length;
    const [bad] = [...wrong, ...tooMany];
    if (bad) found.first ??= `${id} ${JSON.stringify(byTime.get(bad.opensAt))}, not ${JSON.stringify(bad)}`;
    return expected.length + tooMany.length;
  };
  for (let coin = 0; coin < coins; coin += 1) {
    const [id, isListed] = [coinId(coin), coin < listed];
    const daily = seriesIn(bucket, objectNames.daily(id), id, DAY_MS);
    found.days += hold(id, daily, plainCandles(coin, { from, to, stepMs: DAY_MS, isListed }));
    const hourly = namesOfMonths(id, from, to).flatMap((name) => seriesIn(bucket, name, id, HOUR_MS));
    found.hours += hold(id, hourly, plainCandles(coin, { from, to, stepMs: HOUR_MS, isListed }));
    onCoin(coin + 1);
  }
  return found;
}

function isSame(stored: StoredCandle | undefined, expected: StoredCandle): boolean {
  return stored !== undefined && fields.every((field) => stored[field] === expected[field]);
}

function seriesIn(bucket: FileBucket, name: string, id: string, stepMs: number): readonly StoredCandle[] {
  const bytes = bucket.read(name);
  return bytes ? openSeries(bytes, { id, stepMs }).candles : [];
}

function namesOfMonths(id: string, from: number, to: number): string[] {
  const months = new Map<string, string>();
  for (let day = from; day < to; day += DAY_MS) months.set(monthText(day), objectNames.hourly(id, day));
  return [...months.values()];
}
