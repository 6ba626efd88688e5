import { Entries } from './entries.ts';
import type { LookupIndex } from './index-file.ts';
import { rowOfId, rowsOfSymbol } from './lookup.ts';
import type { RegistryParts } from './open.ts';
import type {
  EntryFilter,
  PageFilter,
  RegistryEntry,
  RegistryLookups,
  RegistryManifest,
  RegistryPage,
} from './types.ts';

/** The registry without its search, which only few functions need. */
export class IndexedLookups implements RegistryLookups {
  readonly parts: RegistryParts;
  readonly size: number;
  readonly activeCount: number;
  readonly rankedCount: number;
  protected readonly entries: Entries;
  readonly #file: LookupIndex;

  constructor(parts: RegistryParts) {
    this.parts = parts;
    this.#file = parts.lookup;
    this.entries = new Entries(this.#file);
    this.size = this.entries.size;
    this.activeCount = this.entries.activeCount;
    this.rankedCount = this.entries.rankedCount;
  }

  get manifest(): RegistryManifest {
    return this.parts.manifest;
  }

  getById(id: string): RegistryEntry | null {
    const row = rowOfId(this.#file, this.entries, id);
    return row < 0 ? null : this.entries.at(row);
  }

  has(id: string): boolean {
    return rowOfId(this.#file, this.entries, id) >= 0;
  }

  resolveSymbol(symbol: string): string | null {
    const [first = this.size] = rowsOfSymbol(this.#file, this.entries, symbol);
    return first < this.rankedCount ? this.entries.id(first) : null;
  }

  searchBySymbol(symbol: string, filter: EntryFilter = {}): RegistryEntry[] {
    const rows = rowsOfSymbol(this.#file, this.entries, symbol);
    return rows.filter((row) => this.entries.passes(row, filter)).map((row) => this.entries.at(row));
  }

  countBySymbol(symbol: string): number {
    return rowsOfSymbol(this.#file, this.entries, symbol).length;
  }

  getAllActive(): RegistryEntry[] {
    return Array.from({ length: this.activeCount }, (_, row) => this.entries.at(row));
  }

  page({ symbol, ...filter }: PageFilter, position: number, limit: number): RegistryPage {
    const entries: RegistryEntry[] = [];
    let total = 0;
    let next: number | null = null;
    for (const row of this.#rows(symbol)) {
      if (!this.entries.passes(row, filter)) continue;
      total++;
      if (row < position) continue;
      if (entries.length < limit) entries.push(this.entries.at(row));
      else next ??= row;
    }
    return { total, entries, next };
  }

  /** Rows in order: all, or those of a symbol. */
  #rows(symbol: string | undefined): Iterable<number> {
    return symbol === undefined ? Array(this.size).keys() : rowsOfSymbol(this.#file, this.entries, symbol);
  }
}
