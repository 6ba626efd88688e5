/** `simple/price` and `simple/token_price`: prices of coins in currencies, in one object. */
import type { AdapterRequest } from '../../shared/http/adapter.ts';
import { ApiError } from '../../shared/http/errors.ts';
import type { CurrentTicker } from '../../shared/marketdata/serve/current-ticker.ts';
import { inCurrency } from '../../shared/marketdata/serve/unit-rate.ts';
import { tickerMadeAt } from '../../shared/marketdata/ticker.ts';
import {
  type Coin,
  coinsOf,
  contractOn,
  marketOf,
  marketsOf,
  namedCoins,
  setMarketHeaders,
} from './coins.ts';
import { type Currency, currencies } from './currencies.ts';
import { flag, list, type Precision, precisionOf, required, rounded } from './request.ts';

type Row = Record<string, number | null>;

/** Optional additions to a price. */
const extras = ['market_cap', '24hr_vol', '24hr_change', 'last_updated_at'] as const;

export async function simplePrice(request: AdapterRequest): Promise<Record<string, Row>> {
  required(request.query, 'vs_currencies');
  const coins = await namedCoins(request);
  if (!coins) throw new ApiError(422, 'Missing parameter ids');
  return pricesOf(request, new Map(coins.map((coin) => [coin.id, coin])));
}

export async function tokenPrice(request: AdapterRequest): Promise<Record<string, Row>> {
  const { query, path, environment } = request;
  required(query, 'contract_addresses');
  required(query, 'vs_currencies');
  const { registry } = await coinsOf(environment);
  const coins = new Map<string, Coin>();
  for (const text of list(query, 'contract_addresses') ?? []) {
    const { address, id } = await contractOn(environment, path.platform ?? '', text);
    const entry = id === undefined ? null : registry.getById(id);
    // A contract identifies its coin even without an id at CoinGecko.
    if (entry) coins.set(address, { id: entry.id, entry });
  }
  return pricesOf(request, coins);
}

/** A row for each coin with a stored price; a single coin's price is fetched as in our own route if that is missing or old. */
async function pricesOf(
  request: AdapterRequest,
  coins: ReadonlyMap<string, Coin>,
): Promise<Record<string, Row>> {
  const { query, environment, headers } = request;
  const known = await currencies(environment, list(query, 'vs_currencies'));
  const included = new Set(extras.filter((name) => flag(query, `include_${name}`)));
  const precision = precisionOf(query);
  const [only, ...others] = coins.values();
  const isOne = only && others.length === 0;
  const markets = isOne ? [await marketOf(request, only)] : await marketsOf(environment, [...coins.values()]);
  const origins = known.map(({ origin }) => origin);
  setMarketHeaders(headers, markets, origins);
  const tickers = new Map(markets.map(({ coin, current }) => [coin, current]));
  return Object.fromEntries(
    Array.from(coins, ([key, coin]) => [key, tickers.get(coin)] as const).flatMap(([key, current]) =>
      current ? [[key, rowOf(current, known, included, precision)]] : [],
    ),
  );
}

function rowOf(
  { ticker }: CurrentTicker,
  known: readonly Currency[],
  included: ReadonlySet<(typeof extras)[number]>,
  precision: Precision,
): Row {
  const { price, market_cap, volume_24h } = ticker.quotes.USD;
  const row: Row = {};
  if (price === null) return row;
  for (const currency of known) {
    const { code } = currency;
    row[code] = rounded(inCurrency(price, currency), precision);
    if (included.has('market_cap')) row[`${code}_market_cap`] = inCurrency(market_cap, currency);
    if (included.has('24hr_vol')) row[`${code}_24h_vol`] = inCurrency(volume_24h, currency);
    if (included.has('24hr_change')) row[`${code}_24h_change`] = currency.changeIn('24h', ticker);
  }
  const madeAt = tickerMadeAt(ticker);
  if (included.has('last_updated_at') && madeAt !== undefined)
    row.last_updated_at = Math.floor(madeAt / 1000);
  return row;
}
