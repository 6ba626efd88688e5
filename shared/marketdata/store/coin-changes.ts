/** Writes what was fetched for single coins. Requests and jobs write it only through this module. */
import { count } from '../../platform/metrics.ts';
import { replacing, retryOnConflict } from '../../platform/objects.ts';
import { DAY_MS } from '../../platform/time.ts';
import { withTimeout } from '../../platform/waiting.ts';
import type { BaseInterval } from '../window.ts';
import { type CoveredSeries, readSeries } from './candle-rows.ts';
import {
  bases,
  type CoinCandles,
  type CoinFetched,
  type CoinText,
  coinFormat,
  type StoredCoin,
} from './coin-object.ts';
import { type CoinObjects, S3_TIMEOUT_MS } from './coin-objects.ts';
import { HOURS_KEPT_DAYS, steps } from './names.ts';
import { encodeRows } from './rows-writer.ts';
import { joinSeries } from './series-writer.ts';
import { SourceList } from './source-list.ts';

/** How objects of a kind are written. */
interface Format<T, C> {
  readonly type: string;
  /** What can be changed of an opened object. */
  contentOf(opened: T): C;
  encode(id: string, content: C): Buffer;
}

const candles: Format<StoredCoin, CoinCandles> = {
  type: 'application/octet-stream',
  contentOf: candlesOf,
  encode: encodeCoin,
};
const fetched: Format<CoinFetched, CoinFetched> = {
  type: 'application/json',
  contentOf: (content) => content,
  encode: encodeFetched,
};

/** All candles of an opened object. */
export function candlesOf(coin: StoredCoin): CoinCandles {
  return Object.fromEntries(
    bases.flatMap((base) => {
      const series = coin.series(base);
      return series ? [[base, series]] : [];
    }),
  );
}

export function encodeFetched(id: string, content: CoinFetched): Buffer {
  return Buffer.from(JSON.stringify({ id, ...content }));
}

export function encodeCoin(id: string, series: CoinCandles): Buffer {
  const sources = new SourceList();
  const rows = bases.flatMap((base): [string, Buffer][] => {
    const own = series[base];
    return own ? [[base, joinSeries(undefined, own, { stepMs: steps[base], sources })]] : [];
  });
  const text = JSON.stringify({ id, sources: sources.names } satisfies CoinText);
  return encodeRows(coinFormat, { header: { time: 0, seconds: 0, source: '' }, text, rows });
}

type Change<T> = (before: T) => T;

/**
 * Adds candles to those that were fetched for a coin, also if others add at the same time. Returns whether any is new. Throws
 * StoreError for an object that cannot be opened, which stays as it is, and what `Objects` throw.
 */
export function addCandles(
  objects: CoinObjects<StoredCoin>,
  id: string,
  more: CoinCandles,
): Promise<boolean> {
  return changed(objects, candles, id, (before) => withCandles(before, more, Date.now()));
}

/** Changes a coin's candles for a request: what cannot be stored in time is kept in this container. Never throws. */
export function changeCandlesSoon(
  objects: CoinObjects<StoredCoin>,
  id: string,
  change: Change<CoinCandles>,
): Promise<void> {
  return changedSoon(objects, candles, id, change);
}

/** Changes what else was fetched for a coin, as `changeCandlesSoon` does. */
export function changeFetchedSoon(
  objects: CoinObjects<CoinFetched>,
  id: string,
  change: Change<CoinFetched>,
): Promise<void> {
  return changedSoon(objects, fetched, id, change);
}

function changed<T, C>(
  objects: CoinObjects<T>,
  { type, contentOf, encode }: Format<T, C>,
  id: string,
  change: Change<C>,
): Promise<boolean> {
  const { name, open } = objects.kind;
  return retryOnConflict(async () => {
    const { content, etag, damage, isUnsaved } = await objects.copy(id);
    if (damage) throw damage;
    const before = contentOf(content);
    const bytes = encode(id, change(before));
    if (!isUnsaved && Buffer.compare(bytes, encode(id, before)) === 0) return false;
    try {
      await objects.objects?.put(name(id), bytes, type, replacing(etag));
    } catch (error) {
      objects.lookAgain(id);
      throw error;
    }
    objects.hold(id, { content: open(bytes, id), etag: undefined });
    return true;
  });
}

async function changedSoon<T, C>(
  objects: CoinObjects<T>,
  format: Format<T, C>,
  id: string,
  change: Change<C>,
): Promise<void> {
  const isStored = changed(objects, format, id, change).then(
    () => true,
    () => false,
  );
  if (await withTimeout(S3_TIMEOUT_MS, isStored)) return;
  count('SharedStoreFailures');
  const bytes = format.encode(id, change(format.contentOf(objects.peek(id))));
  objects.hold(id, { content: objects.kind.open(bytes, id), etag: undefined, isUnsaved: true });
}

/**
 * A coin's candles with more of them: of two for an interval the better one stays. Hours are kept for as long as those in the
 * shards.
 */
export function withCandles(known: CoinCandles, more: CoinCandles, now: number): CoinCandles {
  const all: Partial<Record<BaseInterval, CoveredSeries>> = { ...known };
  for (const base of bases) {
    const added = more[base];
    if (!added) continue;
    const format = { stepMs: steps[base], sources: new SourceList() };
    const before = known[base];
    const both = joinSeries(before && joinSeries(undefined, before, format), added, format);
    const from = base === '1h' ? now - HOURS_KEPT_DAYS * DAY_MS : undefined;
    all[base] = readSeries(both, format.stepMs, format.sources.names, from);
  }
  return all;
}
