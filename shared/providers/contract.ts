/** Declarations that routes with market data share, in any domain. */
import { variables } from '../platform/environment.ts';
import { providerNames, providerSettings, providers } from './index.ts';

export const sources = `${providers.map(({ name }) => `\`${name}\``).join(', ')}, or \`simulated\` on a local run without the provider`;

export const caching =
  'Caches may give the answer for `max-age` seconds, and no longer when the service fails';

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

/** What adapters of market data have in common: each reads all stored data. */
export const marketDataAdapter = {
  method: 'GET',
  limit: 'read',
  envelope: false,
  environment: marketDataEnvironment,
  rows: providerNames,
  registry: true,
  snapshot: true,
  history: true,
  putsCoins: true,
  example: {},
  memoryMb: 512,
  timeoutSeconds: 15,
} as const;
