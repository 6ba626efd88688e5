import type { RegistryLookups } from './lookups.ts';
import type { RegistryEntry } from './types.ts';

/** The entry that `resolveSymbol` names; null if it names none. */
export function coinOfSymbol(symbol: string, registry: RegistryLookups): RegistryEntry | null {
  const id = registry.resolveSymbol(symbol);
  return id === null ? null : registry.getById(id);
}
