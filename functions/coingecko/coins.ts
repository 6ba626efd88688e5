/** Our coins by CoinGecko's ids. A coin that cannot be matched for certain is not there. */

import type { AdapterRequest } from '../../shared/http/adapter.ts';
import { ApiError } from '../../shared/http/errors.ts';
import { tickersAtHand } from '../../shared/marketdata/serve/current.ts';
import type { CurrentTicker } from '../../shared/marketdata/serve/current-ticker.ts';
import type { Environment } from '../../shared/platform/environment.ts';
import { type CoinGeckoIds, coinGeckoIds } from '../../shared/registry/coingecko-ids.ts';
import { answeringRegistry } from '../../shared/registry/container.ts';
import type { RegistryEntry } from '../../shared/registry/entries.ts';
import type { RegistryLookups } from '../../shared/registry/lookups.ts';
import { list, parameter } from './request.ts';

export interface Coin {
  /** CoinGecko's id. */
  readonly id: string;
  /** Under our own id. */
  readonly entry: RegistryEntry;
}

/** The coins that are in both lists. */
export interface Coins {
  readonly registry: RegistryLookups;
  readonly ids: CoinGeckoIds;
  /** By CoinGecko's id. */
  byId(id: string): Coin | undefined;
  /** By ours. */
  byOurs(id: string): Coin | undefined;
}

/** Throws 503 without a registry. */
export async function coinsOf(environment: Environment): Promise<Coins> {
  // It sets headers of its own, and an answer's headers are those of its data.
  const registry = await answeringRegistry({}, environment);
  const ids = await coinGeckoIds(environment);
  const coin = (id: string | undefined, ours: string | undefined): Coin | undefined => {
    const entry = id === undefined || ours === undefined ? null : registry.getById(ours);
    return entry && id !== undefined ? { id, entry } : undefined;
  };
  return {
    registry,
    ids,
    byId: (id) => coin(id, ids.ours(id)),
    byOurs: (id) => coin(ids.theirs(id), id),
  };
}

/** The coin in the path. Throws 404. */
export async function coinInPath({ environment, path }: AdapterRequest): Promise<Coin> {
  const coin = (await coinsOf(environment)).byId((path.id ?? '').toLowerCase());
  if (!coin) throw notFound();
  return coin;
}

export function notFound(): ApiError {
  return ApiError.notFound('coin not found');
}

/** The coins that a query names by `ids`, `names` or `symbols`, each once; undefined if it names none. */
export async function namedCoins({ query, environment }: AdapterRequest): Promise<Coin[] | undefined> {
  const [ids, names, symbols] = [list(query, 'ids'), list(query, 'names'), list(query, 'symbols')];
  const named = ids ?? names ?? symbols;
  if (!named) return undefined;
  const coins = await coinsOf(environment);
  const isTop = (parameter(query, 'include_tokens') ?? 'top') !== 'all';
  const found = ids
    ? ids.flatMap((id) => coins.byId(id.toLowerCase()) ?? [])
    : names
      ? withNames(coins, names)
      : named.flatMap((symbol) => withSymbol(coins, symbol).slice(0, isTop ? 1 : undefined));
  return [...new Map(found.map((coin) => [coin.id, coin])).values()];
}

/** By symbol, in the registry's order: the largest first. */
function withSymbol({ registry, byOurs }: Coins, symbol: string): Coin[] {
  const entries = registry.searchBySymbol(symbol, { activeOnly: true });
  return entries.flatMap(({ id }) => byOurs(id) ?? []);
}

function withNames({ ids, byId }: Coins, names: readonly string[]): Coin[] {
  const wanted = new Set(names.map((name) => name.toLowerCase()));
  return Array.from(ids.pairs(), ([, theirs]) => byId(theirs)).flatMap((coin) =>
    coin && wanted.has(coin.entry.name.toLowerCase()) ? [coin] : [],
  );
}

/** The tickers of coins that are at hand, by our ids. A list never asks upstream. */
export async function tickersOf(
  environment: Environment,
  coins: readonly Coin[],
): Promise<Map<string, CurrentTicker>> {
  const tickers = await tickersAtHand(
    environment,
    coins.map(({ entry }) => entry),
  );
  return new Map(tickers.flatMap((ticker) => (ticker ? [[ticker.ticker.id, ticker] as const] : [])));
}

/** The ticker of one coin: at hand, or by the same budget as our own route. Throws as that does. */
export async function tickerOf(
  { environment, deadline, payer }: AdapterRequest,
  { entry }: Coin,
): Promise<CurrentTicker> {
  const { currentTicker } = await import('../../shared/marketdata/serve/current.ts');
  return currentTicker(environment, entry.id, {
    coin: entry,
    deadline,
    client: payer,
    open: async () =>
      (await import('../../shared/providers/index.ts')).clientFor(environment, 'demand', 'ticker'),
  });
}

/** The provider's own address of a coin's logo. */
export function imageOf({ entry }: Coin): string {
  return `https://static.coinpaprika.com/coin/${encodeURIComponent(entry.id)}/logo.png`;
}
