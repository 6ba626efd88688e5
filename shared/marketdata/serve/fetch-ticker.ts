/** A ticker that is not stored, or is past its lifetime: fetched once for all instances and stored. */
import { ApiError, isOutage } from '../../http/errors.ts';
import type { Environment } from '../../platform/environment.ts';
import { messageOf } from '../../platform/message-of.ts';
import { count } from '../../platform/metrics.ts';
import type { RegistryEntry } from '../../registry/entries.ts';
import { lifetimes } from '../freshness.ts';
import { type Kept, type ProviderClient, UnknownSymbol } from '../provider.ts';
import { changeFetchedSoon } from '../store/coin-changes.ts';
import type { StoredTicker } from '../store/coin-object.ts';
import { coinFetchedOf } from '../store/coin-objects.ts';
import type { Ticker } from '../ticker.ts';
import { type CurrentTicker, currentOf, type Errand } from './current-ticker.ts';
import { demandOf, patiently, type Want } from './demand.ts';
import { unpriced } from './last-price.ts';
import { keptTicker, type OwnTicker } from './own-ticker.ts';
import { refusedMs, throwIfRefused } from './refusals.ts';

interface Options extends Errand {
  readonly coin: RegistryEntry | undefined;
  readonly open: () => Promise<ProviderClient<'ticker'>>;
  /** The coin's row of the snapshot, to compare the new ticker with. */
  readonly row: Kept<Ticker> | undefined;
  /** The newest known ticker, which may be served within its bound. */
  readonly standIn: Kept<Ticker> | undefined;
}

/** Throws as `priceNow` does for a caller that may pay, which has read the stored ticker. */
export async function fetchTicker(
  environment: Environment,
  id: string,
  { coin, open, row, standIn, deadline, client: payer }: Options,
): Promise<CurrentTicker> {
  const isActive = coin?.is_active;
  const kept = (ticker: StoredTicker) => keptTicker(ticker, environment, isActive);
  const stored = coinFetchedOf(environment);
  const want: Want<OwnTicker> = {
    what: 'ticker',
    async find() {
      const { ticker, refusals } = await stored.readNow(id).catch(() => stored.peek(id));
      const own = ticker && kept(ticker);
      if (own && Date.now() < own.answersUntil) return own;
      throwIfRefused(refusals.ticker);
      return undefined;
    },
    async fetch(beforePaying) {
      const requestedAt = Date.now();
      const { ticker: before, refusals } = stored.peek(id);
      throwIfRefused(refusals.ticker);
      const held = newest(requestedAt, before && kept(before), row);
      const isMeasure = held !== undefined && requestedAt - held.madeAt < lifetimes.comparedForMs;
      const client = await open();
      const request = client.provider.ticker(id);
      try {
        const options = {
          held: isMeasure ? held : undefined,
          isActive,
          labels: coin,
          price: standIn?.data.quotes.USD.price ?? undefined,
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
        const status = refusedWith(error);
        if (status === undefined) throw error;
        const until = requestedAt + (status === 404 ? refusedMs(isActive) : lifetimes.refusalMs);
        // Stored with the refusal, so that the last price is looked for once.
        const reason =
          coin && status === 404 && error instanceof ApiError
            ? await unpriced(environment, id, error)
            : error;
        const refusal = { status, message: messageOf(reason), at: requestedAt, until };
        await changeFetchedSoon(stored, id, (fetched) => ({
          ...fetched,
          refusals: { ...fetched.refusals, ticker: refusal },
        }));
        throw reason;
      }
    },
  };

  const stale = (ticker: Kept<Ticker>) => {
    count('CacheStale');
    return currentOf(ticker, 0);
  };
  try {
    throwIfRefused(stored.peek(id).refusals.ticker);
    const { provider } = await open();
    const options = { provider, deadline, hasStandIn: standIn !== undefined };
    const loading = demandOf(environment).load<Kept<Ticker>>(id, want, options);
    const { value, isStandIn } = await patiently(loading, standIn, Number(environment.STALE_WAIT_MS));
    return isStandIn ? stale(value) : currentOf(value, value.freshUntil);
  } catch (error) {
    // A 404 for a coin that the registry lists does not invalidate the known ticker.
    const isDoubted = error instanceof ApiError && error.statusCode === 404 && isActive === true;
    if (standIn && (isDoubted || isOutage(error))) return stale(standIn);
    throw error;
  }
}

/** The status of a refusal to remember: the same request would be refused again. */
function refusedWith(error: unknown): 404 | 502 | undefined {
  if (error instanceof UnknownSymbol) return 502;
  return error instanceof ApiError && error.statusCode === 404 ? 404 : undefined;
}

/** The newest of the tickers that may still be served. */
function newest(now: number, ...tickers: (Kept<Ticker> | undefined)[]): Kept<Ticker> | undefined {
  return tickers
    .filter((ticker) => ticker !== undefined && now < ticker.staleUntil)
    .reduce((a, b) => (a && b && a.madeAt > b.madeAt ? a : b), undefined);
}
