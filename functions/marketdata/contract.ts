import Type from 'typebox';
import { variables } from '../../shared/platform/environment.ts';
import { providerSettings, providers } from '../../shared/providers/index.ts';

const sources = `${providers.map(({ name }) => `\`${name}\``).join(', ')}, or \`simulated\` on a local run without the provider`;

const caching = 'Caches may give the answer for `max-age` seconds, and no longer when the service fails';

export const marketDataHeaders = {
  'x-data-source': `Who the data comes from: ${sources}; \`${variables.TOKEN_SOURCES.default}\` for coins that are priced by their contracts`,
  'x-data-quality':
    '`exact`: as the provider says; `sampled`: candles folded from at least 80 % of the prices that were kept every ten minutes; `derived`: candles of fewer of them, of daily or hourly prices, or of a coin whose price nobody knows yet to compare them with; `disputed`: a ticker that is more than 10 % off the median of at least two markets; `stale`: what was known before, because nobody could or may ask for what is newer and true, or a ticker that was more than an hour old, or of an unknown time, when the provider gave it',
  'x-data-time':
    'When the provider made the data; of candles, when the newest one closed or, while it runs, up to when it is known: RFC 3339, UTC. Whether an answer is old shows here and not in `Age`, which caches count',
  'cache-control': `${caching}, its lifetime; 0 if it is stale`,
} as const;

export const budgetEnvironment = [
  'UPSTREAM_MONTHLY_BUDGET',
  'UPSTREAM_SCHEDULED_DAILY',
  'UPSTREAM_CLIENT_PERCENT',
] as const;

export const marketDataEnvironment = [
  'REGISTRY_PATH',
  ...providerSettings,
  'UPSTREAM_TIMEOUT_MS',
  'STALE_WAIT_MS',
  ...budgetEnvironment,
] as const;

export const marketDataFailures = {
  404: 'The provider does not know the coin id',
  502: 'The provider is unreachable, answers 5xx, refuses the request, or does not answer the promised JSON, or what cannot be true',
  504: 'The provider does not answer in time',
} as const;

/** Of routes that answer from the stored history of a coin. */
export const historyFailures = {
  ...marketDataFailures,
  503: 'The stored history of the coin cannot be read and waits to be restored',
} as const;

/** Of routes that list the coins of the ticker snapshot. */
export const noListFailure = {
  503: 'No list of tickers is at hand; `Retry-After` says when to come back',
} as const;

export const registryEntry = Type.Object({
  id: Type.String(),
  name: Type.String(),
  symbol: Type.String(),
  rank: Type.Integer({ description: 'By market cap, from 1; 0: unranked' }),
  is_new: Type.Boolean(),
  is_active: Type.Boolean(),
  type: Type.Enum(['coin', 'token']),
});

export const coinType = Type.Enum(['coin', 'token'], { description: 'coin, token' });

export const registryHeaders = {
  'x-data-source': `Whose coins these are: ${sources}`,
  'x-registry-version': 'Which build of the coin registry answered',
  'x-data-time': 'When this build of the coin registry was made: RFC 3339, UTC',
  'cache-control': `${caching}: an hour`,
} as const;

export const registryUnavailable = { 503: 'The coin registry cannot be opened' } as const;

export const coinIdParameter = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 200, description: 'a coin id such as btc-bitcoin' }),
});

/** Most coins that one request may name. */
export const MAX_COINS = 100;

export const coinIds = Type.Optional(
  Type.Array(Type.String({ pattern: '\\S', description: 'a coin id such as btc-bitcoin' }), {
    minItems: 1,
    maxItems: MAX_COINS,
    description: 'Coin ids such as btc-bitcoin',
  }),
);

/** Shared by the routes that the coin registry alone answers. */
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
