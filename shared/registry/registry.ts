import type { EntryFilter, RegistryEntry } from './entries.ts';
import { openIndex, openIndexBytes } from './index-file.ts';
import { RegistryLookups } from './lookups.ts';
import type { RegistryManifest } from './manifest.ts';
import { cost, MOST_FOR_RANK } from './search/costs.ts';
import { FuzzySearch } from './search/search.ts';

const DEFAULT_LIMIT = 20;
/** A whole symbol or name with one error, however low its rank; whatever costs more is a guess. */
const MOST_FOR_SUGGESTION = cost.errors[1] + MOST_FOR_RANK;

/** All of the registry's operations. The search's part of the index is read at its first use. */
export class Registry extends RegistryLookups {
  #search: FuzzySearch | undefined;

  /** Entries by symbol, name or id, best first, in spite of typing errors. Throws RangeError for an empty query. */
  fuzzySearch(query: string, limit = DEFAULT_LIMIT): RegistryEntry[] {
    return this.search(query, limit, {});
  }

  search(query: string, limit: number, filter: EntryFilter): RegistryEntry[] {
    const found = this.prepareSearch().find(query, limit, filter);
    return found.map(({ row }) => this.at(row));
  }

  /** The active id that a caller most likely meant by an unknown one (a symbol, a name, a mistyped id), or `null`. */
  suggestId(unknownId: string): string | null {
    if (unknownId === '') return null;
    const [best] = this.prepareSearch().find(unknownId, 1, { activeOnly: true });
    return best && best.total <= MOST_FOR_SUGGESTION ? this.id(best.row) : null;
  }

  /** Reads the search's part unless that is done. Throws RegistryError if it cannot; lookups are not affected. */
  prepareSearch(): FuzzySearch {
    this.#search ??= new FuzzySearch(this.index.readSearch(), this);
    return this.#search;
  }
}

/** Opens the registry that a build wrote into `folder`. Throws RegistryError naming file and reason. */
export function openRegistry(folder: string): Registry {
  return new Registry(openIndex(folder));
}

export function openRegistryBytes(bytes: Uint8Array, manifest: RegistryManifest): Registry {
  return new Registry(openIndexBytes(bytes, manifest));
}

const searchables = new WeakMap<RegistryLookups, Registry>();

/** The registry that was opened for lookups, with its search: the same object each time. */
export function searchable(lookups: RegistryLookups): Registry {
  const known = searchables.get(lookups);
  if (known) return known;
  const registry = new Registry(lookups.index);
  searchables.set(lookups, registry);
  return registry;
}
