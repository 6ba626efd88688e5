import { publicFor } from '../../../shared/http/cache-control.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import { jointOrigin, setOriginHeaders } from '../../../shared/marketdata/provenance.ts';
import type { CurrentTicker } from '../../../shared/marketdata/serve/current-ticker.ts';
import { pricesNow } from '../../../shared/marketdata/serve/price-now.ts';
import { currentSnapshot } from '../../../shared/marketdata/store/current-snapshot.ts';
import type { Environment } from '../../../shared/platform/environment.ts';
import { atInit } from '../../../shared/platform/waiting.ts';
import { answeringRegistry, openedRegistry, refreshRegistry } from '../../../shared/registry/container.ts';
import { coinOfSymbol } from '../../../shared/registry/lookups.ts';
import { route } from './route.ts';

/** The result for a name in the request: an error, or a coin with its ticker if one is available. */
type Lookup =
  | { readonly asked?: string; readonly id: string; readonly ticker: CurrentTicker | undefined }
  | { readonly asked?: string; readonly id?: string; readonly error: string };

export const handler = endpoint(route, async (input, { environment, headers }) => {
  const { ids, symbols } = input;
  if (ids !== undefined && symbols !== undefined)
    throw new ApiError(400, 'Invalid parameter symbols: given together with ids; allowed: one of the two');
  if (symbols !== undefined) return namedTickers(await lookupSymbols(symbols, environment), headers);
  await refreshRegistry(environment);
  if (ids !== undefined) return namedTickers(await lookupIds(ids, environment), headers);
  // Most requests name their coins and do not need this module.
  const { listedSnapshot, pageOf } = await import('../../../shared/marketdata/serve/list.ts');
  const snapshot = await listedSnapshot(environment);
  const page = pageOf(snapshot, input, Date.now());
  const known = await pricesNow(environment, page.ids, 'shown', snapshot);
  const tickers = inShownOrder(
    known.filter((ticker) => ticker !== undefined),
    input.sort,
  );
  setHeaders(headers, tickers);
  return {
    count: tickers.length,
    results: tickers.map((ticker) => itemOf(ticker)),
    nextCursor: page.nextCursor,
  };
});

/** The list chooses the coins of a page; changes move with the price since, and what is shown is in order. */
function inShownOrder(tickers: readonly CurrentTicker[], sort: string): readonly CurrentTicker[] {
  if (sort !== 'change_24h') return tickers;
  const changeOf = ({ ticker }: CurrentTicker) =>
    ticker.quotes.USD.percent_change_24h ?? Number.NEGATIVE_INFINITY;
  return tickers.toSorted((a, b) => changeOf(b) - changeOf(a) || 0);
}

/** Follows the registry's rule for symbols. Throws 503 without a registry. */
async function lookupSymbols(symbols: readonly string[], environment: Environment): Promise<Lookup[]> {
  // The registry sets headers of its own, but this response's headers are those of its tickers.
  const registry = await answeringRegistry({}, environment);
  const coins = symbols.map((symbol) => coinOfSymbol(symbol, registry) ?? undefined);
  const ids = coins.flatMap((coin) => coin?.id ?? []);
  const tickers = (await pricesNow(environment, ids, 'shown')).values();
  return symbols.map((asked, index): Lookup => {
    const id = coins[index]?.id;
    return id === undefined
      ? { asked, error: `Unknown symbol: ${asked}` }
      : { asked, id, ticker: tickers.next().value };
  });
}

/** Without a registry, any id may be a coin's. */
async function lookupIds(ids: readonly string[], environment: Environment): Promise<Lookup[]> {
  const registry = openedRegistry();
  const isKnown = (id: string) => !registry || registry.getById(id) !== null;
  const tickers = (await pricesNow(environment, ids.filter(isKnown), 'shown')).values();
  return ids.map(
    (id): Lookup =>
      isKnown(id) ? { id, ticker: tickers.next().value } : { id, error: ApiError.unknownCoin(id).message },
  );
}

function namedTickers(lookups: readonly Lookup[], headers: Record<string, string>) {
  setHeaders(
    headers,
    lookups.flatMap((lookup) => ('ticker' in lookup ? (lookup.ticker ?? []) : [])),
  );
  const results = lookups.map((lookup) => {
    if ('error' in lookup) return lookup;
    const { asked, id, ticker } = lookup;
    if (ticker) return itemOf(ticker, asked);
    const next = `GET /api/marketdata/ticker/${encodeURIComponent(id)} fetches it`;
    return { asked, id, error: `No ticker of ${id} is available; ${next}` };
  });
  return { count: results.length, results };
}

function itemOf({ ticker, quality, source, madeAt }: CurrentTicker, asked?: string) {
  return { asked, id: ticker.id, ticker, quality, source, dataTime: new Date(madeAt).toISOString() };
}

/** The joint headers of all tickers. Caches may not store a response without a ticker. */
function setHeaders(headers: Record<string, string>, tickers: readonly CurrentTicker[]): void {
  headers['cache-control'] = publicFor(0);
  setOriginHeaders(headers, jointOrigin(tickers));
}

await atInit(currentSnapshot);
