import { buildRegistry } from '../../registry-layer/build.ts';
import type { RegistryEntry } from '../../shared/registry/entries.ts';
import { openRegistryBytes, type Registry } from '../../shared/registry/registry.ts';

const built = new WeakMap<readonly RegistryEntry[], Registry>();

/** The registry of a list, built once for all files of a worker. */
export function registryOf(entries: readonly RegistryEntry[]): Registry {
  const known = built.get(entries);
  if (known) return known;
  const { bytes, manifest } = buildRegistry(entries, { source: 'test' });
  const registry = openRegistryBytes(bytes, manifest);
  built.set(entries, registry);
  return registry;
}
