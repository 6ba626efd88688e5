import { ApiError } from '../../http/errors.ts';
import { isoSeconds } from '../../marketdata/candles.ts';
import type {
  MarketDataProvider,
  Offering,
  ProviderRequest,
  RefusedAnswer,
} from '../../marketdata/provider.ts';
import type { MarketQuote } from '../../marketdata/sources/market.ts';
import { exchangeRefusal, textOf, unknownMarket } from '../exchange-refusal.ts';
import { readCandles, readMarkets, readQuote, readQuotes } from './readers.ts';

const TITLE = 'Coinbase';

/** Coinbase Exchange's public REST API (docs.cdp.coinbase.com/exchange). It wants a User-Agent, as the client sends. */
export const coinbase = {
  name: 'coinbase',
  title: TITLE,
  terms: {
    summary: 'Market data for own use; to show or pass it on needs Coinbase’s consent.',
    url: 'https://www.coinbase.com/legal/market_data',
  },
  isFree: true,
  limits: {
    requestsPerSecond: 10, // of one address
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
      // Without both of them they are ignored; more than 300 intervals are refused.
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
 * Coinbase's documents do not have the path of all markets, though clients have used it for years. The path of one
 * market is documented, and takes over if the other is gone; it has no change of 24 hours.
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

/** Throws 404 for the names `.` and `..`: no URL can write them (WHATWG URL, "dot path segments"). */
function productPath(market: string): string {
  if (market === '' || market === '.' || market === '..') throw unknownMarket(TITLE, market);
  return `/products/${encodeURIComponent(market.toWellFormed())}`;
}

/** The meaning of an answer other than 200 and 429; its body is `{"message":"…"}`. */
function refusal(answer: RefusedAnswer, { coinId }: Parameters<MarketDataProvider['refusal']>[1]): ApiError {
  const text = textOf(answer.body, 'message');
  if (answer.status === 404 && coinId === undefined) return new ApiError(404, `${TITLE} has no such path`);
  if (answer.status === 404 && text !== undefined && coinId !== undefined)
    return unknownMarket(TITLE, coinId);
  return exchangeRefusal(TITLE, answer, text);
}
