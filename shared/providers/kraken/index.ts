import type { Offering } from '../../marketdata/provider.ts';
import { readCandles, readMarkets, readQuotes } from './readers.ts';
import { refusal, statusOf, TITLE } from './refusal.ts';

/** Kraken's public REST API (docs.kraken.com/api-reference). A market's id is the key that it has in `AssetPairs`. */
export const kraken = {
  name: 'kraken',
  title: TITLE,
  terms: {
    summary: 'Market data for own use; to show or pass it on commercially needs a licence.',
    url: 'https://www.kraken.com/legal',
  },
  isFree: true,
  limits: {
    requestsPerSecond: 1, // of one address
    rows: { candles: 720, prices: 0 },
    latest: { candles: 720, prices: 0 }, // and none before them, whatever is asked for
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
