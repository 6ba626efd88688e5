import { buildRegistry } from '../../../../registry-layer/build.ts';
import { environment } from '../../../../shared/platform/environment.ts';
import { withMetrics } from '../../../../shared/platform/job-metrics.ts';
import { SCHEDULED_TIME_MS, scheduledClientFor } from '../../../../shared/providers/index.ts';
import { registryStore } from '../../../../shared/registry/store.ts';
import { refreshRegistry } from './refresh.ts';

/** Publishes the coin registry in S3. Throws if that fails or the list is not plausible: it is tried again. */
export const handler = withMetrics(async (): Promise<{ version: string; entries: number }> => {
  const settings = environment();
  const bucket = settings.REGISTRY_BUCKET;
  if (!bucket) throw new Error('Environment variable REGISTRY_BUCKET is not set');
  const client = scheduledClientFor(settings, 'coins');
  const { data: entries } = await client.fetch(client.provider.coins(), Date.now() + SCHEDULED_TIME_MS);
  const { version } = await refreshRegistry(
    buildRegistry(entries, { source: 'live' }),
    registryStore(bucket),
  );
  return { version, entries: entries.length };
});
