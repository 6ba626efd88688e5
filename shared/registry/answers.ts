import { ApiError } from '../http/errors.ts';
import { count } from '../platform/metrics.ts';
import { currentRegistry, registryIfOpen, replaceRegistry } from './container.ts';
import { IndexedLookups } from './lookups.ts';
import { openPartsOf } from './open.ts';
import { RegistryRefresh } from './refresh.ts';
import { registryStore } from './store.ts';

const CACHE_CONTROL = 'public, max-age=3600';

let refresh: RegistryRefresh<IndexedLookups> | undefined;

function refreshFrom(bucket: string | undefined): RegistryRefresh<IndexedLookups> | undefined {
  if (bucket) {
    refresh ??= new RegistryRefresh({
      source: registryStore(bucket),
      current: currentRegistry,
      replace: replaceRegistry,
      open: (bytes, manifest) => new IndexedLookups(openPartsOf(bytes, manifest)),
      outcome: count,
    });
  }
  return refresh;
}

/** Starts a refresh of an old registry, beside an upstream call that the request makes anyway. */
export function refreshInBackground({
  REGISTRY_BUCKET: bucket,
}: {
  readonly REGISTRY_BUCKET?: string;
}): void {
  refreshFrom(bucket)?.begin();
}

/** The registry that answers a request, told of in the headers. Throws 503 where none can be opened. */
export async function answeringRegistry(
  headers: Record<string, string>,
  { REGISTRY_BUCKET: bucket }: { readonly REGISTRY_BUCKET?: string },
): Promise<IndexedLookups> {
  await refreshFrom(bucket)?.briefly();
  const registry = registryIfOpen();
  if (!registry) throw new ApiError(503, 'The coin registry is not available; try again later');
  headers['x-registry-version'] = registry.manifest.version;
  headers['x-data-source'] = registry.manifest.source === 'simulated' ? 'simulated' : 'coinpaprika';
  headers['cache-control'] = CACHE_CONTROL;
  return registry;
}
