/** One coin or token, spelled as the provider spells it, without characters that no name has. */
export interface RegistryEntry {
  readonly id: string;
  readonly name: string;
  readonly symbol: string;
  /** Market cap rank from 1; 0 if the provider gives none. */
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

export interface RegistryPage {
  /** Number of entries that the filter lets through, over all pages. */
  readonly total: number;
  readonly entries: readonly RegistryEntry[];
  /** Position for the next page, `null` after the last one. */
  readonly next: number | null;
}
