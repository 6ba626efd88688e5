import { limitedBy } from '../coordination/source-limits.ts';
import { ApiError } from '../http/errors.ts';
import type { Candle, PricePoint } from '../marketdata/candles.ts';
import {
  type CoinOffer,
  type HistoryQuery,
  type MarketDataProvider,
  type Offering,
  type PlanReach,
  PlanRefusal,
  type PlanUsage,
  type ProviderRequest,
  type RefusedAnswer,
} from '../marketdata/provider.ts';
import type { ListedMarket } from '../marketdata/sources/market.ts';
import type { Contract } from '../marketdata/sources/token.ts';
import { readTicker, readTickers, tickerMadeAt } from '../marketdata/ticker.ts';
import type { Span } from '../marketdata/window.ts';
import { array, instant, numberOrNull, object, readRows, text } from '../platform/json-fields.ts';
import { DAY_MS, isoSeconds, PROVIDER_CLOCK_MARGIN_MS } from '../platform/time.ts';
import { parseEntries } from '../registry/entries.ts';
import { isSet } from './exchange.ts';
import { errorField } from './responses.ts';

const TITLE = 'CoinPaprika';
const FREE_URL = 'https://api.coinpaprika.com/v1';
const PAID_URL = 'https://api-pro.coinpaprika.com/v1';
/** The provider measures the rate over a month and does not say when it is low enough again. */
const LIMIT_RETRY_S = 60;

/** The days of candles in each plan, from the price list (coinpaprika.com/api, 2026); all by default. */
const OHLCV_DAYS: Readonly<Record<string, number>> = { free: 1, starter: 30, pro: 90, business: 365 };

