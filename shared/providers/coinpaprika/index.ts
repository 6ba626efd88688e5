import { ApiError } from '../../http/errors.ts';
import { type Candle, isoSeconds, type PricePoint } from '../../marketdata/candles.ts';
import type { CoinOffer, HistoryQuery, Offering, ProviderRequest } from '../../marketdata/provider.ts';
import { readTicker, readTickers, tickerMadeAt } from '../../marketdata/ticker.ts';
import type { Span } from '../../marketdata/window.ts';
import { parseEntries } from '../../registry/entries.ts';
import { readCandles, readPrices, readUsage } from './readers.ts';
import { refusal } from './refusal.ts';

const FREE_URL = 'https://api.coinpaprika.com/v1';
const PAID_URL = 'https://api-pro.coinpaprika.com/v1';

/** CoinPaprika's REST API (docs.coinpaprika.com), whose tickers are those of our own route. */
export const coinpaprika = {
  name: 'coinpaprika',
  title: 'CoinPaprika',
  terms: {
    summary: 'Free plan: personal use. Redistribution needs the Enterprise plan.',
    url: 'https://coinpaprika.com/terms-of-use/',
  },
  limits: {
    requestsPerSecond: 10, // of one address
    rows: { candles: 366, prices: 5_000 },
    latest: { candles: 366, prices: 365 }, // the free plan's prices reach back a year
  },
  settings: { baseUrl: 'COINPAPRIKA_BASE_URL', key: 'COINPAPRIKA_API_KEY' },
  probePath: '/global',

  /** The host goes with the plan that the key, or its absence, stands for. The key goes raw into the header. */
  endpoint({ COINPAPRIKA_BASE_URL: configured, COINPAPRIKA_API_KEY: key }) {
    const headers: Record<string, string> = key ? { authorization: key } : {};
    return { baseUrl: configured ?? (key ? PAID_URL : FREE_URL), headers };
  },

  ticker: (id) => ({ path: coinPath`/tickers/${id}`, coinId: id, read: readTicker, madeAt: tickerMadeAt }),
  tickers: () => ({ path: '/tickers', read: readTickers }),
  usage: () => ({ path: '/key/info', read: readUsage }),
  coins: () => ({ path: '/coins', read: parseEntries }),
  candles,
  prices,
  refusal,
} as const satisfies Offering<CoinOffer>;

function candles({ id, quote, window }: HistoryQuery): ProviderRequest<Candle[]> {
  const query = queryOf(window, window.base, quote);
  return { path: coinPath`/coins/${id}/ohlcv/historical?${query}`, coinId: id, read: readCandles };
}

/** Every plan has some of it. */
function prices({ id, quote, window }: HistoryQuery, from: number): ProviderRequest<PricePoint[]> {
  const interval = window.base === '24h' ? '1d' : '1h'; // its default, 5m, is not free
  const query = queryOf({ ...window, from }, interval, quote);
  return { path: coinPath`/tickers/${id}/historical?${query}`, coinId: id, read: readPrices };
}

function queryOf({ from, to, stepMs, closed }: Span, interval: string, quote: string): URLSearchParams {
  return new URLSearchParams({
    start: isoSeconds(from),
    ...(closed && { end: isoSeconds(to - 1000) }), // up to now is what the provider gives of itself
    interval,
    limit: String(Math.max(1, Math.round((to - from) / stepMs))),
    quote,
  });
}

/** Throws 404 for the ids `.` and `..`: no URL can write them, not even encoded (WHATWG URL, "dot path segments"). */
function coinPath(
  [before = '', after = '']: TemplateStringsArray,
  coinId: string,
  query: URLSearchParams | '' = '',
): string {
  if (coinId === '.' || coinId === '..') throw ApiError.unknownCoin(coinId);
  return before + encodeURIComponent(coinId.toWellFormed()) + after + query;
}
