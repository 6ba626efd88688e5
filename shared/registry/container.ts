import { variables } from '../environment.ts';
import { ApiError } from '../errors.ts';
import { count } from '../metrics.ts';
import { openRegistry, type Registry, RegistryError } from './index.ts';

/** Opened while the function is loaded, before its first request. */
let current = unlessUnreadable(() =>
  openRegistry(process.env.REGISTRY_PATH || variables.REGISTRY_PATH.default),
);

/** For a function that searches: opens the search's part before the first request, too. */
export function openSearch(): void {
  current = unlessUnreadable(() => {
    current?.prepareSearch();
    return current;
  });
}

function unlessUnreadable<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    return undefined;
  }
}

/** This container's registry; undefined where there is none that can be opened, which is counted. */
export function registryIfOpen(): Registry | undefined {
  if (!current) count('RegistryUnavailable');
  return current;
}

/** Takes a newer registry into use, whole, for every request from now on. */
export function replaceRegistry(newer: Registry): void {
  current = newer;
}

/** What is in use, without counting that there is none. */
export function currentRegistry(): Registry | undefined {
  return current;
}

/** Throws 404 for an id that the registry does not hold. Without a registry every id passes. */
export function refuseUnknownId(id: string): void {
  const registry = registryIfOpen();
  if (registry && !registry.has(id)) throw unknownId(registry, id);
}

/** The 404 for an id, with a hint where one is plausible. */
export function unknownId(registry: Registry, id: string): ApiError {
  const suggestion = unlessUnreadable(() => registry.suggestId(id));
  if (suggestion === undefined) count('RegistryUnavailable');
  return ApiError.unknownCoin(suggestion ? `${id}. Did you mean ${suggestion}?` : id);
}
