import { Entries } from './entries.ts';
import type { IndexFile } from './index-file.ts';
import { rowOfId, rowsOfSymbol } from './lookup.ts';
import { FuzzySearch } from './search/search.ts';
import { suggestId } from './suggest.ts';
import type { EntryFilter, Registry, RegistryEntry, RegistryManifest, RegistryPage } from './types.ts';

const DEFAULT_LIMIT = 20;

/** The registry's operations over one opened index. */
export class IndexedRegistry implements Registry {
  readonly manifest: RegistryManifest;
  readonly size: number;
  readonly activeCount: number;
  readonly rankedCount: number;
  readonly #file: IndexFile;
  readonly #entries: Entries;
  #fuzzy: FuzzySearch | undefined;

  constructor(file: IndexFile, manifest: RegistryManifest) {
    this.#file = file;
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
    return this.#search.find(query, limit, filter).map(({ row }) => this.#entries.at(row));
  }

  getAllActive(): RegistryEntry[] {
    return Array.from({ length: this.activeCount }, (_, row) => this.#entries.at(row));
  }

  page(
    filter: EntryFilter & { readonly symbol?: string | undefined },
    position: number,
    limit: number,
  ): RegistryPage {
    const rows = this.#rows(filter);
    const rest = rows.filter((row) => row >= position);
    const next = rest[limit];
    return {
      total: rows.length,
      entries: rest.slice(0, limit).map((row) => this.#entries.at(row)),
      next: next ?? null,
    };
  }

  suggestId(unknownId: string): string | null {
    return suggestId(this.#search, this.#entries, unknownId);
  }

  /** Made when it is first needed: most functions only look ids up. */
  get #search(): FuzzySearch {
    this.#fuzzy ??= new FuzzySearch(this.#file, this.#entries);
    return this.#fuzzy;
  }

  #rows({ symbol, ...filter }: EntryFilter & { readonly symbol?: string | undefined }): number[] {
    const rows =
      symbol === undefined
        ? Array.from({ length: filter.activeOnly ? this.activeCount : this.size }, (_, row) => row)
        : rowsOfSymbol(this.#file, this.#entries, symbol);
    return rows.filter((row) => this.#entries.passes(row, filter));
  }
}
