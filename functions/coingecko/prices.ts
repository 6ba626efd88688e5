/** `simple/price` and `simple/token_price`: prices of coins in currencies, in one object. */
import type { AdapterRequest } from '../../shared/http/adapter.ts';
import { ApiError } from '../../shared/http/errors.ts';
import { jointOrigin, setOriginHeaders } from '../../shared/marketdata/provenance.ts';
import type { CurrentTicker } from '../../shared/marketdata/serve/current-ticker.ts';
import { type Coin, coinsOf, namedCoins, tickerOf, tickersOf } from './coins.ts';
import { type Currency, currencies } from './currencies.ts';
import { flag, list, type Precision, precisionOf, required, rounded } from './request.ts';

type Row = Record<string, number | null>;

interface Fields {
  readonly cap: boolean;
  readonly volume: boolean;
  readonly change: boolean;
  readonly time: boolean;
  readonly precision: Precision;
}

export async function simplePrice(request: AdapterRequest): Promise<Record<string, Row>> {
  required(request.query, 'vs_currencies');
  const coins = await namedCoins(request);
  if (!coins) throw new ApiError(422, 'Missing parameter ids');
  return pricesOf(
    request,
    coins.map((coin) => [coin.id, coin]),
  );
}

export async function tokenPrice(request: AdapterRequest): Promise<Record<string, Row>> {
  const { query, path, environment } = request;
  required(query, 'contract_addresses');
  required(query, 'vs_currencies');
  const { coinOfContract } = await import('./contracts.ts');
  const { registry } = await coinsOf(environment);
  const named: [string, Coin][] = [];
  for (const text of list(query, 'contract_addresses') ?? []) {
    const { address, id } = await coinOfContract(environment, path.platform ?? '', text);
    const entry = id === undefined ? null : registry.getById(id);
    if (entry) named.push([address, { id: entry.id, entry }]);
  }
  return pricesOf(request, named);
}

/** A row for each coin of which a price is at hand; a single coin's is asked for as by our own route. */
async function pricesOf(
  request: AdapterRequest,
  named: readonly (readonly [key: string, coin: Coin])[],
): Promise<Record<string, Row>> {
  const { query, environment, headers } = request;
  const known = await currencies(environment);
  const codes = (list(query, 'vs_currencies') ?? []).flatMap((code) => known.of(code) ?? []);
  const fields: Fields = {
    cap: flag(query, 'include_market_cap'),
    volume: flag(query, 'include_24hr_vol'),
    change: flag(query, 'include_24hr_change'),
    time: flag(query, 'include_last_updated_at'),
    precision: precisionOf(query),
  };
  const coins = named.map(([, coin]) => coin);
  const [only, ...others] = coins;
  const tickers = await tickersOf(environment, coins);
  if (only && others.length === 0 && tickers.size === 0) {
    const ticker = await tickerOf(request, only);
    tickers.set(only.entry.id, ticker);
  }
  const rows = named.flatMap(([key, { entry }]) => {
    const current = tickers.get(entry.id);
    return current ? [[key, rowOf(current, codes, fields)] as const] : [];
  });
  const origins = [...tickers.values(), ...codes.flatMap(({ origin }) => origin ?? [])];
  const origin = jointOrigin(origins);
  if (origin) setOriginHeaders(headers, origin);
  return Object.fromEntries(rows);
}

function rowOf({ ticker }: CurrentTicker, codes: readonly Currency[], fields: Fields): Row {
  const { price, market_cap, volume_24h } = ticker.quotes.USD;
  const row: Row = {};
  for (const currency of codes) {
    const { code, perDollar } = currency;
    if (price === null) continue;
    row[code] = rounded(price * perDollar, fields.precision);
    if (fields.cap) row[`${code}_market_cap`] = market_cap === null ? null : market_cap * perDollar;
    if (fields.volume) row[`${code}_24h_vol`] = volume_24h === null ? null : volume_24h * perDollar;
    if (fields.change) row[`${code}_24h_change`] = currency.changeIn('24h', ticker);
  }
  if (fields.time && ticker.last_updated !== null)
    row.last_updated_at = Math.floor(Date.parse(ticker.last_updated) / 1000);
  return row;
}
