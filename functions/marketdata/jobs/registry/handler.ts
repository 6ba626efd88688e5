import { buildRegistry } from '../../../../registry-layer/build.ts';
import { SOURCES_PREFIX } from '../../../../shared/marketdata/sources/source-map.ts';
import { type Environment, environment } from '../../../../shared/platform/environment.ts';
import { count } from '../../../../shared/platform/metrics.ts';
import { objectsOf } from '../../../../shared/platform/objects.ts';
import { reportFault, scheduled } from '../../../../shared/platform/scheduled.ts';
import { coinProvider, SCHEDULED_TIME_MS, scheduledClient } from '../../../../shared/providers/index.ts';
import { exchangesOf, listingsClientFor } from '../../../../shared/providers/sources.ts';
import { bucketIn } from '../bucket-in.ts';
import { findIds } from './coin-ids.ts';
import { storeListings } from './listings.ts';
import { ImplausibleRegistry, publishRegistry, registryStore } from './publish.ts';
import { reconcile } from './reconcile.ts';

/**
 * Reconciles the budget and publishes the coin registry in S3, with its coins' ids of the source of ids, and then the lists of
 * exchanges' markets. Throws if publishing the registry fails or the list is not plausible, so that the run is repeated.
 */
export const handler = scheduled(async () => {
  try {
    const refreshed = await refresh(environment());
    count(refreshed.published ? 'RegistryPublished' : 'RegistryOutdated');
    return refreshed;
  } catch (error) {
    count(error instanceof ImplausibleRegistry ? 'RegistryImplausible' : 'RegistryNotPublished');
    throw error;
  }
});

async function refresh(settings: Environment) {
  const client = scheduledClient(settings, coinProvider);
  const plan = await reconcile(client, settings);
  const { data: entries, source: name } = await client.fetch(
    client.provider.coins(reportFault),
    Date.now() + SCHEDULED_TIME_MS,
  );
  // Simulated lists say so.
  const source = name === 'simulated' ? name : 'live';
  const store = registryStore(bucketIn(settings, 'REGISTRY_BUCKET'));
  const { pairs, kept } = await findIds(entries, settings, store);
  const built = buildRegistry(entries, { source, pairs });
  const published = await publishRegistry(built, store);
  const ids = pairs?.size ?? 0;
  const exchanges = exchangesOf(settings).map((exchange) => exchange.name);
  const sources = objectsOf(bucketIn(settings, 'SOURCES_BUCKET'), SOURCES_PREFIX);
  const markets = await storeListings(listingsClientFor(settings), exchanges, sources);
  return {
    version: built.manifest.version,
    entries: entries.length,
    published,
    plan,
    ids,
    idsKept: kept,
    markets,
  };
}
