import type { ApiError } from '../http/errors.ts';
import type { Candle } from '../marketdata/candles.ts';
import type { MarketDataProvider, Offering, RefusedAnswer } from '../marketdata/provider.ts';
import type { Market, MarketQuote } from '../marketdata/sources/market.ts';
import type { Span } from '../marketdata/window.ts';
import { array, type JsonObject, object, readRows, text } from '../platform/json-fields.ts';
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

const TITLE = 'Binance';
const MAX_ROWS = 1000;

/** Binance's spot REST API, on the host that has market data only (github.com/binance/binance-spot-api-docs). */
export const binance = {
  name: 'binance',
  title: TITLE,
  terms: {
    summary: 'The terms do not say what may be done with market data: ask before you show or pass it on.',
    url: 'https://www.binance.com/en/terms',
  },
  isPaid: false,
  scheduledProbes: false,
  limits: {
    requestsPerSecond: 50, // half of the weight that one address may use; more leads to a ban
    per: 'service',
    rows: { candles: MAX_ROWS, prices: 0 },
    latest: { candles: MAX_ROWS, prices: 0 },
    quotes: 'all',
  },
  settings: { baseUrl: 'BINANCE_BASE_URL' },
  probePath: '/api/v3/ping',

  endpoint: ({ BINANCE_BASE_URL: baseUrl = 'https://data-api.binance.vision' }) => ({ baseUrl, headers: {} }),

  markets: () => ({
    path: '/api/v3/exchangeInfo?permissions=SPOT&showPermissionSets=false', // which make up most of the response
    weight: 20,
    read: readMarkets,
  }),

  // By name, a hundred and one weigh as much as all, and one that is gone would fail the whole request.
  quotes: (markets) => ({
    path: '/api/v3/ticker/24hr',
    weight: 80,
    read: (json) => readQuotes(json, new Set(markets)),
  }),

  marketCandles: ({ market, window }) => {
    const query = new URLSearchParams({
      symbol: market.toWellFormed(),
      interval: window.base === '24h' ? '1d' : '1h',
      startTime: String(window.from),
      endTime: String(window.to - 1),
      limit: String(Math.min(MAX_ROWS, Math.max(1, Math.round((window.to - window.from) / window.stepMs)))),
    });
    return {
      path: `/api/v3/klines?${query}`,
      weight: 2,
      coinId: market,
      read: (json) => readCandles(json, window),
    };
  },

  refusal,
} as const satisfies Offering<'markets' | 'quotes' | 'marketCandles'>;

/** A market in thousands of a coin keeps its own symbol, such as `1000SATS`, which no other coin has. */
function readMarkets(json: unknown): Market[] {
  return readRows(array(object(json, 'the answer').symbols, 'symbols'), (item) => {
    const symbol = object(item, 'a symbol');
    const market = {
      id: text(symbol, 'symbol'),
      base: text(symbol, 'baseAsset').toUpperCase(),
      quote: text(symbol, 'quoteAsset').toUpperCase(),
      isOpen: text(symbol, 'status').toUpperCase() === 'TRADING' && isSpot(symbol),
    };
    return [market];
  });
}

/** A missing field does not exclude a market: the request is for spot markets. */
function isSpot({ isSpotTradingAllowed = true, permissions = [], permissionSets = [] }: JsonObject): boolean {
  const lists = [permissions, permissionSets].map((names) => [names].flat(3));
  const isPermitted = lists.every((names) => names.length === 0 || names.includes('SPOT'));
  return isPermitted && isSet(isSpotTradingAllowed);
}

/** The change is computed from the prices beside it, not taken from `priceChangePercent`. */
function readQuotes(json: unknown, markets: ReadonlySet<string>): MarketQuote[] {
  return readRows(array(json, 'the answer'), (item) => {
    const ticker = object(item, 'a ticker');
    const market = text(ticker, 'symbol');
    if (!markets.has(market)) return [];
    const price = decimal(ticker.lastPrice, 'lastPrice');
    const volume = decimal(ticker.volume, 'volume');
    const change = changeSince(ticker.openPrice, price);
    const at = decimal(ticker.closeTime, 'closeTime');
    if (price === 0) return []; // no trades yet
    const [bid, ask] = [priceOrNone(ticker.bidPrice, 'bidPrice'), priceOrNone(ticker.askPrice, 'askPrice')];
    const [high, low] = [
      priceOrNone(ticker.highPrice, 'highPrice'),
      priceOrNone(ticker.lowPrice, 'lowPrice'),
    ];
    return [{ market, price, volume, change, at, bid, ask, high, low }];
  });
}

/** The candles in rows of time (ms), open, high, low, close, …, ascending. */
function readCandles(json: unknown, window: Span): Candle[] {
  const rows = array(json, 'the answer').map((item) => {
    const [time, open, high, low, close] = array(item, 'a candle');
    return { time: decimal(time, 'time'), open, high, low, close };
  });
  return candlesOf(rows, window);
}

const INVALID_SYMBOL = -1121;

/** The error of a response other than 200 and 429; its body is `{"code":-1121,"msg":"Invalid symbol."}`. */
function refusal(answer: RefusedAnswer, { coinId }: Parameters<MarketDataProvider['refusal']>[1]): ApiError {
  const code = errorField(answer.body, 'code');
  if (answer.status === 400 && code === INVALID_SYMBOL && coinId !== undefined)
    return unknownMarket(TITLE, coinId);
  return exchangeRefusal(TITLE, answer, Number.isInteger(code) ? `error ${code}` : '');
}
