/** `coins/markets`: a row of figures for each coin. */
import type { AdapterRequest } from '../../shared/http/adapter.ts';
import { ApiError } from '../../shared/http/errors.ts';
import { coinListOf, listedSnapshot } from '../../shared/marketdata/serve/list.ts';
import { hourlyWeekOf } from '../../shared/marketdata/serve/sparklines.ts';
import { inCurrency } from '../../shared/marketdata/serve/unit-rate.ts';
import { currentSnapshot } from '../../shared/marketdata/store/current-snapshot.ts';
import type { ListedCoin } from '../../shared/marketdata/store/listed-coins.ts';
import type { WeekLine } from '../../shared/marketdata/store/week.ts';
import type { Environment } from '../../shared/platform/environment.ts';
import { logoOf } from '../../shared/providers/logo.ts';
import { type Coin, coinsOf, type Market, marketsOf, namedCoins, setMarketHeaders } from './coins.ts';
import { type Change, type Currency, changes, wantedCurrency } from './currencies.ts';
import { count, flag, list, MAX_COINS, type Precision, parameter, precisionOf, rounded } from './request.ts';

type Sort = 'market_cap' | 'volume' | 'id';

/** The rows of a page. */
interface Page {
  readonly sort: Sort;
  readonly isAscending: boolean;
  /** The number of rows before it. */
  readonly skip: number;
  readonly rows: number;
}

/** CoinGecko's periods; null where tickers have no such change. */
const windows = ['1h', '24h', '7d', '14d', '30d', '200d', '1y'];
const DEFAULT_ROWS = 100;

export async function marketRows(request: AdapterRequest) {
  const { query, environment, headers } = request;
  const currency = await wantedCurrency(request);
  if (parameter(query, 'category') !== undefined)
    throw ApiError.notFound('category not found: coins have no categories here');
  const coins = await coinsOn(pageIn(query), environment, await namedCoins(request));
  const markets = await marketsOf(environment, coins);
  const ours = markets.map(({ coin }) => coin.entry.id);
  const lines = flag(query, 'sparkline') ? await hourlyWeekOf(environment, ours) : undefined;
  setMarketHeaders(headers, markets, [currency.origin, ...(lines?.values() ?? [])]);
  const wanted = (list(query, 'price_change_percentage') ?? []).filter((name) => windows.includes(name));
  const precision = precisionOf(query);
  return markets.map((market) => ({
    ...rowOf(market, currency, precision),
    ...Object.fromEntries(
      wanted.map((name) => [
        `price_change_percentage_${name}_in_currency`,
        Object.hasOwn(changes, name) ? percentIn(currency, name as Change, market) : null,
      ]),
    ),
    ...(lines && { sparkline_in_7d: { price: lineIn(currency, lines.get(market.coin.entry.id)) } }),
  }));
}

function pageIn(query: URLSearchParams): Page {
  // Older clients send orders that CoinGecko has removed; they get the default.
  const [, sort = 'market_cap', direction] =
    /^(market_cap|volume|id)_(asc|desc)$/.exec(parameter(query, 'order') ?? '') ?? [];
  const rows = count(query, 'per_page', DEFAULT_ROWS, MAX_COINS);
  const skip = (count(query, 'page', 1, Number.MAX_SAFE_INTEGER) - 1) * rows;
  return { sort: sort as Sort, isAscending: direction === 'asc', skip, rows };
}

