import { publicFor } from '../http/cache-control.ts';
import { ApiError } from '../http/errors.ts';
import { variables } from '../platform/environment.ts';
import { count, recordAge } from '../platform/metrics.ts';
import type { RegistryEntry } from './entries.ts';
import { openIndex } from './index-file.ts';
import { RegistryLookups } from './lookups.ts';
import { RegistryError } from './manifest.ts';
import { publishedRegistry, RegistryRefresh } from './refresh.ts';

interface Environment {
  readonly REGISTRY_BUCKET?: string;
}

const CACHED_SECONDS = 3600;

/** The layer's, opened while the function loads, before its first request. */
let layer = tryOpen(
  () => new RegistryLookups(openIndex(process.env.REGISTRY_PATH || variables.REGISTRY_PATH.default)),
);
let refresh: RegistryRefresh | undefined;

/** Whether the coin is active; undefined without a registry. Throws 404 for an id that the registry does not have. */
export async function isActiveCoin(id: string, environment: Environment): Promise<boolean | undefined> {
  await refreshRegistry(environment, id);
  const registry = openedRegistry();
  if (!registry) return undefined;
  const isActive = registry.isActive(id);
  if (isActive === undefined) throw await unknownId(registry, id);
  return isActive;
}

/** The entry of an id; undefined also without a registry. */
export function entryOf(id: string): RegistryEntry | undefined {
  return currentRegistry()?.getById(id) ?? undefined;
}

/**
 * Replaces an old registry if that takes only a moment; see RegistryRefresh. It waits longer if there is none, and for an id that
 * the old one does not contain, because the coin may be new.
 */
export async function refreshRegistry({ REGISTRY_BUCKET: bucket }: Environment, id?: string): Promise<void> {
  const registry = currentRegistry();
  const isNeeded = !registry || (id !== undefined && registry.isActive(id) === undefined);
  await refreshFrom(bucket)?.refresh({ isNeeded });
}

/** The registry for a request, about `id` if given. Sets the response's headers. Throws 503 without a registry. */
export async function answeringRegistry(
  headers: Record<string, string>,
  environment: Environment,
  id?: string,
): Promise<RegistryLookups> {
  await refreshRegistry(environment, id);
  const registry = openedRegistry();
  if (!registry)
    throw new ApiError(503, 'The coin registry is not available; try again later', {
      headers: { 'retry-after': '10' },
    });
  headers['x-registry-version'] = registry.manifest.version;
  headers['x-data-source'] = registry.manifest.provider;
  headers['x-data-time'] = registry.manifest.builtAt;
  headers['cache-control'] = publicFor(CACHED_SECONDS);
  return registry;
}

/** The 404 for an unknown id, with the id that was probably meant, if any. Loads the search. */
export async function unknownId(registry: RegistryLookups, id: string): Promise<ApiError> {
  const { searchable } = await import('./registry.ts');
  const suggestion = tryOpen(() => searchable(registry).suggestId(id));
  if (suggestion === undefined) count('RegistryUnavailable');
  return ApiError.unknownCoin(suggestion ? `${id}. Did you mean ${suggestion}?` : id);
}

/** Loads the parts of the registry that a function needs ahead of requests. If that fails, the function runs without them. */
export function prepareRegistry(prepare: (registry: RegistryLookups) => void): void {
  const registry = layer;
  if (!registry) return;
  layer = tryOpen(() => {
    prepare(registry);
    return registry;
  });
}

/** The registry, if there is one. Records its age with the request. */
export function openedRegistry(): RegistryLookups | undefined {
  const registry = currentRegistry();
  if (registry) recordAge('RegistryAge', registry.builtAt);
  else count('RegistryUnavailable');
  return registry;
}

/** The registry, if there is one; neither refreshed nor recorded. */
export function currentRegistry(): RegistryLookups | undefined {
  return refresh ? refresh.registry : layer;
}

function refreshFrom(bucket: string | undefined): RegistryRefresh | undefined {
  if (bucket) {
    refresh ??= new RegistryRefresh({ source: publishedRegistry(bucket), initial: layer, outcome: count });
  }
  return refresh;
}

/** Undefined if a file of the registry is missing or damaged. */
function tryOpen<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    return undefined;
  }
}
