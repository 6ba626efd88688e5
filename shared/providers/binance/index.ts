import type { ApiError } from '../../http/errors.ts';
import type { MarketDataProvider, Offering, RefusedAnswer } from '../../marketdata/provider.ts';
import { exchangeRefusal, textOf, unknownMarket } from '../exchange-refusal.ts';
import { readCandles, readMarkets, readQuotes } from './readers.ts';

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
  isFree: true,
  limits: {
    requestsPerSecond: 50, // half of the weight that one address may take; going beyond it brings a ban
    rows: { candles: MAX_ROWS, prices: 0 },
    latest: { candles: MAX_ROWS, prices: 0 },
    quotes: 'all',
  },
  settings: { baseUrl: 'BINANCE_BASE_URL' },
  probePath: '/api/v3/ping',

  endpoint: ({ BINANCE_BASE_URL: baseUrl = 'https://data-api.binance.vision' }) => ({ baseUrl, headers: {} }),

  markets: () => ({
    path: '/api/v3/exchangeInfo?permissions=SPOT&showPermissionSets=false', // which are most of the answer
    weight: 20,
    read: readMarkets,
  }),

  // By name, a hundred and one weigh as much as all, and one that is gone would spoil the whole answer.
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

/** The meaning of an answer other than 200 and 429; its body is `{"code":-1121,"msg":"Invalid symbol."}`. */
function refusal(answer: RefusedAnswer, { coinId }: Parameters<MarketDataProvider['refusal']>[1]): ApiError {
  const text = textOf(answer.body, 'msg');
  if (answer.status === 400 && text === 'Invalid symbol.' && coinId !== undefined)
    return unknownMarket(TITLE, coinId);
  return exchangeRefusal(TITLE, answer, text);
}
