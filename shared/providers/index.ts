import type { Purpose } from '../coordination/allowance.ts';
import type { CoinOffer, Offer, Offering, ProviderClient } from '../marketdata/provider.ts';
import { oncePer } from '../platform/caches.ts';
import type { Environment } from '../platform/environment.ts';
import { createClient } from './client.ts';
import { coinpaprika } from './coinpaprika.ts';

type CoinProviderOffer = CoinOffer | 'platforms' | 'contracts' | 'exchangeMarkets';

/** The provider of coins: their list, tickers, history, contracts and markets. */
export const coinProvider: Offering<CoinProviderOffer> = coinpaprika;

const { baseUrl, key, plan } = coinProvider.settings;
/** Every environment variable that it reads. */
export const coinProviderSettings = [baseUrl, key, plan].filter((name) => name !== undefined);

/** The size limit of responses to scheduled work: 56,000 coins, or 14,000 tickers, are 10 MB. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;
/** For one response to scheduled work with its retry, in milliseconds. */
export const SCHEDULED_TIME_MS = 30_000;

const clientsOf = oncePer<Environment, Map<Purpose, ProviderClient<CoinProviderOffer>>>(() => new Map());

/** The container's client of the provider of coins, one for each purse, created at the first request. */
export function clientFor(environment: Environment, purpose: Purpose): ProviderClient<CoinProviderOffer> {
  const clients = clientsOf(environment);
  const client = clients.get(purpose) ?? createClient(coinProvider, environment, { purpose });
  clients.set(purpose, client);
  return client;
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
