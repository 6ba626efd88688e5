import type { Purpose } from '../coordination/allowance.ts';
import type { MarketDataProvider, Offer, Offering } from '../marketdata/provider.ts';
import type { ProviderClient } from '../marketdata/provider-client.ts';
import type { Environment } from '../platform/environment.ts';
import { createClient } from './client.ts';
import { coinpaprika } from './coinpaprika.ts';

/** The first one that offers the needed data is used. */
export const providers: readonly MarketDataProvider[] = [coinpaprika];

/** The owners of the table rows that their clients use. */
export const providerNames = providers.map(({ name }) => name);

/** Every environment variable that a provider reads. */
export const providerSettings = providers.flatMap(({ settings: { baseUrl, key, plan } }) =>
  [baseUrl, key, plan].filter((name) => name !== undefined),
);

/** The size limit of responses to scheduled work: 56,000 coins, or 14,000 tickers, are 10 MB. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;
/** For one response to scheduled work with its retry, in milliseconds. */
export const SCHEDULED_TIME_MS = 30_000;

/** The provider of these data. Throws an Error if none offers all of them. */
export function providerOf<O extends Offer>(...offers: O[]): Offering<O> {
  const provider = providers.find((candidate) => offers.every((offer) => candidate[offer] !== undefined));
  if (!provider) throw new Error(`No provider offers ${offers.join(' and ')}`);
  return provider as Offering<O>; // it has these offers
}

const clients = new WeakMap<Environment, Map<string, ProviderClient<Offer>>>();

/** The container's client of the provider of these data, created at the first request. */
export function clientFor<O extends Offer>(
  environment: Environment,
  purpose: Purpose,
  ...offers: O[]
): ProviderClient<O> {
  const ofEnvironment = clients.get(environment) ?? new Map();
  clients.set(environment, ofEnvironment);
  const key = [purpose, ...offers].join();
  const client = ofEnvironment.get(key) ?? createClient(providerOf(...offers), environment, { purpose });
  ofEnvironment.set(key, client);
  return client;
}

/** A client for scheduled work, of the provider of these data. */
export function scheduledClientFor<O extends Offer>(
  environment: Environment,
  ...offers: O[]
): ProviderClient<O> {
  return scheduledClient(environment, providerOf(...offers));
}

/** A client for scheduled work: large responses, more time for each, paid from the purse of scheduled work. */
export function scheduledClient<O extends Offer>(
  environment: Environment,
  provider: Offering<O>,
  timeoutMs = SCHEDULED_TIME_MS,
): ProviderClient<O> {
  return createClient(provider, environment, {
    maxBodyBytes: MAX_BODY_BYTES,
    timeoutMs,
    purpose: 'scheduled',
  });
}
