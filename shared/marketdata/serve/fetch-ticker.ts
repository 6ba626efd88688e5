/** A ticker outside the snapshot and its tail: from the coin's object, or fetched into it. */
import { ApiError } from '../../http/errors.ts';
import type { Environment } from '../../platform/environment.ts';
import { count } from '../../platform/metrics.ts';
import { elapsedMs } from '../../platform/time.ts';
import type { RegistryEntry } from '../../registry/entries.ts';
import { lifetimes } from '../freshness.ts';
import type { Kept, ProviderClient } from '../provider.ts';
import { changeFetchedSoon } from '../store/coin-changes.ts';
import type { CoinFetched, StoredTicker } from '../store/coin-object.ts';
import { coinFetchedOf } from '../store/coin-objects.ts';
import type { Ticker } from '../ticker.ts';
import { type CurrentTicker, currentOf, type Errand } from './current-ticker.ts';
import type { Want } from './demand.ts';
import { refusedMs, throwIfRefused } from './refusals.ts';

interface Options extends Errand {
  readonly coin: RegistryEntry | undefined;
  /** The coin's known ticker, which may be served within its bound. */
  readonly known: Kept<Ticker> | undefined;
  /** The provider's own last ticker, to compare the new one with. */
  readonly measure: Kept<Ticker> | undefined;
}

/** Throws as `currentTicker` does. */
export async function fetchTicker(
  environment: Environment,
  id: string,
  open: () => Promise<ProviderClient<'ticker'>>,
  { coin, known, measure, deadline, client: payer }: Options,
): Promise<CurrentTicker> {
  const isActive = coin?.is_active;
  const seconds = Number(environment.TICKER_FRESH_SECONDS);
  const freshMs = isActive === false ? lifetimes.inactiveMs : seconds * 1000;
  const kept = (ticker: StoredTicker): Kept<Ticker> => {
    const freshUntil = ticker.storedAt + freshMs;
    return { ...ticker, freshUntil, staleUntil: freshUntil + lifetimes.ticker.staleForMs };
  };
  const stored = coinFetchedOf(environment);
  /** The fresh ticker. Throws a refusal that still counts. */
  const freshIn = ({ ticker, refusals }: CoinFetched) => {
    const own = ticker && kept(ticker);
    if (own && elapsedMs(own.storedAt) < freshMs) return own;
    throwIfRefused(refusals.ticker);
    return undefined;
  };
  const want: Want<Kept<Ticker>> = {
    what: 'ticker',
    find: async () => freshIn(await stored.readNow(id).catch(() => stored.peek(id))),
    async fetch(beforePaying) {
      const requestedAt = Date.now();
      const { ticker: before, refusals } = stored.peek(id);
      throwIfRefused(refusals.ticker);
      const held = newest(before && kept(before), measure);
      const isMeasure = held !== undefined && requestedAt - held.madeAt < lifetimes.comparedForMs;
      const client = await open();
      const request = client.provider.ticker(id);
      try {
        const options = {
          held: isMeasure ? held : undefined,
          isActive,
          labels: coin,
          client: payer,
          beforePaying,
        };
        const { data, source, madeAt } = await client.fetch(request, deadline, options);
        const ticker: StoredTicker = { data, source, madeAt, storedAt: requestedAt };
        await changeFetchedSoon(stored, id, ({ refusals: { ticker: _, ...others } }) => ({
          ticker,
          refusals: others,
        }));
        return kept(ticker);
      } catch (error) {
        if (!(error instanceof ApiError) || error.statusCode !== 404) throw error;
        const until = requestedAt + refusedMs(isActive);
        const refusal = { status: 404, message: error.message, at: requestedAt, until } as const;
        await changeFetchedSoon(stored, id, (fetched) => ({
          ...fetched,
          refusals: { ...fetched.refusals, ticker: refusal },
        }));
        throw error;
      }
    },
  };

  const fetched = await stored.read(id).catch(() => stored.peek(id));
  const standIn = newest(fetched.ticker && kept(fetched.ticker), known);
  const responseOf = (ticker: Kept<Ticker>) => {
    const current = currentOf(ticker, ticker.freshUntil);
    // A coin may be traded again, and caches cannot be invalidated.
    const cachedUntil = isActive === false ? Date.now() + seconds * 1000 : Number.POSITIVE_INFINITY;
    return { ...current, freshUntil: Math.min(current.freshUntil, cachedUntil) };
  };
  const stale = (ticker: Kept<Ticker>) => {
    count('CacheStale');
    return currentOf(ticker, 0);
  };
  try {
    const fresh = freshIn(fetched);
    if (fresh) {
      count('CacheHits');
      return responseOf(fresh);
    }
    // Loaded only when a ticker has to be fetched.
    const { demandOf, patiently } = await import('./demand.ts');
    const { provider } = await open();
    const options = { provider, deadline, hasStandIn: standIn !== undefined };
    const loading = demandOf(environment).load(id, want, options);
    const { value, isStandIn } = await patiently(loading, standIn, Number(environment.STALE_WAIT_MS));
    return isStandIn ? stale(value) : responseOf(value);
  } catch (error) {
    // A 404 for a coin that the registry lists does not invalidate the known ticker.
    const isDoubted = error instanceof ApiError && error.statusCode === 404 && isActive === true;
    if (isDoubted && standIn) return stale(standIn);
    throw error;
  }
}

/** The newest of the tickers that may still be served. */
function newest(...tickers: (Kept<Ticker> | undefined)[]): Kept<Ticker> | undefined {
  return tickers
    .filter((ticker) => ticker !== undefined && Date.now() < ticker.staleUntil)
    .reduce((a, b) => (a && b && a.madeAt > b.madeAt ? a : b), undefined);
}
