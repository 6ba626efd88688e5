/** Declarations that routes with market data share, in any domain. */
import { variables } from '../platform/environment.ts';
import { coinProvider, coinProviderSettings } from './index.ts';

export const sources = `\`${coinProvider.name}\`, or \`simulated\` on a local run without the provider`;

export const caching =
  'Caches may serve the response for `max-age` seconds, and no longer when the service fails';

export const marketDataHeaders = {
  'x-data-source': `The source of the data: ${sources}; \`${variables.TOKEN_SOURCES.default}\` for coins that are priced by their contracts`,
  'x-data-quality':
    '`exact`: as the provider reports it; `sampled`: candles folded from stored ten-minute prices, at least 80 % of them present; `derived`: candles from fewer of these, from daily or hourly prices, or of a coin without a known price to compare them with; `disputed`: a ticker more than 10 % off the median of at least two markets; `stale`: older data, because newer data could not be fetched or is not plausible, or a ticker that was more than an hour old, or without a time, when the provider sent it',
  'x-data-time':
    'When the provider made the data; for candles, when the newest one closed or, while it runs, the time of its newest price: RFC 3339, UTC. Judge the age of data by this header, not by `Age`, which belongs to caches',
  'cache-control': `${caching}, its lifetime; 0 if it is stale`,
} as const;

export const budgetEnvironment = [
  'UPSTREAM_MONTHLY_BUDGET',
  'UPSTREAM_SCHEDULED_DAILY',
  'UPSTREAM_CLIENT_PERCENT',
] as const;

export const marketDataEnvironment = [
  'REGISTRY_PATH',
  ...coinProviderSettings,
  'UPSTREAM_TIMEOUT_MS',
  'STALE_WAIT_MS',
  'TICKER_FRESH_SECONDS',
  ...budgetEnvironment,
] as const;

/** What adapters of market data have in common: each reads all stored data. */
export const marketDataAdapter = {
  method: 'GET',
  limit: 'read',
  envelope: false,
  environment: marketDataEnvironment,
  rows: [coinProvider.name],
  registry: true,
  snapshot: true,
  history: true,
  putsCoins: true,
  example: {},
  memoryMb: 512,
  timeoutSeconds: 15,
} as const;