/** On the free plan daily prices go back a year, hourly ones a day. */
function reachOf(ohlcvDays: number, isFree: boolean): PlanReach {
  const days = (count: number) => count * DAY_MS - PROVIDER_CLOCK_MARGIN_MS;
  const [daily, hourly] = isFree ? [365, 1] : [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  return {
    candles: { '24h': days(ohlcvDays), '1h': days(ohlcvDays) },
    prices: { '24h': days(daily), '1h': days(hourly) },
  };
}

/** CoinPaprika's REST API (docs.coinpaprika.com), whose ticker our own route follows. */
export const coinpaprika = {
  name: 'coinpaprika',
  title: TITLE,
  terms: {
    summary:
      'The free plan is for personal use, 20,000 requests a month; redistribution needs the Enterprise plan.',
    url: 'https://coinpaprika.com/api-terms-of-use/',
  },
  isPaid: true,
  scheduledProbes: true,
  limits: {
    requestsPerSecond: 10, // of one address
    per: 'instance',
    rows: { candles: 366, prices: 5_000 },
    latest: { candles: 366, prices: 365 }, // the free plan's prices reach back a year
  },
  settings: { baseUrl: 'COINPAPRIKA_BASE_URL', key: 'COINPAPRIKA_API_KEY', plan: 'COINPAPRIKA_PLAN' },
  probePath: '/global',
  reach: ({ COINPAPRIKA_API_KEY: key, COINPAPRIKA_PLAN: plan = key ? 'ultimate' : 'free' }) =>
    reachOf(OHLCV_DAYS[plan] ?? Number.POSITIVE_INFINITY, plan === 'free'),

  /** The host depends on whether there is a key. The key goes into the header as it is. */
  endpoint({ COINPAPRIKA_BASE_URL: configured, COINPAPRIKA_API_KEY: key }) {
    const headers: Record<string, string> = key ? { authorization: key } : {};
    return { baseUrl: configured ?? (key ? PAID_URL : FREE_URL), headers };
  },

  ticker: (id) => ({ path: coinPath`/tickers/${id}`, coinId: id, read: readTicker, madeAt: tickerMadeAt }),
  tickers: () => ({ path: '/tickers', read: readTickers }),
  usage: () => ({ path: '/key/info', read: readUsage }),
  coins: (report) => ({ path: '/coins', read: (json) => parseEntries(json, report) }),
  candles,
  prices,
  platforms: () => ({ path: '/contracts', read: readPlatforms }),
  contracts: (platform) => ({ path: `/contracts/${encodeURIComponent(platform)}`, read: readContracts }),
  // It calls the exchanges as we do.
  exchangeMarkets: (exchange) => ({
    path: `/exchanges/${encodeURIComponent(exchange)}/markets`,
    read: readExchangeMarkets,
  }),
  refusal,
} as const satisfies Offering<CoinOffer | 'platforms' | 'contracts' | 'exchangeMarkets'>;

function candles({ id, quote, window }: HistoryQuery): ProviderRequest<Candle[]> {
  const query = queryOf(window, window.base, quote);
  return { path: coinPath`/coins/${id}/ohlcv/historical?${query}`, coinId: id, read: readCandles };
}

/** Every plan has some history. */
function prices({ id, quote, window }: HistoryQuery, from: number): ProviderRequest<PricePoint[]> {
  const interval = window.base === '24h' ? '1d' : '1h'; // its default, 5m, is not free
  const query = queryOf({ ...window, from }, interval, quote);
  return { path: coinPath`/tickers/${id}/historical?${query}`, coinId: id, read: readPrices };
}

function queryOf({ from, to, stepMs, closed }: Span, interval: string, quote: string): URLSearchParams {
  return new URLSearchParams({
    start: isoSeconds(from),
    ...(closed && { end: isoSeconds(to - 1000) }), // the provider's default is up to now
    interval,
    limit: String(Math.max(1, Math.round((to - from) / stepMs))),
    quote,
  });
}

/** Throws 404 for the ids `.` and `..`, which URLs cannot express even encoded (WHATWG URL, "dot path segments"). */
function coinPath(
  [before = '', after = '']: TemplateStringsArray,
  coinId: string,
  query: URLSearchParams | '' = '',
): string {
  if (coinId === '.' || coinId === '..') throw ApiError.unknownCoin(coinId);
  return before + encodeURIComponent(coinId.toWellFormed()) + after + query;
}

/** Takes candles from the provider's answer; one without a price, as before a coin's first trade, is left out. */
function readCandles(json: unknown): Candle[] {
  return array(json, 'the answer').flatMap((item) => {
    const source = object(item, 'a candle');
    const number = (name: string) => numberOrNull(source, name);
    const [open, high, low, close] = ['open', 'high', 'low', 'close'].map(number);
    const times = { time_open: instant(source, 'time_open'), time_close: instant(source, 'time_close') };
    const amounts = { volume: number('volume'), market_cap: number('market_cap') };
    if (open == null || high == null || low == null || close == null) return [];
    return [{ ...times, open, high, low, close, ...amounts }];
  });
}

function readPrices(json: unknown): PricePoint[] {
  return array(json, 'the answer').flatMap((item) => {
    const source = object(item, 'a price');
    const price = numberOrNull(source, 'price');
    const timestamp = instant(source, 'timestamp');
    const volume_24h = numberOrNull(source, 'volume_24h');
    const market_cap = numberOrNull(source, 'market_cap');
    return price === null ? [] : [{ timestamp, price, volume_24h, market_cap }];
  });
}

/** Undefined for a plan without a limit, which has -1 in place of each number. */
function readUsage(json: unknown): PlanUsage | undefined {
  const usage = object(object(json, 'the answer').usage, 'usage');
  const month = object(usage.current_month, 'current_month');
  const made = numberOrNull(month, 'requests_made');
  const left = numberOrNull(month, 'requests_left');
  if (made === null || left === null) throw new Error('requests_made or requests_left is not a number');
  return made < 0 || left < 0 ? undefined : { made, left };
}

function readPlatforms(json: unknown): string[] {
  return readRows(array(json, 'the answer'), (item) => {
    if (typeof item !== 'string') throw new Error('a platform is not a text');
    return [item];
  });
}

/** `active` is in the answers, and not in the description of the API: a contract without it is as good as any. */
function readContracts(json: unknown): Contract[] {
  return readRows(array(json, 'the answer'), (item) => {
    const source = object(item, 'a contract');
    return [
      { coinId: text(source, 'id'), address: text(source, 'address'), isActive: source.active !== false },
    ];
  });
}

/**
 * Outliers are markets whose price the provider itself does not believe. Throws an Error if most rows are unreadable: then the
 * format has changed, and the rest means nothing.
 */
function readExchangeMarkets(json: unknown): ListedMarket[] {
  const rows = array(json, 'the answer');
  let unreadable = 0;
  const markets = readRows(rows, readListedMarket, () => {
    unreadable += 1;
  });
  if (unreadable * 2 > rows.length) throw new Error(`${unreadable} of ${rows.length} markets are unreadable`);
  return markets;
}

function readListedMarket(item: unknown): ListedMarket[] {
  const source = object(item, 'a market');
  const isSpot = text(source, 'category').toLowerCase() === 'spot';
  const symbols = text(source, 'pair').toUpperCase().split('/');
  const [base = '', quote = ''] = symbols.map((symbol) => symbol.trim());
  const coinId = text(source, 'base_currency_id');
  if (symbols.length !== 2 || base === '' || quote === '')
    throw new Error('a pair is not one of two symbols');
  if (coinId === '') throw new Error('base_currency_id is empty');
  return isSpot && !isSet(source.outlier) ? [{ base, quote, coinId }] : [];
}

/** The error for an answer other than 200 and 429; usually its body is `{"error":"…"}`. */
function refusal(
  { status, body }: RefusedAnswer,
  { coinId, subject = 'this' }: Parameters<MarketDataProvider['refusal']>[1],
): ApiError {
  const error = errorField(body, 'error');
  const text = typeof error === 'string' ? error : undefined;
  // 402; older servers answer 400 with the same text.
  if (text !== undefined && /not allowed in this plan/i.test(text))
    return new PlanRefusal(`${TITLE} refused: the provider's plan does not include ${subject}`, {
      since: earliestAllowed(text),
    });
  // Any other 402, and the text "This plan has 20000 monthly requests limit, …" with whatever status.
  if (status === 402 || /requests limit/i.test(text ?? '')) return limitedBy(TITLE, LIMIT_RETRY_S);
  if (status === 404 && text !== undefined && coinId !== undefined) return ApiError.unknownCoin(coinId);
  if (status === 401) return new ApiError(502, `${TITLE} refuses the key of this service (401)`);
  return new ApiError(502, `${TITLE} answered ${status}`);
}

/** The time in "… data before 2026-09-17 03:59:32.385856048 +0000 UTC is not allowed in this plan". */
function earliestAllowed(text: string): number | undefined {
  const [, date, time] = /before (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)/.exec(text) ?? [];
  const since = Date.parse(`${date}T${time}Z`);
  return Number.isNaN(since) ? undefined : since;
}
