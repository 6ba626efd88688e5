import Type from 'typebox';
import { caching, sources } from '../../shared/providers/contract.ts';

export {
  budgetEnvironment,
  marketDataEnvironment,
  marketDataHeaders,
} from '../../shared/providers/contract.ts';

export const marketDataFailures = {
  404: 'The provider does not know the coin id',
  502: 'The provider is unreachable, returns a 5xx, refuses the request, or returns malformed or implausible data',
  504: 'The provider does not respond in time',
} as const;

/** The failures of routes that read a coin's stored history. */
export const historyFailures = {
  ...marketDataFailures,
  503: 'The stored history of the coin cannot be read until it is restored, or exchange rates are missing',
} as const;

/** The failure of routes that list the coins of the ticker snapshot. */
export const noListFailure = {
  503: 'No list of tickers is available; `Retry-After` says when to try again',
} as const;

export const registryEntry = Type.Object({
  id: Type.String(),
  name: Type.String(),
  symbol: Type.String(),
  rank: Type.Integer({ description: 'The rank by market cap, from 1; 0: unranked' }),
  is_new: Type.Boolean(),
  is_active: Type.Boolean(),
  type: Type.Enum(['coin', 'token']),
});

export const coinType = Type.Enum(['coin', 'token'], { description: 'coin, token' });

const relatedCoin = (description: string) =>
  Type.Optional(
    Type.Object(
      {
        id: Type.String(),
        symbol: Type.String(),
        name: Type.String(),
        ratio: Type.Number({ description: 'The units of the new coin that replaced one of the old' }),
      },
      { description },
    ),
  );

/** The coins before and after a coin that was replaced by another. */
export const relatedCoins = {
  successor: relatedCoin(
    'The coin as which this one continues, if there is one; this one may still be traded',
  ),
  predecessor: relatedCoin(
    'The coin that has the symbol, if no active, ranked coin has it and that coin continues as this one',
  ),
};

export const registryHeaders = {
  'x-data-source': `The source of the coins: ${sources}`,
  'x-registry-version': 'The build of the coin registry',
  'x-data-time': 'When this build of the coin registry was made: RFC 3339, UTC',
  'cache-control': `${caching}: an hour`,
} as const;

export const registryUnavailable = { 503: 'The coin registry cannot be opened' } as const;

export const coinIdParameter = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 200, description: 'a coin id such as btc-bitcoin' }),
});

/** A currency of prices, apart from the US dollar. */
export const currencyParameter = Type.String({ description: 'the ISO 4217 code of a currency, such as EUR' });

/** The exchange rate of a figure. */
export const rateField = Type.Object(
  { day: Type.String(), source: Type.String() },
  { description: 'The exchange rate: its day, such as 2026-01-30, and its source; only with `currency`' },
);

/** The largest number of coins in one request. */
export const MAX_COINS = 100;

export const coinIds = Type.Optional(
  Type.Array(Type.String({ pattern: '\\S', description: 'a coin id such as btc-bitcoin' }), {
    minItems: 1,
    maxItems: MAX_COINS,
    description: 'Coin ids such as btc-bitcoin',
  }),
);

/** Shared by the routes that use only the coin registry. */
export const registryRoute = {
  limit: 'read',
  responseHeaders: registryHeaders,
  failures: registryUnavailable,
  environment: ['REGISTRY_PATH'],
  registry: true,
  memoryMb: 256,
  timeoutSeconds: 10,
  maxConcurrency: 20,
} as const;
