import { IndexedLookups } from './lookups.ts';
import { FuzzySearch } from './search/search.ts';
import { suggestId } from './suggest.ts';
import type { EntryFilter, Registry, RegistryEntry } from './types.ts';

const DEFAULT_LIMIT = 20;

/** All of the registry's operations over an opened index, of which the search's part is read when it is needed. */
export class IndexedRegistry extends IndexedLookups implements Registry {
  #search: FuzzySearch | undefined;

  fuzzySearch(query: string, limit = DEFAULT_LIMIT): RegistryEntry[] {
    return this.search(query, limit, {});
  }

  search(query: string, limit: number, filter: EntryFilter): RegistryEntry[] {
    return this.#prepared()
      .find(query, limit, filter)
      .map(({ row }) => this.entries.at(row));
  }

  suggestId(unknownId: string): string | null {
    return suggestId(this.#prepared(), this.entries, unknownId);
  }

  prepareSearch(): void {
    this.#prepared();
  }

  #prepared(): FuzzySearch {
    this.#search ??= new FuzzySearch(this.parts.readSearch(), this.entries);
    return this.#search;
  }
}

const searchables = new WeakMap<IndexedLookups, IndexedRegistry>();

/** The registry that was opened for lookups, with its search: the same object each time. */
export function searchable(lookups: IndexedLookups): IndexedRegistry {
  let registry = searchables.get(lookups);
  if (!registry) {
    registry = new IndexedRegistry(lookups.parts);
    searchables.set(lookups, registry);
  }
  return registry;
}
