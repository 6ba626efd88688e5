/** `coins/markets`: a row of figures for each coin. */
import type { AdapterRequest } from '../../shared/http/adapter.ts';
import { ApiError } from '../../shared/http/errors.ts';
import { jointOrigin, setOriginHeaders } from '../../shared/marketdata/provenance.ts';
import { published } from '../../shared/marketdata/serve/current.ts';
import type { CurrentTicker } from '../../shared/marketdata/serve/current-ticker.ts';
import { coinListOf, type ListedCoin, listedSnapshot } from '../../shared/marketdata/serve/list.ts';
import type { Snapshot } from '../../shared/marketdata/store/snapshot.ts';
import type { Environment } from '../../shared/platform/environment.ts';
import { type Coin, type Coins, coinsOf, imageOf, namedCoins, tickersOf } from './coins.ts';
import { type Change, type Currency, changes, wantedCurrency } from './currencies.ts';
import { count, flag, list, MAX_COINS, type Precision, parameter, precisionOf, rounded } from './request.ts';

/** A coin with its ticker. */
export interface Market {
  readonly coin: Coin;
  readonly current: CurrentTicker;
}

type Order = (typeof orders)[number];
export const orders = [
  'market_cap_desc',
  'market_cap_asc',
  'volume_desc',
  'volume_asc',
  'id_asc',
  'id_desc',
] as const;

/** Those that CoinGecko names; null where we have no such change. */
export const windows = ['1h', '24h', '7d', '14d', '30d', '200d', '1y'] as const;
const DEFAULT_ROWS = 100;

export async function marketRows(request: AdapterRequest) {
  const { query, environment, headers } = request;
  const currency = await wantedCurrency(request);
  if (parameter(query, 'category') !== undefined)
    throw ApiError.notFound('category not found: coins have no categories here');
  const order = orderOf(parameter(query, 'order'));
  const perPage = count(query, 'per_page', DEFAULT_ROWS, MAX_COINS);
  const first = (count(query, 'page', 1, Number.MAX_SAFE_INTEGER) - 1) * perPage;
  const named = await namedCoins(request);
  const page = named
    ? sorted(await marketsOf(environment, named), order).slice(first, first + perPage)
    : await pageOf(environment, order, first, perPage);
  const wanted = (list(query, 'price_change_percentage') ?? []).filter((name) =>
    windows.some((window) => window === name),
  );
  const precision = precisionOf(query);
  const lines = flag(query, 'sparkline') ? await weekOf(environment, page) : undefined;
  const parts = [...page.map(({ current }) => current), ...(currency.origin ? [currency.origin] : [])];
  const origin = jointOrigin(parts);
  if (origin) setOriginHeaders(headers, origin);
  return page.map((market) => ({
    ...rowOf(market, currency, precision),
    ...Object.fromEntries(
      wanted.map((name) => [
        `price_change_percentage_${name}_in_currency`,
        percent(isChange(name) ? currency.changeIn(name, market.current.ticker) : null),
      ]),
    ),
    ...(lines && { sparkline_in_7d: { price: lines.get(market.coin.entry.id) ?? [] } }),
  }));
}

function orderOf(text: string | undefined): Order {
  // Older clients send orders that CoinGecko has given up.
  return orders.find((order) => order === text) ?? 'market_cap_desc';
}

function isChange(name: string): name is Change {
  return Object.hasOwn(changes, name);
}

async function marketsOf(environment: Environment, coins: readonly Coin[]): Promise<Market[]> {
  const tickers = await tickersOf(environment, coins);
  return coins.flatMap((coin) => {
    const current = tickers.get(coin.entry.id);
    return current ? [{ coin, current }] : [];
  });
}

/** A page of all listed coins that are in both lists. */
async function pageOf(
  environment: Environment,
  order: Order,
  first: number,
  size: number,
): Promise<Market[]> {
  const coins = await coinsOf(environment);
  const snapshot = await listedSnapshot(environment);
  const now = Date.now();
  const page: Market[] = [];
  let skipped = 0;
  for (const { id, staleUntil } of inOrder(snapshot, order, coins)) {
    // Without a row of the registry for each coin before the page.
    if (now >= staleUntil || coins.ids.theirs(id) === undefined) continue;
    if (skipped < first) {
      skipped += 1;
      continue;
    }
    const coin = coins.byOurs(id);
    const current = published(snapshot, id, now);
    if (coin && current) page.push({ coin, current });
    if (page.length === size) break;
  }
  return page;
}

