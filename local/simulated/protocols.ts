/** The simulated sources as data, for code that needs their names but not the simulation. */

/** The content of a source's answers: the provider's coins, markets and tokens, rates, or another provider's coins. */
export type Subject = 'coins' | 'markets' | 'rates' | 'listing';

interface SimulatedProtocol {
  /** The variable with the source's address. */
  readonly setting: string;
  /** The path of that address. */
  readonly base: string;
  readonly subject: Subject;
  /** Requests a second that the real source allows, as far as it is known; of Binance, weight a minute. */
  readonly limit?: number;
}

export type QuoteSymbol = 'USD' | 'USDC' | 'USDT';

export interface SimulatedExchange extends SimulatedProtocol {
  readonly subject: 'markets';
  readonly limit: number;
  /** The part of all trade in a coin that its main market here has; its other markets have a tenth of that. */
  readonly share: number;
  /** The part of coins that are listed, besides those that no other exchange lists. */
  readonly listed: number;
  readonly decimals: number;
  /** How many of the largest coins have a market in a quote, the main quote first. */
  readonly quotes: Partial<Record<QuoteSymbol, number>>;
}

export const exchanges = {
  coinbase: {
    ...{ setting: 'COINBASE_BASE_URL', base: '/coinbase', subject: 'markets', limit: 10 },
    ...{ share: 0.08, listed: 0.7, decimals: 12, quotes: { USD: Infinity, USDT: 20 } },
  },
  kraken: {
    ...{ setting: 'KRAKEN_BASE_URL', base: '/kraken', subject: 'markets', limit: 1 },
    ...{ share: 0.03, listed: 0.7, decimals: 10, quotes: { USD: Infinity, USDC: 10, USDT: 25 } },
  },
  binance: {
    ...{ setting: 'BINANCE_BASE_URL', base: '/binance', subject: 'markets', limit: 6000 },
    ...{ share: 0.22, listed: 0.8, decimals: 8, quotes: { USDT: Infinity, USDC: 30 } },
  },
} as const satisfies Record<string, SimulatedExchange>;

export type ExchangeName = keyof typeof exchanges;
export const exchangeNames = Object.keys(exchanges) as ExchangeName[]; // its own keys

export const protocols = {
  coinpaprika: { setting: 'COINPAPRIKA_BASE_URL', base: '/coinpaprika/v1', subject: 'coins' },
  ...exchanges,
  defillama: { setting: 'DEFILLAMA_BASE_URL', base: '/defillama', subject: 'markets', limit: 10 },
  coingecko: { setting: 'COINGECKO_BASE_URL', base: '/coingecko/api/v3', subject: 'listing', limit: 1 },
  ecb: { setting: 'ECB_BASE_URL', base: '/ecb', subject: 'rates', limit: 10 },
  frankfurter: { setting: 'FRANKFURTER_BASE_URL', base: '/frankfurter/v2', subject: 'rates', limit: 10 },
} as const satisfies Record<string, SimulatedProtocol>;

export type SourceName = keyof typeof protocols;
export const sourceNames = Object.keys(protocols) as SourceName[]; // its own keys

export function isSourceName(name: string): name is SourceName {
  return Object.hasOwn(protocols, name);
}
