/** One coin or token, spelled as the provider spells it. */
export interface RegistryEntry {
  readonly id: string;
  readonly name: string;
  readonly symbol: string;
  /** Market cap rank from 1; 0 where the provider gives none. */
  readonly rank: number;
  readonly is_new: boolean;
  readonly is_active: boolean;
  readonly type: 'coin' | 'token';
}

/** Narrows a list; a field that is left out (or `false`) narrows nothing. */
export interface EntryFilter {
  readonly activeOnly?: boolean | undefined;
  /** Only entries with rank > 0. */
  readonly ranked?: boolean | undefined;
  readonly type?: 'coin' | 'token' | undefined;
}

/** With a symbol only the entries that carry it (trimmed, any case). */
export interface PageFilter extends EntryFilter {
  readonly symbol?: string | undefined;
}

/** What stands beside the index file, in `manifest.json`. */
export interface RegistryManifest {
  /** Name of the index file in the same folder. */
  readonly index: string;
  readonly formatVersion: number;
  /** Leading 12 hex digits of the SHA-256 of the index: equal content, equal version. */
  readonly version: string;
  /** Size and checksum of the index's first part, for everything but the fuzzy search. */
  readonly lookupBytes: number;
  readonly lookupChecksum: string;
  /** Size and checksum of the second part, for the fuzzy search. */
  readonly searchBytes: number;
  readonly searchChecksum: string;
  /** `live`, `simulated`, or the base name of the list file. */
  readonly source: string;
  /** ISO 8601, when the index was built. */
  readonly builtAt: string;
  readonly entries: number;
  readonly active: number;
  /** Active entries with rank > 0. */
  readonly ranked: number;
}

export interface RegistryPage {
  /** How many entries the filter lets through, over all pages. */
  readonly total: number;
  readonly entries: readonly RegistryEntry[];
  /** Position for the next page, `null` after the last one. */
  readonly next: number | null;
}

/**
 * The opened registry without its search. Every operation is synchronous, and every list is in the registry's total order: active
 * ranked entries by rank, coins before tokens at equal rank, then active unranked ones, then inactive ones, ids
 * last, so that no two entries tie.
 */
export interface RegistryLookups {
  readonly manifest: RegistryManifest;
  readonly size: number;
  readonly activeCount: number;
  /** Active entries with rank > 0. */
  readonly rankedCount: number;
  getById(id: string): RegistryEntry | null;
  /** Whether `getById` would find the id, without decoding the entry. */
  has(id: string): boolean;
  /** The id of the active, ranked entry that a symbol means (trimmed, any case), else `null`. */
  resolveSymbol(symbol: string): string | null;
  searchBySymbol(symbol: string, filter?: EntryFilter): RegistryEntry[];
  /** How many entries, of any state, carry the symbol. */
  countBySymbol(symbol: string): number;
  getAllActive(): RegistryEntry[];
  /**
   * At most `limit` entries from `position` on: 0 for the first page, else the `next` of the page before. Positions
   * hold within one version of the index.
   */
  page(filter: PageFilter, position: number, limit: number): RegistryPage;
}

/** The opened registry. */
export interface Registry extends RegistryLookups {
  /**
   * Entries by symbol, name or id, best first, with typing errors tolerated. Looks at the first 100 characters;
   * throws RegistryError for the empty string.
   */
  fuzzySearch(query: string, limit?: number): RegistryEntry[];
  /** As `fuzzySearch`, over the entries that the filter lets through. */
  search(query: string, limit: number, filter: EntryFilter): RegistryEntry[];
  /**
   * Reads the part for the fuzzy search, which its first use reads otherwise. Throws RegistryError where that part is
   * damaged; lookups are not affected.
   */
  prepareSearch(): void;
  /** The id that a caller who sent an unknown id most likely meant, `null` where none is plausible. */
  suggestId(unknownId: string): string | null;
}
