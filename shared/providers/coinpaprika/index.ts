import { ApiError } from '../../http/errors.ts';
import { type Candle, isoSeconds, type PricePoint } from '../../marketdata/candles.ts';
import type { HistoryQuery, MarketDataProvider, ProviderRequest } from '../../marketdata/provider.ts';
import { readTicker, readTickers, tickerMadeAt } from '../../marketdata/ticker.ts';
import type { Window } from '../../marketdata/window.ts';
import { parseEntries } from '../../registry/parse-entries.ts';
import { readCandles, readPrices } from './readers.ts';
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
  // Of one address.
  limits: { requestsPerSecond: 10 },
  settings: { baseUrl: 'COINPAPRIKA_BASE_URL', key: 'COINPAPRIKA_API_KEY' },
  probePath: '/global',

  /** The host goes with the plan that the key, or its absence, stands for. The key goes raw into the header. */
  endpoint({ COINPAPRIKA_BASE_URL: configured, COINPAPRIKA_API_KEY: key }) {
    const headers: Record<string, string> = key ? { authorization: key } : {};
    return { baseUrl: configured ?? (key ? PAID_URL : FREE_URL), headers };
  },

  ticker: (id) => ({ path: coinPath`/tickers/${id}`, coinId: id, read: readTicker, madeAt: tickerMadeAt }),
  tickers: () => ({ path: '/tickers', read: readTickers }),
  coins: () => ({ path: '/coins', read: parseEntries }),
  candles,
  prices,
  refusal,
} as const satisfies Required<MarketDataProvider>;

function candles({ id, quote, window }: HistoryQuery): ProviderRequest<Candle[]> {
  const query = queryOf(window, window.base, quote);
  const resource = coinPath`/coins/${id}/ohlcv/historical`;
  return { ...pathAndKey(resource, query, window), coinId: id, read: readCandles };
}

/** Every plan has some of it. */
function prices({ id, quote, window }: HistoryQuery, from: number): ProviderRequest<PricePoint[]> {
  const interval = window.base === '24h' ? '1d' : '1h'; // its default, 5m, is not free
  const query = queryOf({ ...window, from }, interval, quote);
  return { ...pathAndKey(coinPath`/tickers/${id}/historical`, query, window), coinId: id, read: readPrices };
}

function queryOf({ from, to, stepMs, closed }: Window, interval: string, quote: string): URLSearchParams {
  return new URLSearchParams({
    start: isoSeconds(from),
    ...(closed && { end: isoSeconds(to - 1000) }), // up to now is what the provider gives of itself
    interval,
    limit: String(Math.max(1, Math.round((to - from) / stepMs))),
    quote,
  });
}

function pathAndKey(resource: string, query: URLSearchParams, { closed }: Window) {
  const latest = new URLSearchParams(query);
  latest.delete('start');
  return {
    path: `${resource}?${query}`,
    // The number of rows says all of a window up to now; with its start, yesterday's could never stand in for today's.
    key: `${resource}?${closed ? query : latest}`,
  };
}

/** Throws 404 for the ids `.` and `..`: no URL can write them, not even encoded (WHATWG URL, "dot path segments"). */
function coinPath([before = '', after = '']: TemplateStringsArray, coinId: string): string {
  if (coinId === '.' || coinId === '..') throw ApiError.unknownCoin(coinId);
  return before + encodeURIComponent(coinId.toWellFormed()) + after;
}
