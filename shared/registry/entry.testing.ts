import type { RegistryEntry } from './entries.ts';

/** Bitcoin's entry, with changes. */
export function entry(changes: Partial<RegistryEntry> = {}): RegistryEntry {
  return {
    id: 'btc-bitcoin',
    name: 'Bitcoin',
    symbol: 'BTC',
    rank: 1,
    is_new: false,
    is_active: true,
    type: 'coin',
    ...changes,
  };
}
