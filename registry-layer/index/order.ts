import type { RegistryEntry } from '../../shared/registry/types.ts';

const group = ({ is_active, rank }: RegistryEntry): number => (is_active ? (rank > 0 ? 0 : 1) : 2);
const rankOrLast = ({ rank }: RegistryEntry): number => (rank > 0 ? rank : 2 ** 32);

/**
 * The registry's total order: active ranked, active unranked, inactive entries; by rank (those without last); coins
 * before tokens; by id in UTF-16 units, which is the same on every machine.
 */
export function compareEntries(a: RegistryEntry, b: RegistryEntry): number {
  return (
    group(a) - group(b) ||
    rankOrLast(a) - rankOrLast(b) ||
    Number(a.type === 'token') - Number(b.type === 'token') ||
    (a.id < b.id ? -1 : 1)
  );
}
