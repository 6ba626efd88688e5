import type { ProviderClient } from '../../../../shared/marketdata/provider-client.ts';
import { SNAPSHOT_PREFIX } from '../../../../shared/marketdata/store/current-snapshot.ts';
import { environment } from '../../../../shared/platform/environment.ts';
import { objectsOf } from '../../../../shared/platform/objects.ts';

import { scheduled } from '../../../../shared/platform/scheduled.ts';
import { RATES_TIME_MS, ratesClientFor } from '../../../../shared/providers/sources.ts';
import { bucketIn } from '../bucket-in.ts';
import { type PublishedRates, publishRates } from './publish-rates.ts';

/** This container's, which remembers until when the source wants no requests. */
let client: ProviderClient<'rates'> | undefined;

/** Publishes the rates of the last day that has any. Throws if they cannot be had, or cannot be true, so that it is tried again. */
export const handler = scheduled(async (): Promise<PublishedRates> => {
  const settings = environment();
  const bucket = objectsOf(bucketIn(settings, 'SNAPSHOT_BUCKET'), SNAPSHOT_PREFIX);
  client ??= ratesClientFor(settings);
  return publishRates(await client.fetch(client.provider.rates(), Date.now() + RATES_TIME_MS), bucket);
});