function inOrder(snapshot: Snapshot, order: Order, { ids }: Coins): readonly ListedCoin[] {
  const all = coinListOf(snapshot);
  if (order.startsWith('id')) {
    const theirs = new Map(all.coins.map(({ id }) => [id, ids.theirs(id) ?? '']));
    const byId = all.coins.toSorted((a, b) => compare(theirs.get(a.id) ?? '', theirs.get(b.id) ?? ''));
    return order === 'id_asc' ? byId : byId.reverse();
  }
  const by = order.startsWith('volume') ? 'volume' : 'market_cap';
  const descending = all.by(by);
  if (order.endsWith('desc')) return descending;
  const figure = ({ volume, marketCap }: ListedCoin) => (by === 'volume' ? volume : marketCap);
  // Unknown figures come last in both directions.
  const known = descending.filter((coin) => figure(coin) !== null);
  return [...known.reverse(), ...descending.filter((coin) => figure(coin) === null)];
}

function sorted(markets: readonly Market[], order: Order): Market[] {
  const direction = order.endsWith('asc') ? 1 : -1;
  return markets.toSorted((a, b) => {
    if (order.startsWith('id')) return direction * compare(a.coin.id, b.coin.id);
    const field = order.startsWith('volume') ? 'volume_24h' : 'market_cap';
    const [first, second] = [a.current.ticker.quotes.USD[field], b.current.ticker.quotes.USD[field]];
    if (first === null || second === null) return Number(first === null) - Number(second === null);
    return direction * (first - second) || compare(a.coin.id, b.coin.id);
  });
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** The hourly prices of the last seven days that are known, in USD, by our ids. */
async function weekOf(
  environment: Environment,
  markets: readonly Market[],
): Promise<ReadonlyMap<string, readonly number[]>> {
  const { hourlyWeekOf } = await import('../../shared/marketdata/serve/sparklines.ts');
  return hourlyWeekOf(
    environment,
    markets.map(({ coin }) => coin.entry.id),
  );
}

/** As CoinGecko has them: five decimals. */
export function percent(change: number | null): number | null {
  return change === null ? null : Number(change.toFixed(5));
}

/** The figures that a row and a coin's page share, in one currency. */
export function figuresOf({ current: { ticker } }: Market, currency: Currency, precision: Precision) {
  const { perDollar } = currency;
  const usd = ticker.quotes.USD;
  const amount = (value: number | null) => (value === null ? null : value * perDollar);
  const price = amount(usd.price);
  const change = currency.changeIn('24h', ticker);
  const supply = ticker.max_supply || ticker.total_supply;
  const cap = amount(usd.market_cap);
  const isDollar = currency.code === 'usd';
  const before = (value: number | null, by: number | null) =>
    value === null || by === null || by <= -100 ? null : value - value / (1 + by / 100);
  const capChange = isDollar ? usd.market_cap_change_24h : null;
  return {
    current_price: price === null ? null : rounded(price, precision),
    market_cap: cap,
    fully_diluted_valuation: price === null || !supply ? null : price * supply,
    total_volume: amount(usd.volume_24h),
    price_change_24h: before(price, change),
    price_change_percentage_24h: percent(change),
    market_cap_change_24h: before(cap, capChange),
    market_cap_change_percentage_24h: percent(capChange),
    // What a coin's best price was in another currency, nobody here knows.
    ath: isDollar ? usd.ath_price : null,
    ath_change_percentage: isDollar ? percent(usd.percent_from_price_ath) : null,
    ath_date: isDollar ? usd.ath_date : null,
  };
}

function rowOf(market: Market, currency: Currency, precision: Precision) {
  const { coin, current } = market;
  const { ticker, madeAt } = current;
  const figures = figuresOf(market, currency, precision);
  return {
    id: coin.id,
    symbol: ticker.symbol.trim().toLowerCase(),
    name: ticker.name,
    image: imageOf(coin),
    current_price: figures.current_price,
    market_cap: figures.market_cap,
    market_cap_rank: ticker.rank || null,
    fully_diluted_valuation: figures.fully_diluted_valuation,
    total_volume: figures.total_volume,
    high_24h: null,
    low_24h: null,
    price_change_24h: figures.price_change_24h,
    price_change_percentage_24h: figures.price_change_percentage_24h,
    market_cap_change_24h: figures.market_cap_change_24h,
    market_cap_change_percentage_24h: figures.market_cap_change_percentage_24h,
    circulating_supply: ticker.circulating_supply,
    total_supply: ticker.total_supply,
    max_supply: ticker.max_supply,
    ath: figures.ath,
    ath_change_percentage: figures.ath_change_percentage,
    ath_date: figures.ath_date,
    atl: null,
    atl_change_percentage: null,
    atl_date: null,
    roi: null,
    last_updated: ticker.last_updated ?? new Date(madeAt).toISOString(),
  };
}
