/** A coin's price now where the snapshot has none that counts: from the tail, the last fetched ticker, or one request. */
import type { Environment } from '../../platform/environment.ts';
import { count } from '../../platform/metrics.ts';
import { monotonicMs } from '../../platform/waiting.ts';
import { tailTicker } from '../store/tail.ts';
import {
  type CurrentTicker,
  currentOf,
  isUsable,
  type Known,
  type KnownTicker,
  type MaxAge,
  type PayingOptions,
  type PriceOptions,
} from './current-ticker.ts';
import { ownTicker } from './own-ticker.ts';

/** As `priceNow`, given the coin's row of the snapshot. */
export async function otherPrice(
  environment: Environment,
  id: string,
  row: KnownTicker | undefined,
  options: PriceOptions | PayingOptions,
): Promise<CurrentTicker | undefined> {
  const { maxAge, coin, readUntil = Number.POSITIVE_INFINITY, ...errand } = options;
  const sources = [
    // The tail contains active coins only.
    () => (coin?.is_active ? tailTicker(environment, coin) : undefined),
    () => ownTicker(environment, id, coin?.is_active),
  ];
  const known = [row];
  for (const read of sources) {
    if (monotonicMs() > readUntil) break;
    const ticker = await read();
    known.push(ticker && { ...ticker, price: ticker.data.quotes.USD.price });
    if (ticker && Date.now() < ticker.answersUntil) break;
  }
  const best = chosen(known, maxAge, Date.now());
  const current = best && currentOf(best, best.answersUntil);
  if (!('open' in errand)) return current;
  if (row && row.answersUntil > row.storedAt) count('SnapshotOutdated'); // not carried over
  if (best && Date.now() < best.answersUntil) {
    if (known.length > sources.length) count('CacheHits');
    return current;
  }
  const { fetchTicker } = await import('./fetch-ticker.ts');
  return fetchTicker(environment, id, { ...errand, coin, row, standIn: best });
}

/**
 * Of the known prices of a coin, in the order of their sources, the first that counts; otherwise the newest. Undefined if the
 * caller must not use that one.
 */
export function chosen<K extends Known>(
  known: readonly (K | undefined)[],
  maxAge: MaxAge,
  now: number,
): K | undefined {
  const present = known.flatMap((one) => (one && now < one.staleUntil ? [one] : []));
  const best =
    present.find(({ answersUntil }) => now < answersUntil) ??
    present.reduce<K | undefined>((a, b) => (a && a.madeAt >= b.madeAt ? a : b), undefined);
  return best && isUsable(best, maxAge, now) ? best : undefined;
}
