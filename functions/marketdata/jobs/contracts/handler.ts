import type { ProviderClient } from '../../../../shared/marketdata/provider.ts';
import { SOURCES_PREFIX } from '../../../../shared/marketdata/sources/source-map.ts';
import { environment } from '../../../../shared/platform/environment.ts';
import { count } from '../../../../shared/platform/metrics.ts';
import { objectsOf } from '../../../../shared/platform/objects.ts';
import { scheduled } from '../../../../shared/platform/scheduled.ts';
import { contractsClientFor } from '../../../../shared/providers/sources.ts';
import { bucketIn } from '../bucket-in.ts';
import { type ContractSummary, listContracts } from './contracts.ts';

/** The container's client, which remembers the provider's `Retry-After`. */
let client: ProviderClient<'platforms' | 'contracts'> | undefined;

/** Stores the contracts of all coins; does nothing without a source of token prices. Throws if that fails. */
export const handler = scheduled(async (): Promise<ContractSummary | undefined> => {
  const settings = environment();
  const bucket = objectsOf(bucketIn(settings, 'SOURCES_BUCKET'), SOURCES_PREFIX);
  if (settings.TOKEN_SOURCES === '') return undefined;
  client ??= contractsClientFor(settings);
  const listed = await listContracts(client, bucket);
  if (listed.refused.length > 0) count('SourceRefused', listed.refused.length);
  return listed;
});
