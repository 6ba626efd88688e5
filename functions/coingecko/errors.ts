/** Failures as CoinGecko's API words them, by their status. */
import type { AdapterShape } from '../../shared/http/middleware/envelope.ts';

/** "No key": its code at CoinGecko. */
const NO_KEY = 10_002;

export const shape: AdapterShape = {
  failure(status, message) {
    if (status === 429) return { status: { error_code: 429, error_message: message } };
    if (status === 401) return { status: { error_code: NO_KEY, error_message: message } };
    return { error: message };
  },

  /** The limit under the names that CoinGecko's clients look for, besides ours. */
  headersOf({
    'ratelimit-limit': limit,
    'ratelimit-remaining': remaining,
    'ratelimit-reset': seconds,
  }): Readonly<Record<string, string>> {
    if (limit === undefined || remaining === undefined || seconds === undefined) return {};
    const reset = new Date(Date.now() + Number(seconds) * 1000).toISOString();
    return {
      'x-ratelimit-limit': limit,
      'x-ratelimit-remaining': remaining,
      'x-ratelimit-reset': `${reset.slice(0, 10)} ${reset.slice(11, 19)} +0000`,
    };
  },
};
