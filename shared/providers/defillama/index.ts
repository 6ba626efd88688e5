import { ApiError } from '../../http/errors.ts';
import type { Offering } from '../../marketdata/provider.ts';
import { readTokenHistory, readTokenPrices } from './readers.ts';

const URL = 'https://coins.llama.fi';
/** A price that is older is not told. */
const SEARCH_WIDTH = '6h';

/** DefiLlama's prices of tokens (api-docs.defillama.com, "coins"), each as old as it says itself. */
export const defillama = {
  name: 'defillama',
  title: 'DefiLlama',
  terms: {
    summary: 'Free, without a key. Commercial republishing of its data is restricted.',
    url: 'https://defillama.com/terms',
  },
  isFree: true,
  limits: {
    requestsPerSecond: 2, // it publishes none; this is far below what is known to be refused
    rows: { candles: 0, prices: 366 },
    latest: { candles: 0, prices: 366 },
  },
  settings: { baseUrl: 'DEFILLAMA_BASE_URL' },
  probePath: '/prices/current/coingecko:bitcoin',
  endpoint: ({ DEFILLAMA_BASE_URL: configured }) => ({ baseUrl: configured ?? URL, headers: {} }),

  tokenPrices: (tokens) => ({
    path: `/prices/current/${tokens.map(inPath).join(',')}?searchWidth=${SEARCH_WIDTH}`,
    read: (json) => readTokenPrices(json, tokens),
  }),
  // A point is the price at its moment, so the first one is wanted at the end of the first day.
  tokenHistory: (tokens, { from, to, stepMs }) => ({
    path: `/chart/${tokens.map(inPath).join(',')}?start=${(from + stepMs) / 1000}&span=${(to - from) / stepMs}&period=1d&searchWidth=${SEARCH_WIDTH}`,
    read: (json) => readTokenHistory(json, tokens),
  }),
  refusal: ({ status }) => new ApiError(502, `DefiLlama answered ${status}`),
} as const satisfies Offering<'tokenPrices' | 'tokenHistory'>;

/** A colon may stand in a path as it is, and does in the documents. */
function inPath(token: string): string {
  return token.split(':').map(encodeURIComponent).join(':');
}
