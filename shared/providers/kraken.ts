import type { ApiError } from '../http/errors.ts';
import type { Candle } from '../marketdata/candles.ts';
import { PARTS } from '../marketdata/gate/bounds.ts';
import type { MarketDataProvider, Offering, RefusedAnswer } from '../marketdata/provider.ts';
import type { Market, MarketQuote } from '../marketdata/sources/market.ts';
import type { Span } from '../marketdata/window.ts';
import { array, type JsonObject, object, readRows, text, textOrNull } from '../platform/json-fields.ts';
import { candlesOf, decimal, exchangeRefusal, priceOrNone, unknownMarket } from './exchange.ts';

const TITLE = 'Kraken';
/** Errors are short; a longer answer is data. */
const MAX_ERROR_BYTES = 4096;
/** The statuses of errors by their beginning: they come with a 200 (docs.kraken.com, "Errors"). */
const STATUSES = [
  ['EGeneral:Too many requests', 429],
  ['EAPI:Rate limit exceeded', 429],
  ['EService:', 503],
  ['EQuery:Unknown asset pair', 404],
] as const;
/** The categories of errors about market data (docs.kraken.com, "Errors"). */
const CATEGORIES = ['EGeneral', 'EAPI', 'EService', 'EQuery'];
/** Kraken's own symbols, with the common ones. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['XBT', 'BTC'],
  ['XDG', 'DOGE'],
]);

/** Statuses in which orders are matched, unlike `cancel_only`, `post_only` and `reduce_only`. */
const OPEN = ['online', 'limit_only'];

/** Kraken's public REST API (docs.kraken.com/api-reference). A market's id is the key that it has in `AssetPairs`. */
export const kraken = {
  name: 'kraken',
  title: TITLE,
  terms: {
    summary: 'Market data for own use; to show or pass it on commercially needs a licence.',
    url: 'https://www.kraken.com/legal',
  },
  isPaid: false,
  scheduledProbes: false,
  limits: {
    requestsPerSecond: 1, // of one address
    per: 'service',
    rows: { candles: 720, prices: 0 },
    latest: { candles: 720, prices: 0 }, // and none before them, whatever the request says
    quotes: 'all',
  },
  settings: { baseUrl: 'KRAKEN_BASE_URL' },
  probePath: '/0/public/Time',

  endpoint: ({ KRAKEN_BASE_URL: baseUrl = 'https://api.kraken.com' }) => ({ baseUrl, headers: {} }),

  markets: () => ({ path: '/0/public/AssetPairs', read: readMarkets }),

  quotes: (markets) => ({ path: '/0/public/Ticker', read: (json) => readQuotes(json, new Set(markets)) }),

  marketCandles: ({ market, window }) => {
    const query = new URLSearchParams({
      pair: market.toWellFormed(),
      interval: String(window.stepMs / 60_000),
      since: String((window.from - window.stepMs) / 1000), // what comes after it
    });
    return {
      path: `/0/public/OHLC?${query}`,
      coinId: market,
      read: (json) => readCandles(json, window),
    };
  },

  statusOf,
  refusal,
} as const satisfies Offering<'markets' | 'quotes' | 'marketCandles'>;

/** Pairs without a name for its feeds, such as `XBT/USD`, are not open to traders. */
function readMarkets(json: unknown): Market[] {
  return readRows(Object.entries(resultIn(json)), ([id, item]) => {
    const pair = object(item, id);
    const [base, quote, ...more] = textOrNull(pair, 'wsname')?.split('/').map(symbolOf) ?? [];
    if (base === undefined || quote === undefined || more.length > 0) return [];
    return [{ id, base, quote, isOpen: OPEN.includes(text(pair, 'status').toLowerCase()) }];
  });
}

/**
 * The volume is that of 24 hours; the opening price is that of midnight, which gives no change of 24 hours. The last trade
 * has no time: its price is one of now only if the best offers, which are of now, are near it.
 */
function readQuotes(json: unknown, markets: ReadonlySet<string>): MarketQuote[] {
  return readRows(Object.entries(resultIn(json)), ([market, item]) => {
    if (!markets.has(market)) return [];
    const ticker = object(item, market);
    const price = decimal(array(ticker.c, 'c')[0], 'c[0]');
    const volume = decimal(array(ticker.v, 'v')[1], 'v[1]');
    if (price === 0) return []; // no trades yet
    const bid = priceOrNone(array(ticker.b, 'b')[0], 'b[0]');
    const ask = priceOrNone(array(ticker.a, 'a')[0], 'a[0]');
    const [, high] = array(ticker.h ?? [], 'h');
    const [, low] = array(ticker.l ?? [], 'l');
    const range = { high: priceOrNone(high, 'h[1]'), low: priceOrNone(low, 'l[1]') };
    const isOld = (bid ?? 0) > price * (1 + PARTS.agrees) || price > (ask ?? price) * (1 + PARTS.agrees);
    return isOld ? [] : [{ market, price, volume, change: null, at: null, bid, ask, ...range }];
  });
}

/** The candles in rows of time (seconds), open, high, low, close, …; the pair's key may differ from the requested one. */
function readCandles(json: unknown, window: Span): Candle[] {
  const pairs = Object.entries(resultIn(json)).filter(([name]) => name !== 'last');
  const [pair, ...others] = pairs;
  if (!pair || others.length > 0) throw new Error(`result has ${pairs.length} pairs`);
  const rows = array(pair[1], 'the candles').map((item) => {
    const [time, open, high, low, close] = array(item, 'a candle');
    return { time: decimal(time, 'time') * 1000, open, high, low, close };
  });
  return candlesOf(rows, window);
}

function symbolOf(name: string): string {
  const symbol = name.toUpperCase();
  return ALIASES.get(symbol) ?? symbol;
}

function resultIn(json: unknown): JsonObject {
  const { error, result } = object(json, 'the answer');
  const first = firstError(error);
  if (first !== undefined) throw new Error(`it reports ${categoryOf(first)}`);
  return object(result, 'result');
}

function statusOf({ status, body }: RefusedAnswer): number {
  const text = status === 200 ? krakenError(body) : undefined;
  if (text === undefined) return status;
  return STATUSES.find(([start]) => text.startsWith(start))?.[1] ?? 400;
}

function refusal(answer: RefusedAnswer, { coinId }: Parameters<MarketDataProvider['refusal']>[1]): ApiError {
  const text = krakenError(answer.body);
  if (answer.status === 404 && text !== undefined && coinId !== undefined)
    return unknownMarket(TITLE, coinId);
  return exchangeRefusal(TITLE, answer, text && categoryOf(text));
}

/** The category of an error, in place of its text, which may repeat the request. */
function categoryOf(text: string): string {
  return CATEGORIES.find((category) => text.startsWith(`${category}:`)) ?? 'an error of an unknown category';
}

/** The first error among those of an answer; what begins with W is a warning. */
function firstError(errors: unknown): string | undefined {
  const texts = Array.isArray(errors) ? errors.map(String) : [];
  return texts.find((text) => !text.startsWith('W'));
}

function krakenError(body: Buffer): string | undefined {
  if (body.length > MAX_ERROR_BYTES) return undefined;
  try {
    return firstError((JSON.parse(body.toString('utf8')) as { error?: unknown } | null)?.error);
  } catch {
    return undefined;
  }
}
