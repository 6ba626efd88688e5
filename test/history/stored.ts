import type { S3Server } from '../../local/s3.ts';
import { openCandles } from '../../shared/marketdata/store/candle-files.ts';
import { encodeCandles, encodeHours } from '../../shared/marketdata/store/candle-files-writer.ts';
import type { Coverage, CoveredSeries } from '../../shared/marketdata/store/candle-rows.ts';
import { candlesOf, encodeCoin, withCandles } from '../../shared/marketdata/store/coin-changes.ts';
import { type CoinCandles, openCoin } from '../../shared/marketdata/store/coin-object.ts';
import { HISTORY_PREFIX, objectNames, periodsIn } from '../../shared/marketdata/store/names.ts';
import { encodeSamples } from '../../shared/marketdata/store/samples.ts';
import { joinSeries } from '../../shared/marketdata/store/series-writer.ts';
import type { SnapshotContent } from '../../shared/marketdata/store/snapshot-writer.ts';
import { SourceList } from '../../shared/marketdata/store/source-list.ts';
import type { StoredCandle } from '../../shared/marketdata/store/stored-candle.ts';
import type { BaseInterval } from '../../shared/marketdata/window.ts';
import { DAY_MS, HOUR_MS } from '../../shared/platform/time.ts';
import { snapshotOf } from '../snapshot/tickers.ts';

export const BUCKET = 'bucket';

/** A candle with a given price. */
export function storedCandle(
  opensAt: number,
  stepMs: number,
  price: number,
  given: Partial<StoredCandle> = {},
): StoredCandle {
  return {
    opensAt,
    open: price,
    high: price * 1.2,
    low: price * 0.9,
    close: price * 1.1,
    volume: stepMs === HOUR_MS ? null : 1000,
    market_cap: 5000,
    volume_24h: 1000,
    quality: 'sampled',
    samples: stepMs === HOUR_MS ? 6 : 144,
    lastAt: opensAt + stepMs,
    isSettled: (given.lastAt ?? opensAt + stepMs) >= opensAt + stepMs,
    source: 'coinpaprika',
    ...given,
  };
}

export function objectPath(name: string): string {
  return `/${BUCKET}/${HISTORY_PREFIX}${name.split('/').map(encodeURIComponent).join('/')}`;
}

/** Puts a coin's days, or adds to them, as the roll-up does. */
export function putDays(
  s3: S3Server,
  id: string,
  candles: readonly StoredCandle[],
  coverage?: Coverage,
): void {
  putSeries(s3, '24h', id, { candles, coverage });
}

/** Puts the hours of a month. */
export function putMonth(
  s3: S3Server,
  id: string,
  candles: readonly StoredCandle[],
  coverage?: Coverage,
): void {
  putSeries(s3, '1h', id, { candles, coverage });
}

function putSeries(s3: S3Server, base: BaseInterval, id: string, { candles, coverage }: CoveredSeries): void {
  if (coverage) putCoin(s3, id, { [base]: { candles: [], coverage } });
  const stepMs = base === '24h' ? DAY_MS : HOUR_MS;
  const [from = 0, last = 0] = [candles[0]?.opensAt, candles.at(-1)?.opensAt];
  for (const part of candles.length > 0 ? periodsIn(base, { from, to: last + stepMs }) : []) {
    const path = objectPath(objectNames.series(base, id, part.from));
    const known = s3.objects.get(path);
    const before = known && openCandles(known);
    const sources = new SourceList(before?.sources);
    const rows = new Map(before?.rows.entries());
    const isIn = ({ opensAt }: StoredCandle) => opensAt >= part.from && opensAt < part.to;
    const series = { candles: candles.filter(isIn), coverage: undefined };
    rows.set(id, joinSeries(rows.get(id), series, { stepMs, sources }));
    const time = Math.floor(part.to / DAY_MS) * DAY_MS;
    const about = { time, intervalSeconds: 0, source: '', sources: sources.names };
    s3.objects.set(path, encodeCandles(about, rows));
  }
}

/** Puts what was fetched for a coin, or adds to it. */
export function putCoin(s3: S3Server, id: string, more: CoinCandles): void {
  const path = objectPath(objectNames.coin(id));
  const known = s3.objects.get(path);
  const candles = withCandles(known ? candlesOf(openCoin(known)) : {}, more, Date.now());
  s3.objects.set(path, encodeCoin(id, candles));
}

/** Puts the hours of a day of all coins. */
export function putHours(
  s3: S3Server,
  day: number,
  coins: Readonly<Record<string, readonly StoredCandle[]>>,
): void {
  const hours = { day, intervalSeconds: 600, source: 'coinpaprika', coins: new Map(Object.entries(coins)) };
  s3.objects.set(objectPath(objectNames.hours(day)), Buffer.from(encodeHours(hours)));
}

/** A candle of an exchange, without amounts. */
export function exactCandle(
  opensAt: number,
  stepMs: number,
  price: number,
  given: Partial<StoredCandle> = {},
): StoredCandle {
  const own = {
    volume: null,
    market_cap: null,
    volume_24h: null,
    quality: 'exact',
    samples: 0,
    source: 'coinbase',
  } as const;
  return storedCandle(opensAt, stepMs, price, { ...own, ...given });
}

/** Puts the exchanges' hours of a day. */
export function putExact(
  s3: S3Server,
  day: number,
  coins: Readonly<Record<string, readonly StoredCandle[]>>,
): void {
  const hours = { day, intervalSeconds: 600, source: 'coinbase', coins: new Map(Object.entries(coins)) };
  s3.objects.set(objectPath(objectNames.exact(day)), Buffer.from(encodeHours(hours)));
}

/** A number of days in a row, up to the one before a day. */
export function daysBefore(
  day: number,
  count: number,
  price = (index: number) => 100 + index,
): StoredCandle[] {
  return Array.from({ length: count }, (_, index) =>
    storedCandle(day - (count - index) * DAY_MS, DAY_MS, price(index)),
  );
}

/** Puts a snapshot, by default taken now. */
export function putSnapshot(s3: S3Server, content: Partial<SnapshotContent>): void {
  const bytes = snapshotOf([], { takenAt: Date.now(), ...content });
  s3.objects.set(`/${BUCKET}/snapshot/tickers.v4`, Buffer.from(bytes));
}

/** Puts the samples of a run of the snapshot's job, or of a source of token prices. */
export function putSamples(
  s3: S3Server,
  takenAt: number,
  prices: Readonly<Record<string, number>>,
  tokenSource?: string,
): void {
  const samples = Object.entries(prices).map(([id, price]) => ({
    id,
    price,
    volume: null,
    market_cap: null,
  }));
  const source = tokenSource ?? 'coinpaprika';
  const bytes = encodeSamples(samples, { takenAt, intervalSeconds: 600, source });
  s3.objects.set(objectPath(objectNames.samples(takenAt, 600_000, tokenSource)), Buffer.from(bytes));
}
