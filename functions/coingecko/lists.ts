/** The remaining routes: lists, search, global figures, and the caller's own key. */

import { marketChains } from '../../shared/chains.ts';
import type { AdapterRequest } from '../../shared/http/adapter.ts';
import { publicFor } from '../../shared/http/cache-control.ts';
import { namedClientOf } from '../../shared/http/client.ts';
import { jointOrigin, setOriginHeaders } from '../../shared/marketdata/provenance.ts';
import { listedSnapshot } from '../../shared/marketdata/serve/list.ts';
import { overviewOf } from '../../shared/marketdata/serve/overview.ts';
import { inCurrency } from '../../shared/marketdata/serve/unit-rate.ts';
import { logoOf } from '../../shared/providers/logo.ts';
import { coinsOf, platformsByCoin } from './coins.ts';
import { currencies } from './currencies.ts';
import { flag, parameter, required } from './request.ts';

const MOST_FOUND = 25;
/** More than the results, because some coins of the registry are not in both lists. */
const MOST_SEARCHED = 100;
/** The lifetime of lists that change once a day. */
const LIST_SECONDS = 3600;

export function ping({ headers }: AdapterRequest) {
  headers['cache-control'] = 'no-store';
  return { gecko_says: '(V3) To the Moon!' };
}

export async function supportedCurrencies({ environment, headers }: AdapterRequest): Promise<string[]> {
  const all = await currencies(environment);
  setOriginHeaders(headers, jointOrigin(all.map(({ origin }) => origin)));
  return all.map(({ code }) => code);
}

export async function coinList({ query, environment, headers }: AdapterRequest) {
  const isActive = (parameter(query, 'status') ?? 'active') !== 'inactive';
  const { ids, byOurs } = await coinsOf(environment, headers);
  const platforms = flag(query, 'include_platform') ? await platformsByCoin(environment) : undefined;
  return Array.from(ids.pairs(), ([ours]) => byOurs(ours)).flatMap((coin) => {
    if (!coin || coin.entry.is_active !== isActive) return [];
    const { id, entry } = coin;
    const about = { id, symbol: entry.symbol.trim().toLowerCase(), name: entry.name };
    return platforms ? { ...about, platforms: platforms.get(entry.id) ?? {} } : about;
  });
}

export async function search({ query, environment, headers }: AdapterRequest) {
  const text = required(query, 'query');
  const { registry, byOurs } = await coinsOf(environment, headers);
  const { searchable } = await import('../../shared/registry/registry.ts');
  const entries = searchable(registry).search(text.slice(0, 100), MOST_SEARCHED, { activeOnly: true });
  const coins = entries.flatMap(({ id }) => byOurs(id) ?? []).slice(0, MOST_FOUND);
  const sorted = coins.toSorted((a, b) => (a.entry.rank || Infinity) - (b.entry.rank || Infinity));
  return {
    coins: sorted.map((coin) => ({
      ...{ id: coin.id, name: coin.entry.name, api_symbol: coin.id },
      ...{ symbol: coin.entry.symbol.trim().toUpperCase(), market_cap_rank: coin.entry.rank || null },
      ...{ thumb: logoOf(coin.entry.id), large: logoOf(coin.entry.id) },
    })),
    ...{ exchanges: [], icos: [], categories: [], nfts: [] },
  };
}

/** Searches are not counted. */
export function trending({ headers }: AdapterRequest) {
  headers['cache-control'] = publicFor(LIST_SECONDS);
  return { coins: [], nfts: [], categories: [] };
}

export function assetPlatforms({ headers, query }: AdapterRequest) {
  headers['cache-control'] = publicFor(LIST_SECONDS);
  if (parameter(query, 'filter') === 'nft') return [];
  return marketChains.map(({ platform, chainId, title, nativeCoin }) => ({
    ...{ id: platform, chain_identifier: chainId, name: title, shortname: '', native_coin_id: nativeCoin },
    image: { thumb: null, small: null, large: null },
  }));
}

export async function global({ environment, headers }: AdapterRequest) {
  const { registry } = await coinsOf(environment);
  const { origin, figures } = overviewOf(await listedSnapshot(environment));
  const all = await currencies(environment);
  setOriginHeaders(headers, jointOrigin([origin, ...all.map((currency) => currency.origin)]));
  const inAll = (usd: number | null) =>
    Object.fromEntries(usd === null ? [] : all.map((currency) => [currency.code, inCurrency(usd, currency)]));
  const shares = figures.largest.map(({ id, share }) => {
    const symbol = registry.getById(id)?.symbol ?? id;
    return [symbol.trim().toLowerCase(), share];
  });
  return {
    data: {
      active_cryptocurrencies: registry.activeCount,
      ...{ upcoming_icos: 0, ongoing_icos: 0, ended_icos: 0, markets: null },
      total_market_cap: inAll(figures.marketCap.usd),
      total_volume: inAll(figures.volume24h.usd),
      market_cap_percentage: Object.fromEntries(shares),
      ...{ market_cap_change_percentage_24h_usd: null, volume_change_percentage_24h_usd: null },
      updated_at: Math.floor(Date.parse(figures.takenAt) / 1000),
    },
  };
}

/** The remaining quota is unknown, because each instance counts separately. */
export function key({ event, headers }: AdapterRequest) {
  headers['cache-control'] = 'no-store';
  return {
    plan: namedClientOf(event)?.name ?? 'default',
    rate_limit_request_per_minute: Number(headers['ratelimit-limit']),
    monthly_call_credit: null,
    current_total_monthly_calls: null,
    current_remaining_monthly_calls: null,
  };
}
