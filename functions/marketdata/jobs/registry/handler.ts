import { buildRegistry } from '../../../../registry-layer/build.ts';
import { parseEntries } from '../../../../registry-layer/sources/validate.ts';
import { environment } from '../../../../shared/platform/environment.ts';
import { withMetrics } from '../../../../shared/platform/job-metrics.ts';
import {
  SCHEDULED_TIME_MS,
  scheduledCoinPaprika,
} from '../../../../shared/providers/coinpaprika/scheduled.ts';
import { registryStore } from '../../../../shared/registry/store.ts';
import { refreshRegistry } from './refresh.ts';

/**
 * Publishes today's coin registry in S3. Throws where the provider or S3 fails or the list is not plausible, so that
 * the event is tried again and at last kept in the dead-letter queue; readers keep the registry that they have.
 */
export const handler = withMetrics(async (): Promise<{ version: string; entries: number }> => {
  const settings = environment();
  const bucket = settings.REGISTRY_BUCKET;
  if (!bucket) throw new Error('Environment variable REGISTRY_BUCKET is not set');
  const { value: entries } = await scheduledCoinPaprika(settings).fetchFresh(
    { path: '/coins', read: parseEntries },
    Date.now() + SCHEDULED_TIME_MS,
  );
  const { version } = await refreshRegistry(
    buildRegistry(entries, { source: 'live' }),
    registryStore(bucket),
  );
  return { version, entries: entries.length };
});