/** The coins of a page in its order: the named ones, or all listed ones that are in both lists. */
async function coinsOn(
  { sort, isAscending, skip, rows }: Page,
  environment: Environment,
  named?: readonly Coin[],
): Promise<Coin[]> {
  const { ids, byOurs } = await coinsOf(environment);
  const snapshot = named ? await currentSnapshot(environment) : await listedSnapshot(environment);
  const wanted = named && new Set(named.map(({ entry }) => entry.id));
  const now = Date.now();
  const figureOf = ({ marketCap, volume }: ListedCoin) => (sort === 'volume' ? volume : marketCap);
  const listed = snapshot ? coinListOf(snapshot).by(sort === 'volume' ? sort : 'market_cap') : [];
  const found = listed.filter(({ id, staleUntil }) => {
    return now < staleUntil && (wanted ? wanted.has(id) : ids.theirs(id) !== undefined);
  });
  const known = found.filter((coin) => figureOf(coin) !== null);
  const unknown = found.filter((coin) => figureOf(coin) === null);
  const inOrder = [...(isAscending ? known.reverse() : known), ...unknown].map(({ id }) => id);
  // Unlisted coins come last.
  const all = [...new Set([...inOrder, ...(wanted ?? [])])];
  const theirs = (id: string) => ids.theirs(id) ?? '';
  if (sort === 'id') all.sort((a, b) => (theirs(a) < theirs(b) === isAscending ? -1 : 1));
  return all.slice(skip, skip + rows).flatMap((id) => byOurs(id) ?? []);
}

/** Hourly prices of a week at the current rate, which CoinGecko uses for every currency. */
export function lineIn(currency: Currency, line: WeekLine | undefined): number[] {
  return line?.prices.map((price) => inCurrency(price, currency)) ?? [];
}

/** A change with five decimals, as in CoinGecko's responses. */
export function percentIn(currency: Currency, time: Change, { current }: Market): number | null {
  return percent(currency.changeIn(time, current.ticker));
}

function percent(change: number | null): number | null {
  return change === null ? null : Number(change.toFixed(5));
}

/** The figures that both a row and a coin's page contain, in one currency. */
export function figuresOf({ current: { ticker } }: Market, currency: Currency, precision: Precision) {
  const usd = ticker.quotes.USD;
  const amount = (value: number | null) => inCurrency(value, currency);
  const price = amount(usd.price);
  const cap = amount(usd.market_cap);
  const supply = ticker.max_supply || ticker.total_supply;
  const change = currency.changeIn('24h', ticker);
  // Past market caps and best prices are known only in dollars.
  const isDollar = currency.code === 'usd';
  const capChange = isDollar ? usd.market_cap_change_24h : null;
  const gained = (value: number | null, by: number | null) =>
    value === null || by === null || by <= -100 ? null : value - value / (1 + by / 100);
  return {
    current_price: price === null ? null : rounded(price, precision),
    market_cap: cap,
    fully_diluted_valuation: price === null || !supply ? null : price * supply,
    total_volume: amount(usd.volume_24h),
    price_change_24h: gained(price, change),
    price_change_percentage_24h: percent(change),
    market_cap_change_24h: gained(cap, capChange),
    market_cap_change_percentage_24h: percent(capChange),
    ath: isDollar ? usd.ath_price : null,
    ath_change_percentage: isDollar ? percent(usd.percent_from_price_ath) : null,
    ath_date: isDollar ? usd.ath_date : null,
  };
}

/** The fields in the order of CoinGecko's rows. */
function rowOf(market: Market, currency: Currency, precision: Precision) {
  const { ticker, madeAt } = market.current;
  const { current_price, market_cap, fully_diluted_valuation, total_volume, ...figures } = figuresOf(
    market,
    currency,
    precision,
  );
  const { ath, ath_change_percentage, ath_date, ...moves } = figures;
  return {
    id: market.coin.id,
    symbol: ticker.symbol.trim().toLowerCase(),
    name: ticker.name,
    image: logoOf(market.coin.entry.id),
    ...{ current_price, market_cap, market_cap_rank: ticker.rank || null },
    ...{ fully_diluted_valuation, total_volume, high_24h: null, low_24h: null },
    ...moves,
    circulating_supply: ticker.circulating_supply,
    total_supply: ticker.total_supply,
    max_supply: ticker.max_supply,
    ...{ ath, ath_change_percentage, ath_date, atl: null, atl_change_percentage: null, atl_date: null },
    roi: null,
    last_updated: ticker.last_updated ?? new Date(madeAt).toISOString(),
  };
}
