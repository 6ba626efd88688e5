import type { MarketDataProvider, Offer, Offering } from '../../marketdata/provider.ts';
import { readTicker, readTickers, tickerMadeAt } from '../../marketdata/ticker.ts';
import { parseEntries } from '../../registry/parse-entries.ts';
import { candles, prices } from './history.ts';
import { coinPath } from './path.ts';
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
} as const satisfies MarketDataProvider & Offering<Offer>;
