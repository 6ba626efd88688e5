import { buildRegistry } from '../../../../registry-layer/build.ts';
import type { PlanUsage } from '../../../../shared/marketdata/provider.ts';
import { type Environment, environment } from '../../../../shared/platform/environment.ts';
import { count } from '../../../../shared/platform/metrics.ts';
import { scheduled } from '../../../../shared/platform/scheduled.ts';
import { SCHEDULED_TIME_MS, scheduledClientFor } from '../../../../shared/providers/index.ts';
import { bucketIn } from '../bucket-in.ts';
import { ImplausibleRegistry, publishRegistry, registryStore } from './publish.ts';
import { reconcile } from './reconcile.ts';

interface Refreshed {
  readonly version: string;
  readonly entries: number;
  /** False if a registry as new was there already. */
  readonly published: boolean;
  /** The key's plan as the provider counts its requests. */
  readonly plan: PlanUsage | string | undefined;
}

/** Reconciles the budget, and publishes the coin registry in S3. Throws if that fails or the list is not plausible: it is tried again. */
export const handler = scheduled(async (): Promise<Refreshed> => {
  try {
    const refreshed = await refresh(environment());
    count(refreshed.published ? 'RegistryPublished' : 'RegistryOutdated');
    return refreshed;
  } catch (error) {
    count(error instanceof ImplausibleRegistry ? 'RegistryImplausible' : 'RegistryNotPublished');
    throw error;
  }
});

async function refresh(settings: Environment): Promise<Refreshed> {
  const client = scheduledClientFor(settings, 'coins');
  const plan = await reconcile(client, settings);
  const { data: entries } = await client.fetch(client.provider.coins(), Date.now() + SCHEDULED_TIME_MS);
  const built = buildRegistry(entries, { source: 'live' });
  const published = await publishRegistry(built, registryStore(bucketIn(settings, 'REGISTRY_BUCKET')));
  return { version: built.manifest.version, entries: entries.length, published, plan };
}
