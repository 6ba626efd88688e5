import { Entries } from './entries.ts';
import type { LookupIndex, SearchIndex } from './index-file.ts';
import { rowOfId, rowsOfSymbol } from './lookup.ts';
import { FuzzySearch } from './search/search.ts';
import { suggestId } from './suggest.ts';
import type {
  EntryFilter,
  PageFilter,
  Registry,
  RegistryEntry,
  RegistryManifest,
  RegistryPage,
} from './types.ts';

const DEFAULT_LIMIT = 20;

/** The registry's operations over an opened index, of which `readSearch` gives the search's part when that is needed. */
export class IndexedRegistry implements Registry {
  readonly manifest: RegistryManifest;
  readonly size: number;
  readonly activeCount: number;
  readonly rankedCount: number;
  readonly #file: LookupIndex;
  readonly #readSearch: () => SearchIndex;
  readonly #entries: Entries;
  #fuzzy: FuzzySearch | undefined;

  constructor(file: LookupIndex, readSearch: () => SearchIndex, manifest: RegistryManifest) {
    this.#file = file;
    this.#readSearch = readSearch;
    this.#entries = new Entries(file);
    this.manifest = manifest;
    this.size = this.#entries.size;
    this.activeCount = this.#entries.activeCount;
    this.rankedCount = this.#entries.rankedCount;
  }

  getById(id: string): RegistryEntry | null {
    const row = rowOfId(this.#file, this.#entries, id);
    return row < 0 ? null : this.#entries.at(row);
  }

  has(id: string): boolean {
    return rowOfId(this.#file, this.#entries, id) >= 0;
  }

  resolveSymbol(symbol: string): string | null {
    const [first = this.size] = rowsOfSymbol(this.#file, this.#entries, symbol);
    return first < this.rankedCount ? this.#entries.id(first) : null;
  }

  searchBySymbol(symbol: string, filter: EntryFilter = {}): RegistryEntry[] {
    const rows = rowsOfSymbol(this.#file, this.#entries, symbol);
    return rows.filter((row) => this.#entries.passes(row, filter)).map((row) => this.#entries.at(row));
  }

  countBySymbol(symbol: string): number {
    return rowsOfSymbol(this.#file, this.#entries, symbol).length;
  }

  fuzzySearch(query: string, limit = DEFAULT_LIMIT): RegistryEntry[] {
    return this.search(query, limit, {});
  }

  search(query: string, limit: number, filter: EntryFilter): RegistryEntry[] {
    return this.#preparedSearch()
      .find(query, limit, filter)
      .map(({ row }) => this.#entries.at(row));
  }

  getAllActive(): RegistryEntry[] {
    return Array.from({ length: this.activeCount }, (_, row) => this.#entries.at(row));
  }

  page({ symbol, ...filter }: PageFilter, position: number, limit: number): RegistryPage {
    const entries: RegistryEntry[] = [];
    let total = 0;
    let next: number | null = null;
    for (const row of this.#rows(symbol)) {
      if (!this.#entries.passes(row, filter)) continue;
      total++;
      if (row < position) continue;
      if (entries.length < limit) entries.push(this.#entries.at(row));
      else next ??= row;
    }
    return { total, entries, next };
  }

  suggestId(unknownId: string): string | null {
    return suggestId(this.#preparedSearch(), this.#entries, unknownId);
  }

  prepareSearch(): void {
    this.#preparedSearch();
  }

  #preparedSearch(): FuzzySearch {
    this.#fuzzy ??= new FuzzySearch(this.#readSearch(), this.#entries);
    return this.#fuzzy;
  }

  /** Rows in order: all, or those of a symbol. */
  #rows(symbol: string | undefined): Iterable<number> {
    return symbol === undefined ? Array(this.size).keys() : rowsOfSymbol(this.#file, this.#entries, symbol);
  }
}
