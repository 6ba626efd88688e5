/** Our coins under CoinGecko's ids and contracts. Coins without a certain match are left out. */

import { addressOn, marketChains } from '../../shared/chains.ts';
import type { AdapterRequest } from '../../shared/http/adapter.ts';
import { publicFor } from '../../shared/http/cache-control.ts';
import { ApiError } from '../../shared/http/errors.ts';
import { jointOrigin, type Provenance, setOriginHeaders } from '../../shared/marketdata/provenance.ts';
import type { CurrentTicker } from '../../shared/marketdata/serve/current-ticker.ts';
import { priceNow, pricesNow } from '../../shared/marketdata/serve/price-now.ts';
import { currentContracts } from '../../shared/marketdata/store/contracts.ts';
import type { Environment } from '../../shared/platform/environment.ts';
import { tickerDemand } from '../../shared/providers/demand.ts';
import { type CoinGeckoIds, coinGeckoIds } from '../../shared/registry/coingecko-ids.ts';
import { answeringRegistry } from '../../shared/registry/container.ts';
import type { RegistryEntry } from '../../shared/registry/entries.ts';
import type { RegistryLookups } from '../../shared/registry/lookups.ts';
import { list, parameter } from './request.ts';

export interface Coin {
  /** CoinGecko's id. */
  readonly id: string;
  /** The registry's entry, under our own id. */
  readonly entry: RegistryEntry;
}

/** A coin with its ticker. */
export interface Market {
  readonly coin: Coin;
  readonly current: CurrentTicker;
}

/** The coins that are in both lists. */
export interface Coins {
  readonly registry: RegistryLookups;
  readonly ids: CoinGeckoIds;
  /** The coin with this id of CoinGecko's. */
  byId(id: string): Coin | undefined;
  /** The coin with this id of ours. */
  byOurs(id: string): Coin | undefined;
}

/** Throws 503 without a registry. `headers` are those of a response that only uses the registry. */
export async function coinsOf(
  environment: Environment,
  headers: Record<string, string> = {},
): Promise<Coins> {
  const registry = await answeringRegistry(headers, environment);
  const ids = await coinGeckoIds(environment);
  // A new service has coins before it has ids.
  if (ids.size === 0) headers['cache-control'] = publicFor(0);
  const coin = (theirs: string | undefined, ours: string | undefined): Coin | undefined => {
    const entry = ours === undefined ? null : registry.getById(ours);
    return entry && theirs !== undefined ? { id: theirs, entry } : undefined;
  };
  return {
    registry,
    ids,
    byId: (id) => coin(id, ids.ours(id)),
    byOurs: (id) => coin(ids.theirs(id), id),
  };
}

/** The coin of the path, by its id, or by its contract on the platform. Throws 404. */
export async function coinInPath({ environment, path: { id = '', address } }: AdapterRequest): Promise<Coin> {
  const { byId, byOurs } = await coinsOf(environment);
  const ours = address === undefined ? undefined : (await contractOn(environment, id, address)).id;
  const coin = address === undefined ? byId(id.toLowerCase()) : ours && byOurs(ours);
  if (!coin) throw ApiError.notFound('coin not found');
  return coin;
}

/** An address in its platform's notation, and our id of its coin, if there is one. Throws 404 for an unknown platform. */
export async function contractOn(environment: Environment, platform: string, text: string) {
  const chain = marketChains.find((one) => one.platform === platform.toLowerCase());
  const known = marketChains.map((one) => one.platform).join(', ');
  if (!chain) throw ApiError.notFound(`asset platform not found; there are ${known}`);
  const address = addressOn(chain, text) ?? text;
  return { address, id: (await currentContracts(environment)).get(chain.name)?.get(address) };
}

/** The addresses of each coin by platform, under our ids. */
export async function platformsByCoin(
  environment: Environment,
): Promise<Map<string, Record<string, string>>> {
  const contracts = await currentContracts(environment);
  const platforms = new Map<string, Record<string, string>>();
  for (const { name, platform } of marketChains)
    for (const [address, id] of contracts.get(name) ?? []) {
      const known = platforms.get(id) ?? {};
      known[platform] ??= address;
      platforms.set(id, known);
    }
  return platforms;
}

/** The coins named by `ids`, `names` or `symbols`, each once; undefined if the query names none. */
export async function namedCoins({ query, environment }: AdapterRequest): Promise<Coin[] | undefined> {
  const ids = list(query, 'ids');
  const names = list(query, 'names');
  const symbols = list(query, 'symbols');
  if (!ids && !names && !symbols) return undefined;
  const coins = await coinsOf(environment);
  const most = (parameter(query, 'include_tokens') ?? 'top') === 'all' ? undefined : 1;
  const found = ids
    ? ids.flatMap((id) => coins.byId(id.toLowerCase()) ?? [])
    : names
      ? await withNames(coins, names)
      : (symbols ?? []).flatMap((symbol) => withSymbol(coins, symbol).slice(0, most));
  return [...new Map(found.map((coin) => [coin.id, coin])).values()];
}

/** The coins with a symbol in the registry's order: the largest first. */
function withSymbol({ registry, byOurs }: Coins, symbol: string): Coin[] {
  return registry.searchBySymbol(symbol, { activeOnly: true }).flatMap(({ id }) => byOurs(id) ?? []);
}

async function withNames({ registry, byOurs }: Coins, names: readonly string[]): Promise<Coin[]> {
  const { searchable } = await import('../../shared/registry/registry.ts');
  return names.flatMap((name) => {
    const entries = searchable(registry).search(name, MOST_OF_A_NAME, { activeOnly: true });
    const alike = entries.filter((entry) => entry.name.toLowerCase() === name.toLowerCase());
    return alike.flatMap(({ id }) => byOurs(id) ?? []);
  });
}

const MOST_OF_A_NAME = 20;

/** Coins with their stored tickers. Makes no upstream calls. */
export async function marketsOf(environment: Environment, coins: readonly Coin[]): Promise<Market[]> {
  const ids = coins.map(({ entry }) => entry.id);
  const tickers = await pricesNow(environment, ids, 'shown');
  return coins.flatMap((coin, index) => {
    const current = tickers[index];
    return current ? [{ coin, current }] : [];
  });
}

/** A coin with its ticker, which is fetched as in our own route if necessary. Throws as that does. */
export async function marketOf(request: AdapterRequest, coin: Coin): Promise<Market> {
  const options = { ...tickerDemand(request, coin.entry), maxAge: 'shown' } as const;
  return { coin, current: await priceNow(request.environment, coin.entry.id, options) };
}

/** The headers of a response made from tickers and other data; caches may not store one without a coin. */
export function setMarketHeaders(
  headers: Record<string, string>,
  markets: readonly Market[],
  others: readonly (Provenance | undefined)[],
): void {
  headers['cache-control'] = publicFor(0);
  if (markets.length === 0) return;
  setOriginHeaders(headers, jointOrigin<Provenance>([...markets.map(({ current }) => current), ...others]));
}
