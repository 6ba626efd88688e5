import { ApiError } from '../http/errors.ts';
import { variables } from '../platform/environment.ts';
import { count, recordValue } from '../platform/metrics.ts';
import { RegistryError } from './error.ts';
import { IndexedLookups } from './lookups.ts';
import { openParts } from './open.ts';

/** Opened while the function is loaded, before its first request. */
let current = tryOpen(
  () => new IndexedLookups(openParts(process.env.REGISTRY_PATH || variables.REGISTRY_PATH.default)),
);

/** Undefined where a file of the registry is missing or damaged. */
export function tryOpen<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    return undefined;
  }
}

/** This container's registry; undefined where there is none that can be opened, which is counted. */
export function registryIfOpen(now = Date.now()): IndexedLookups | undefined {
  if (current) recordValue('RegistryAge', Math.round((now - Date.parse(current.manifest.builtAt)) / 1000));
  else count('RegistryUnavailable');
  return current;
}

/** Takes another registry into use, whole, for every request from now on, or none. */
export function replaceRegistry(other: IndexedLookups | undefined): void {
  current = other;
}

/** What is in use, without counting that there is none. */
export function currentRegistry(): IndexedLookups | undefined {
  return current;
}

/** Throws 404 for an id that the registry does not hold. Without a registry every id passes. */
export async function assertKnownCoin(id: string): Promise<void> {
  const registry = registryIfOpen();
  if (registry && !registry.has(id)) throw await unknownId(registry, id);
}

/** The 404 for an id, with a hint where one is plausible. Loads the search for it. */
export async function unknownId(registry: IndexedLookups, id: string): Promise<ApiError> {
  const { searchable } = await import('./registry.ts');
  const suggestion = tryOpen(() => searchable(registry).suggestId(id));
  if (suggestion === undefined) count('RegistryUnavailable');
  return ApiError.unknownCoin(suggestion ? `${id}. Did you mean ${suggestion}?` : id);
}
