import { buildRegistry } from '../../registry-layer/build.ts';
import { simulatedEntries } from '../../registry-layer/simulated/list.ts';
import type { RegistryEntry } from '../../shared/registry/entries.ts';

type Entries = readonly RegistryEntry[];

/** A small registry with its age in hours. */
export function builtRegistry(count: number, ageHours: number, seed = 1) {
  const builtAt = new Date(Date.now() - ageHours * 3_600_000);
  return buildRegistry(simulatedEntries(count, seed), { source: 'test', builtAt });
}

const each =
  (change: (entry: RegistryEntry, index: number, entries: Entries) => Partial<RegistryEntry>) =>
  (entries: Entries): RegistryEntry[] =>
    entries.map((entry, index) => ({ ...entry, ...change(entry, index, entries) }));

/** Lists that are well-formed and wrong, made from a good one. Providers have sent the first four. */
export const lies: readonly (readonly [flaw: string, lie: (entries: Entries) => RegistryEntry[]])[] = [
  ['all coins inactive', each(() => ({ is_active: false }))],
  ['rank 0 for all coins', each(() => ({ rank: 0 }))],
  ['empty names', each(() => ({ name: '' }))],
  [
    'symbols shifted by one',
    each((_entry, index, entries) => ({ symbol: entries[(index + 1) % entries.length]?.symbol ?? '' })),
  ],
  ['names of white space', each(() => ({ name: ' \u3000' }))],
  ['empty symbols', each(() => ({ symbol: '' }))],
  ['a name for some coins only', each(({ name }, index) => ({ name: index % 50 === 0 ? '' : name }))],
  ['half of the entries', (entries) => entries.slice(0, entries.length / 2)],
  ['no entries', () => []],
  ['all coins active', each(() => ({ is_active: true }))],
  ['all coins active and ranked', each((_entry, index) => ({ is_active: true, rank: index + 1 }))],
  ['nothing of the best-ranked coins', (entries) => entries.slice(12)],
];

/** The list as it may be a day later: some coins are new, gone or renamed, and some have changed places. */
export function nextDay(entries: Entries): RegistryEntry[] {
  const kept = entries.filter((_entry, index) => index % 97 !== 50);
  const changed = each(({ name, symbol, rank }, index) => ({
    name: index % 80 === 7 ? `${name} (new)` : name,
    symbol: index % 80 === 3 ? `${symbol}2` : symbol,
    rank: rank === 0 ? 0 : rank + (rank % 2 === 0 ? -1 : 1),
  }))(kept);
  const added = Array.from({ length: Math.ceil(entries.length / 100) }, (_, index) => ({
    id: `new-coin-${index}`,
    name: `Coin ${index}`,
    symbol: `NEW${index}`,
    rank: index % 3 === 0 ? entries.length + index : 0,
    is_new: true,
    is_active: index % 3 === 0,
    type: 'token' as const,
  }));
  return [...changed, ...added];
}
