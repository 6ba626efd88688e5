import type { Purpose } from '../coordination/allowance.ts';
import type { MarketDataProvider, Offer, Offering } from '../marketdata/provider.ts';
import type { ProviderClient } from '../marketdata/provider-client.ts';
import type { Environment } from '../platform/environment.ts';
import { createClient } from './client.ts';
import { coinpaprika } from './coinpaprika.ts';

/** The first one that offers what is needed is asked for it. */
export const providers: readonly MarketDataProvider[] = [coinpaprika];

/** The owners of the rows that a function uses which asks them. */
export const providerNames = providers.map(({ name }) => name);

/** Every environment variable that a provider reads. */
export const providerSettings = providers.flatMap(({ settings: { baseUrl, key, plan } }) =>
  [baseUrl, key, plan].filter((name) => name !== undefined),
);

/** 56,000 coins, or 14,000 tickers, are 10 MB. */
export const SCHEDULED_BODY_BYTES = 32 * 1024 * 1024;
/** For one answer of scheduled work with its retry, in milliseconds. */
export const SCHEDULED_TIME_MS = 30_000;

/** The provider that is asked for these. Throws an Error if nobody offers them all. */
export function providerOf<O extends Offer>(...offers: O[]): Offering<O> {
  const provider = providers.find((candidate) => offers.every((offer) => candidate[offer] !== undefined));
  if (!provider) throw new Error(`No provider offers ${offers.join(' and ')}`);
  return provider as Offering<O>; // its entries were looked at
}

const clients = new WeakMap<Environment, Map<string, ProviderClient<Offer>>>();

/** The container's client of the provider that is asked for these, made at its first request. */
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

/** A client for scheduled work: large answers, more time for each, paid for from the purse of such work. */
export function scheduledClientFor<O extends Offer>(
  environment: Environment,
  ...offers: O[]
): ProviderClient<O> {
  return createClient(providerOf(...offers), environment, {
    maxBodyBytes: SCHEDULED_BODY_BYTES,
    timeoutMs: SCHEDULED_TIME_MS,
    purpose: 'scheduled',
  });
}
