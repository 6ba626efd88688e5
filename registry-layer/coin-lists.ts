/** Our coins and those of the source of ids, prepared for matching. */
import type { ListedCoin, ListedPrice, ProviderClient } from '../shared/marketdata/provider.ts';
import type { Ticker } from '../shared/marketdata/ticker.ts';
import { SCHEDULED_TIME_MS } from '../shared/providers/index.ts';
import type { IdOffers } from '../shared/providers/sources.ts';
import type { RegistryEntry } from '../shared/registry/entries.ts';
import type { PricedCoin } from './candidate.ts';

/** Prices of 2,500 coins, the most requested ones. */
const PAGES = 10;

type Figures = Pick<Ticker['quotes']['USD'], 'price' | 'market_cap'>;

/** Our active coins with their data; `tokens` are the contracts of a coin, `chain:address`. */
export function ourCoins(
  entries: readonly RegistryEntry[],
  figuresOf: (id: string) => Figures | undefined,
  tokens: ReadonlyMap<string, readonly string[]> = new Map(),
): PricedCoin[] {
  return entries
    .filter((entry) => entry.is_active)
    .map(({ id, name, symbol }) => {
      const { price = null, market_cap: marketCap = null } = figuresOf(id) ?? {};
      return { id, name, symbol, price, marketCap, contracts: tokens.get(id) ?? [] };
    });
}

/** Coins of the other list, some with prices. */
export function theirCoins(coins: readonly ListedCoin[], prices: readonly ListedPrice[]): PricedCoin[] {
  const byId = new Map(prices.map((price) => [price.id, price]));
  return coins.map((coin) => {
    const { price = null, marketCap = null } = byId.get(coin.id) ?? {};
    return { ...coin, price, marketCap };
  });
}

/** Fetches the list and the prices of its largest coins, in eleven requests. Throws what fetching throws. */
export async function fetchTheirCoins(client: ProviderClient<IdOffers>): Promise<PricedCoin[]> {
  const { provider } = client;
  const { data: coins } = await client.fetch(provider.listedCoins(), Date.now() + SCHEDULED_TIME_MS);
  const prices: ListedPrice[] = [];
  for (let page = 1; page <= PAGES; page++) {
    const { data } = await client.fetch(provider.listedPrices(page), Date.now() + SCHEDULED_TIME_MS);
    prices.push(...data);
    if (data.length === 0) break;
  }
  return theirCoins(coins, prices);
}
