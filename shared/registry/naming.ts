/** Determines which coin people mean by a symbol, an id or a name. */
import type { RegistryEntry } from './entries.ts';
import { coinOfSymbol } from './lookups.ts';
import type { Registry } from './registry.ts';
import { coinOfFormerSymbol, type RelatedCoin } from './successors.ts';

export interface NamedCoin {
  readonly entry: RegistryEntry;
  readonly foundBy: 'symbol' | 'id' | 'formerSymbol' | 'name';
  /** For a former symbol that another coin had: that coin. */
  readonly predecessor?: RelatedCoin | undefined;
  /** Other active coins that have the text as their symbol. */
  readonly alternatives: number;
  /** True if one of those is nearly as well known, or if the coin was preferred to them for its name. */
  readonly isAmbiguous: boolean;
}

/** A symbol stands for a coin up to this rank, whatever other coins have that symbol or name. */
const WELL_KNOWN = 100;
/** A coin with this many times the rank of another is far less known. */
const FAR = 5;
/** The number of matches in which to look for a far better known coin whose name begins with the text. */
const ENOUGH_MATCHES = 30;

/**
 * The coin that a text stands for, else null. A symbol goes before an id and an id before a name, except where the text
 * has a hyphen, as nearly every id has and nearly no symbol, and where a far better known coin has it as its name:
 * `Bitcoin` is not the coin whose symbol is BITCOIN. A symbol that no active, ranked coin has stands for the one that had it before,
 * or that replaced the coin with it. Inactive and unranked coins are found by their ids only.
 */
export function coinNamed(text: string, registry: Registry): NamedCoin | null {
  const id = registry.getById(text);
  if (id && text.includes('-')) return sure(id, 'id');
  const coin = coinOfSymbol(text, registry);
  if (coin) return likeliest(text, coin, registry);
  if (id) return sure(id, 'id');
  const former = coinOfFormerSymbol(text, registry);
  if (former) return { ...sure(former.entry, 'formerSymbol'), predecessor: former.predecessor };
  const named = entryNamed(text, registry);
  return named ? sure(named, 'name') : null;
}

function sure(entry: RegistryEntry, foundBy: NamedCoin['foundBy']): NamedCoin {
  return { entry, foundBy, alternatives: 0, isAmbiguous: false };
}

function likeliest(text: string, coin: RegistryEntry, registry: Registry): NamedCoin {
  const [, next, ...others] = registry.searchBySymbol(text, { activeOnly: true });
  const alternatives = next ? 1 + others.length : 0;
  if (coin.rank > WELL_KNOWN) {
    const named = entryNamed(text, registry);
    if (named && isFarBetter(named, coin))
      return { entry: named, foundBy: 'name', alternatives: alternatives + 1, isAmbiguous: true };
  }
  const isAmbiguous = coin.rank > WELL_KNOWN && next !== undefined && !isFarBetter(coin, next);
  return { entry: coin, foundBy: 'symbol', alternatives, isAmbiguous };
}

/** The best known active, ranked coin of a name, whose words may be joined by hyphens: `ethereum-classic`. */
function entryNamed(name: string, registry: Registry): RegistryEntry | undefined {
  const matches = registry.search(name, ENOUGH_MATCHES, { activeOnly: true, ranked: true });
  return matches
    .filter((entry) => folded(entry.name) === folded(name))
    .sort((one, other) => one.rank - other.rank)[0];
}

function folded(text: string): string {
  return text
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ')
    .trim();
}

function isFarBetter(coin: RegistryEntry, other: RegistryEntry): boolean {
  return other.rank === 0 || (coin.rank * FAR <= other.rank && coin.rank < other.rank);
}
