import { ApiError } from '../http/errors.ts';
import type { Candle } from '../marketdata/candles.ts';
import type { MarketDataProvider, Offering, ProviderRequest, RefusedAnswer } from '../marketdata/provider.ts';
import type { Market, MarketQuote } from '../marketdata/sources/market.ts';
import type { Span } from '../marketdata/window.ts';
import { array, object, readRows, text } from '../platform/json-fields.ts';
import { isoSeconds } from '../platform/time.ts';
import {
  candlesOf,
  changeSince,
  decimal,
  exchangeRefusal,
  isSet,
  priceOrNone,
  unknownMarket,
} from './exchange.ts';
import { errorField } from './responses.ts';

const TITLE = 'Coinbase';
/** Flags that prevent matching of orders. With `limit_only`, limit orders are still matched. */
const CLOSING = ['trading_disabled', 'cancel_only', 'post_only', 'auction_mode'];

/** Coinbase Exchange's public REST API (docs.cdp.coinbase.com/exchange). It requires a User-Agent, which the client sends. */
export const coinbase = {
  name: 'coinbase',
  title: TITLE,
  terms: {
    summary: 'Market data for own use; to show or pass it on needs Coinbase’s consent.',
    url: 'https://www.coinbase.com/legal/market_data',
  },
  isPaid: false,
  scheduledProbes: false,
  limits: {
    requestsPerSecond: 10, // of one address
    per: 'service',
    rows: { candles: 300, prices: 0 },
    latest: { candles: 300, prices: 0 },
    quotes: 'all',
  },
  settings: { baseUrl: 'COINBASE_BASE_URL' },
  probePath: '/time',

  endpoint: ({ COINBASE_BASE_URL: baseUrl = 'https://api.exchange.coinbase.com' }) => ({
    baseUrl,
    headers: {},
  }),

  markets: () => ({ path: '/products', read: readMarkets }),

  quotes,

  marketCandles: ({ market, window }) => {
    const query = new URLSearchParams({
      granularity: String(window.stepMs / 1000),
      // Each is ignored without the other; more than 300 intervals are refused.
      start: isoSeconds(window.from),
      end: isoSeconds(window.to - 1000),
    });
    return {
      path: `${productPath(market)}/candles?${query}`,
      coinId: market,
      read: (json) => readCandles(json, window),
    };
  },

  refusal,
} as const satisfies Offering<'markets' | 'quotes' | 'marketCandles'>;

/**
 * The path of all markets is undocumented, though clients have used it for years. The documented path of one market replaces it if
 * it disappears; it has no 24-hour change.
 */
function quotes(markets: readonly string[]): ProviderRequest<readonly MarketQuote[]> {
  const [market = '', ...others] = markets;
  if (others.length > 0) {
    return { path: '/products/stats', read: (json) => readQuotes(json, new Set(markets)) };
  }
  return {
    path: `${productPath(market)}/ticker`,
    coinId: market,
    read: (json) => readQuote(json, market),
  };
}

/** Throws 404 for the names `.` and `..`, which URLs cannot express (WHATWG URL, "dot path segments"). */
function productPath(market: string): string {
  if (market === '' || market === '.' || market === '..') throw unknownMarket(TITLE, market);
  return `/products/${encodeURIComponent(market.toWellFormed())}`;
}

function readMarkets(json: unknown): Market[] {
  return readRows(array(json, 'the answer'), (item) => {
    const product = object(item, 'a product');
    const market = {
      id: text(product, 'id'),
      base: text(product, 'base_currency').toUpperCase(),
      quote: text(product, 'quote_currency').toUpperCase(),
      isOpen:
        text(product, 'status').toLowerCase() === 'online' && !CLOSING.some((name) => isSet(product[name])),
    };
    return [market];
  });
}

/** Empty for a market without trades. */
function readQuote(json: unknown, market: string): MarketQuote[] {
  const ticker = object(json, 'the ticker');
  const price = ticker.price === undefined ? 0 : decimal(ticker.price, 'price');
  if (price === 0) return [];
  const at = Date.parse(text(ticker, 'time'));
  const [bid, ask] = [priceOrNone(ticker.bid, 'bid'), priceOrNone(ticker.ask, 'ask')];
  return [{ market, price, volume: decimal(ticker.volume, 'volume'), change: null, at, bid, ask }];
}

/** The quotes in the last 24 hours of each market, without a time, and without a price if there were no trades. */
function readQuotes(json: unknown, markets: ReadonlySet<string>): MarketQuote[] {
  return readRows(Object.entries(object(json, 'the answer')), ([market, item]) => {
    const { stats_24hour: day } = object(item, 'a market');
    if (!markets.has(market) || day === undefined) return [];
    const { open, last, volume, high, low } = object(day, 'stats_24hour');
    const price = last === undefined ? 0 : decimal(last, 'last');
    if (price === 0) return [];
    const change = changeSince(open, price);
    const range = { high: priceOrNone(high, 'high'), low: priceOrNone(low, 'low') };
    return [{ market, price, volume: decimal(volume, 'volume'), change, at: null, ...range }];
  });
}

/** The candles in rows of time (seconds), low, high, open, close and volume, newest first; some may precede the window. */
function readCandles(json: unknown, window: Span): Candle[] {
  const rows = array(json, 'the answer').map((item) => {
    const [time, low, high, open, close] = array(item, 'a candle');
    return { time: decimal(time, 'time') * 1000, open, high, low, close };
  });
  return candlesOf(rows, window);
}

/** The error of a response other than 200 and 429; its body is `{"message":"…"}`. */
function refusal(answer: RefusedAnswer, { coinId }: Parameters<MarketDataProvider['refusal']>[1]): ApiError {
  const hasText = typeof errorField(answer.body, 'message') === 'string';
  if (answer.status === 404 && coinId === undefined) return new ApiError(404, `${TITLE} has no such path`);
  if (answer.status === 404 && hasText && coinId !== undefined) return unknownMarket(TITLE, coinId);
  return exchangeRefusal(TITLE, answer);
}
