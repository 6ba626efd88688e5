import type { RegistryLookups } from './lookups.ts';
import type { RelatedCoin } from './successors.ts';

/** The coins after and before a coin as fields of a response. What few coins have is loaded for those alone. */
export async function relatedCoins(id: string, before: RelatedCoin | undefined, registry: RegistryLookups) {
  const successors = [registry.manifest.successors].flat(); // a list, if its builder was right
  if (!before && !successors.some((row) => row?.from === id)) return undefined;
  const { relatedFields } = await import('./successors.ts');
  return relatedFields(id, before, registry);
}
