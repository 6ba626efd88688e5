import { ApiError } from '../../../shared/http/errors.ts';
import { isoSeconds } from '../../../shared/marketdata/candles.ts';
import type { MarketDataProvider, Offering } from '../../../shared/marketdata/provider.ts';
import { readTicker, tickerMadeAt } from '../../../shared/marketdata/ticker.ts';
import { array, numberOrNull, object, text } from '../../../shared/platform/json-fields.ts';

/**
 * A small provider that exists in tests only, to show what a second one takes: one price for each coin, and its
 * history as pairs of time (seconds) and price (text). Its key travels in the query, its errors come with a 200.
 */
export const almanac = {
  name: 'almanac',
  title: 'The Almanac',
  terms: { summary: 'Nobody has to agree to anything.', url: 'https://almanac.invalid/terms' },
  limits: {
    requestsPerSecond: 2,
    rows: { candles: 100, prices: 100 },
    latest: { candles: 100, prices: 100 },
  },
  settings: { baseUrl: 'COINPAPRIKA_BASE_URL' },
  probePath: '/quote?of=btc-bitcoin',

  endpoint: ({ COINPAPRIKA_BASE_URL: baseUrl = 'https://almanac.invalid' }) => ({ baseUrl, headers: {} }),

  ticker: (id) => ({
    path: `/quote?of=${encodeURIComponent(id.toWellFormed())}`,
    coinId: id,
    read: (json) => {
      const quote = object(json, 'the quote');
      if (quote.problem === 'no such coin') throw ApiError.unknownCoin(id);
      const time = numberOrNull(quote, 'at') ?? Number.NaN;
      return readTicker({
        id: text(quote, 'of'),
        name: text(quote, 'of'),
        symbol: text(quote, 'symbol'),
        last_updated: isoSeconds(time * 1000),
        quotes: { USD: { price: Number(text(quote, 'usd')) } },
      });
    },
    madeAt: tickerMadeAt,
  }),

  prices: ({ id, window }, from) => ({
    path: `/past?of=${encodeURIComponent(id.toWellFormed())}&from=${from / 1000}&to=${window.to / 1000}&step=${window.stepMs / 1000}`,
    coinId: id,
    read: (json) =>
      array(object(json, 'the past').pairs, 'pairs').map((pair) => {
        const [time, price] = array(pair, 'a pair');
        const timestamp = isoSeconds(Number(time) * 1000);
        return { timestamp, price: Number(price), volume_24h: null, market_cap: null };
      }),
  }),

  refusal: ({ status }) => new ApiError(502, `The Almanac answered ${status}`),
} as const satisfies MarketDataProvider & Offering<'ticker' | 'prices'>;
