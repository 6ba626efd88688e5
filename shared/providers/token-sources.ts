/** Who prices tokens, and who tells which coin they are. For jobs: no route loads this. */
import { gatedContracts, gatedTokens } from '../marketdata/gate/gated.ts';
import type { Offering } from '../marketdata/provider.ts';
import type { ProviderClient } from '../marketdata/provider-client.ts';
import type { Environment } from '../platform/environment.ts';
import { createClient } from './client/client.ts';
import { coinpaprikaContracts } from './coinpaprika/contracts.ts';
import { defillama } from './defillama/index.ts';
import { sourceClientFor } from './exchanges.ts';
import { SCHEDULED_TIME_MS } from './index.ts';

export type TokenOffers = 'tokenPrices' | 'tokenHistory';

export const tokenSources: readonly Offering<TokenOffers>[] = [defillama];

/** Every environment variable that a source of token prices reads. */
export const tokenSourceSettings = tokenSources.map(({ settings: { baseUrl } }) => baseUrl);

/** All contracts of a chain are some 3 MB. */
const CONTRACTS_BODY_BYTES = 32 * 1024 * 1024;

/** The clients of those that TOKEN_SOURCES names, in its order. */
export function tokenClientsFor(environment: Environment): ProviderClient<TokenOffers>[] {
  return environment.TOKEN_SOURCES.split(',').flatMap((name) => {
    const source = tokenSources.find((one) => one.name === name);
    return source ? [sourceClientFor<TokenOffers>(environment, gatedTokens(source))] : [];
  });
}

/** Who is asked for contracts, once a week, from what is kept for scheduled work. */
export function contractsClientFor(environment: Environment): ProviderClient<'platforms' | 'contracts'> {
  return createClient(gatedContracts(coinpaprikaContracts), environment, {
    maxBodyBytes: CONTRACTS_BODY_BYTES,
    timeoutMs: SCHEDULED_TIME_MS,
    purpose: 'scheduled',
  });
}
