import { ApiError } from '../http/errors.ts';
import type { Offering } from '../marketdata/provider.ts';
import type { TokenHistory, TokenPrice } from '../marketdata/sources/token.ts';
import { tokenKey } from '../marketdata/sources/token.ts';
import { array, type JsonObject, numberOrNull, object, readRows } from '../platform/json-fields.ts';

const URL = 'https://coins.llama.fi';
/** Older prices are left out. */
const SEARCH_WIDTH = '6h';

/** DefiLlama's prices of tokens (api-docs.defillama.com, "coins"), each as old as it says itself. */
export const defillama = {
  name: 'defillama',
  title: 'DefiLlama',
  terms: {
    summary: 'Free, without a key. Commercial republishing of its data is restricted.',
    url: 'https://defillama.com/terms',
  },
  isPaid: false,
  scheduledProbes: false,
  limits: {
    requestsPerSecond: 2, // it publishes no limit; this is far below rates known to be refused
    per: 'service',
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
  // A point is the price at its moment, so the first one is that at the end of the first day.
  tokenHistory: (tokens, { from, to, stepMs }) => ({
    path: `/chart/${tokens.map(inPath).join(',')}?start=${(from + stepMs) / 1000}&span=${(to - from) / stepMs}&period=1d&searchWidth=${SEARCH_WIDTH}`,
    read: (json) => readTokenHistory(json, tokens),
  }),
  refusal: ({ status }) => new ApiError(502, `DefiLlama answered ${status}`),
} as const satisfies Offering<'tokenPrices' | 'tokenHistory'>;

/** A colon needs no encoding in a path, and has none in the documents. */
function inPath(token: string): string {
  return token.split(':').map(encodeURIComponent).join(':');
}

/** The prices of the requested tokens; one without a price, a time or a confidence is left out. */
function readTokenPrices(json: unknown, requested: readonly string[]): TokenPrice[] {
  return readRows(coinsIn(json, requested), ([token, item]) => {
    const coin = object(item, 'a coin');
    const price = numberOrNull(coin, 'price');
    const at = timeIn(coin);
    const confidence = numberOrNull(coin, 'confidence');
    if (price === null || at === null || confidence === null) return [];
    return [{ token, price, at, confidence }];
  });
}

function readTokenHistory(json: unknown, requested: readonly string[]): TokenHistory[] {
  return readRows(coinsIn(json, requested), ([token, item]) => {
    const coin = object(item, 'a coin');
    const confidence = numberOrNull(coin, 'confidence');
    if (confidence === null) return [];
    const prices = array(coin.prices, 'prices').flatMap((item) => {
      const point = object(item, 'a price');
      const price = numberOrNull(point, 'price');
      const at = timeIn(point);
      return price === null || at === null ? [] : [{ at, price }];
    });
    return [{ token, confidence, prices }];
  });
}

/** The coins by the requested name, in whatever case the response has it; others are left out. */
function coinsIn(json: unknown, requested: readonly string[]): (readonly [string, unknown])[] {
  const names = new Map(requested.map((token) => [tokenKey(token), token]));
  const coins = object(object(json, 'the answer').coins, 'coins');
  return Object.entries(coins).flatMap(([key, coin]) => {
    const token = names.get(tokenKey(key));
    return token === undefined ? [] : [[token, coin] as const];
  });
}

/** Milliseconds of the seconds in the answer. */
function timeIn(source: JsonObject): number | null {
  const seconds = numberOrNull(source, 'timestamp');
  return seconds === null ? null : seconds * 1000;
}
