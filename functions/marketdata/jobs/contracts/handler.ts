import type { ProviderClient } from '../../../../shared/marketdata/provider-client.ts';
import { environment } from '../../../../shared/platform/environment.ts';
import { count } from '../../../../shared/platform/metrics.ts';
import { scheduled } from '../../../../shared/platform/scheduled.ts';
import { contractsClientFor } from '../../../../shared/providers/sources.ts';
import { bucketIn } from '../bucket-in.ts';
import { contractStore } from '../contract-list.ts';
import { type Listed, listContracts } from './contracts.ts';

/** This container's, which remembers when the provider wants to be asked again. */
let client: ProviderClient<'platforms' | 'contracts'> | undefined;

/** Stores the contracts of all coins; does nothing if nobody is asked for tokens. Throws if that fails. */
export const handler = scheduled(async (): Promise<Listed | undefined> => {
  const settings = environment();
  const bucket = bucketIn(settings, 'SOURCES_BUCKET');
  if (settings.TOKEN_SOURCES === '') return undefined;
  client ??= contractsClientFor(settings);
  const listed = await listContracts(client, contractStore(bucket));
  if (listed.refused.length > 0) count('SourceRefused', listed.refused.length);
  return listed;
});
