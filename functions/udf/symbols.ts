/** The data feed's resolutions, and coins under the names that charts use. */
import type { AdapterRequest } from '../../shared/http/adapter.ts';
import { publicFor } from '../../shared/http/cache-control.ts';
import { ApiError } from '../../shared/http/errors.ts';
import { priceNow } from '../../shared/marketdata/serve/price-now.ts';
import { answeringRegistry } from '../../shared/registry/container.ts';
import type { RegistryEntry } from '../../shared/registry/entries.ts';
import { coinOfSymbol, type RegistryLookups } from '../../shared/registry/lookups.ts';

/** Hours and days are ours; the library makes weeks and months from days, so that they follow the calendar. */
const resolutions = ['60', '1D', '1W', '1M'];
const EXCHANGE = 'marketdata';
const CONFIG_SECONDS = 3600;
const DEFAULT_RESULTS = 30;
const MAX_RESULTS = 100;
/** The longest query in characters, as for our own search. */
const MAX_QUERY = 100;
/** Decimals of a price from one dollar on, and figures of a smaller one. */
const DECIMALS = 2;
const SMALL_FIGURES = 5;
/** The decimals of a coin without a stored price. */
const UNKNOWN_DECIMALS = 8;
/** A double could not represent more decimals next to one dollar. */
const MAX_DECIMALS = 15;

export function config({ headers }: AdapterRequest) {
  headers['cache-control'] = publicFor(CONFIG_SECONDS);
  return {
    supports_search: true,
    supports_group_request: false,
    supports_marks: false,
    supports_timescale_marks: false,
    supports_time: true,
    supported_resolutions: resolutions,
    exchanges: [{ value: '', name: 'All', desc: '' }],
    symbols_types: [{ name: 'All', value: '' }],
  };
}

export function time({ headers }: AdapterRequest): string {
  headers['content-type'] = 'text/plain; charset=utf-8';
  return String(Math.floor(Date.now() / 1000));
}

export async function symbols({ query, headers, environment }: AdapterRequest) {
  const coin = coinNamed(required(query, 'symbol'), await answeringRegistry(headers, environment));
  const current = await priceNow(environment, coin.id, { coin, maxAge: 'shown' });
  return {
    name: coin.symbol,
    ticker: coin.id,
    description: coin.name,
    type: 'crypto',
    session: '24x7',
    timezone: 'Etc/UTC',
    exchange: EXCHANGE,
    listed_exchange: EXCHANGE,
    currency_code: 'USD',
    minmov: 1,
    pricescale: 10 ** decimalsOf(current?.ticker.quotes.USD.price),
    has_intraday: true,
    has_daily: true,
    has_weekly_and_monthly: false,
    intraday_multipliers: ['60'],
    supported_resolutions: resolutions,
    volume_precision: 0,
    data_status: 'delayed_streaming',
    format: 'price',
  };
}

export async function search({ query, headers, environment }: AdapterRequest) {
  const words = (query.get('query') ?? '').trim().slice(0, MAX_QUERY);
  const given = Number(query.get('limit') ?? DEFAULT_RESULTS);
  const limit = Number.isInteger(given) ? Math.min(MAX_RESULTS, Math.max(1, given)) : DEFAULT_RESULTS;
  const coins = await coinsOf(words, limit, await answeringRegistry(headers, environment));
  return coins.map(({ id, symbol, name }) => ({
    symbol,
    full_name: symbol,
    description: name,
    exchange: EXCHANGE,
    ticker: id,
    type: 'crypto',
  }));
}

async function coinsOf(
  words: string,
  limit: number,
  registry: RegistryLookups,
): Promise<readonly RegistryEntry[]> {
  const filter = { activeOnly: true };
  if (words === '') return registry.page(filter, 0, limit).entries;
  // Loaded with the first search.
  const { searchable } = await import('../../shared/registry/registry.ts');
  return searchable(registry).search(words, limit, filter);
}

/** The coin with this id, in any case, or this symbol; an exchange before a colon is ignored. Throws 404 if there is none. */
export function coinNamed(text: string, registry: RegistryLookups): RegistryEntry {
  for (const name of [text, text.slice(text.indexOf(':') + 1)]) {
    const exact = registry.getById(name);
    if (exact) return exact;
    const row = registry.rowOfId(name, true);
    const coin = row < 0 ? coinOfSymbol(name, registry) : registry.at(row);
    if (coin) return coin;
  }
  throw ApiError.notFound(`Unknown symbol: ${text}`);
}

/** Throws 400 if the parameter is missing. */
export function required(query: URLSearchParams, name: string): string {
  const text = query.get(name)?.trim();
  if (!text) throw new ApiError(400, `Missing parameter: ${name}`);
  return text;
}

function decimalsOf(price: number | null | undefined): number {
  if (!price) return UNKNOWN_DECIMALS;
  if (price >= 1) return DECIMALS;
  return Math.min(MAX_DECIMALS, SMALL_FIGURES - 1 - Math.floor(Math.log10(price)));
}
