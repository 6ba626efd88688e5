import type { EntryFilter, PageFilter, RegistryEntry, RegistryPage } from './entries.ts';
import { symbolKey } from './fold.ts';
import { FINGERPRINT_BITS, flag, type IndexFile, LAST, type LookupIndex } from './index-file.ts';
import type { RegistryManifest } from './manifest.ts';

/**
 * The registry without its search, which few functions need. Lists are in the registry's order: active ranked entries,
 * active unranked ones, inactive ones; in each by rank, coins before tokens, then by id, so that no two entries tie. A
 * row is a position in this order.
 */
export class RegistryLookups {
  readonly index: IndexFile;
  readonly size: number;
  readonly activeCount: number;
  /** Milliseconds since the epoch. */
  readonly builtAt: number;
  /** Active entries with rank > 0: the first rows. */
  readonly rankedCount: number;
  readonly #file: LookupIndex;

  constructor(index: IndexFile) {
    this.index = index;
    this.#file = index.lookup;
    this.builtAt = Date.parse(index.manifest.builtAt);
    [this.size = 0, this.activeCount = 0, this.rankedCount = 0] = this.#file.counts;
  }

  get manifest(): RegistryManifest {
    return this.index.manifest;
  }

  getById(id: string): RegistryEntry | null {
    const row = this.rowOfId(id);
    return row < 0 ? null : this.at(row);
  }

  /** Undefined if there is no such entry. Does not decode the entry. */
  isActive(id: string): boolean | undefined {
    const row = this.rowOfId(id);
    return row < 0 ? undefined : ((this.#file.flags[row] ?? 0) & flag.active) !== 0;
  }

  /** The id of the active, ranked entry that a symbol (trimmed, in any case) stands for, else `null`. */
  resolveSymbol(symbol: string): string | null {
    const [first = this.size] = this.rowsOfSymbol(symbol);
    return first < this.rankedCount ? this.id(first) : null;
  }

  searchBySymbol(symbol: string, filter: EntryFilter = {}): RegistryEntry[] {
    const rows = this.rowsOfSymbol(symbol);
    return rows.filter((row) => this.passes(row, filter)).map((row) => this.at(row));
  }

  /** A page of at most `limit` entries from `position` on, which is 0 or the `next` of a page of the same index version. */
  page({ symbol, ...filter }: PageFilter, position: number, limit: number): RegistryPage {
    const rows = symbol === undefined ? Array(this.size).keys() : this.rowsOfSymbol(symbol);
    const entries: RegistryEntry[] = [];
    let total = 0;
    let next: number | null = null;
    for (const row of rows) {
      if (!this.passes(row, filter)) continue;
      total++;
      if (row < position) continue;
      if (entries.length < limit) entries.push(this.at(row));
      else next ??= row;
    }
    return { total, entries, next };
  }

  at(row: number): RegistryEntry {
    const { flags, ranks, textLengths } = this.#file;
    const bits = flags[row] ?? 0;
    const idBytes = textLengths[row * 2] ?? 0;
    const nameBytes = textLengths[row * 2 + 1] ?? 0;
    return {
      id: this.#text(row, 0, idBytes),
      name: this.#text(row, idBytes, idBytes + nameBytes),
      symbol: this.#text(row, idBytes + nameBytes),
      rank: ranks[row] ?? 0,
      is_new: (bits & flag.isNew) !== 0,
      is_active: (bits & flag.active) !== 0,
      type: (bits & flag.token) !== 0 ? 'token' : 'coin',
    };
  }

  id(row: number): string {
    return this.#text(row, 0, this.#file.textLengths[row * 2] ?? 0);
  }

  #symbol(row: number): string {
    const { textLengths } = this.#file;
    return this.#text(row, (textLengths[row * 2] ?? 0) + (textLengths[row * 2 + 1] ?? 0));
  }

  /** Part of the text of a row, from one byte up to another or to the end. */
  #text(row: number, from: number, to?: number): string {
    const { textStarts, text } = this.#file;
    const start = textStarts[row] ?? 0;
    return text.toString('utf8', start + from, to === undefined ? textStarts[row + 1] : start + to);
  }

  passes(row: number, { activeOnly, ranked, type }: EntryFilter): boolean {
    if (activeOnly && row >= this.activeCount) return false;
    if (ranked && !this.#file.ranks[row]) return false;
    return !type || (((this.#file.flags[row] ?? 0) & flag.token) !== 0) === (type === 'token');
  }

  /** Row of an id, -1 if there is none. With `anyCase`, ASCII letters match in either case. */
  rowOfId(id: string, anyCase = false): number {
    const lower = anyCase ? id.toLowerCase() : '';
    return find(this.#file.idSlots, hashText(id), (row) =>
      anyCase ? this.id(row).toLowerCase() === lower : this.id(row) === id,
    );
  }

  /** Rows of the entries that have a symbol, in the registry's order. */
  rowsOfSymbol(symbol: string): number[] {
    const key = symbolKey(symbol);
    const { rowsBySymbol, symbolSlots } = this.#file;
    const isMatch = (first: number) => symbolKey(this.#symbol((rowsBySymbol[first] ?? 0) & ~LAST)) === key;
    const first = find(symbolSlots, hashText(key), isMatch);
    if (first < 0) return [];
    const rows: number[] = [];
    for (let position = first; position < rowsBySymbol.length; position++) {
      const value = rowsBySymbol[position] ?? 0;
      rows.push(value & ~LAST);
      if (value >= LAST) break;
    }
    return rows;
  }
}

const fingerprintMask = 2 ** FINGERPRINT_BITS - 1;

/** The first position in an open-addressed table whose key has this hash and satisfies `isMatch`, else -1. */
function find(slots: Uint32Array, hash: number, isMatch: (position: number) => boolean): number {
  let slot = Math.floor((hash / 2 ** 32) * slots.length);
  for (let probes = 0; probes < slots.length; probes++) {
    const value = slots[slot];
    if (!value) return -1;
    const position = (value >>> FINGERPRINT_BITS) - 1;
    if ((value & fingerprintMask) === (hash & fingerprintMask) && isMatch(position)) return position;
    slot = slot + 1 === slots.length ? 0 : slot + 1;
  }
  return -1;
}

/** 32-bit hash of a text's UTF-16 units, ASCII letters in lower case: FNV-1a with the finalizer of MurmurHash3. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    hash = Math.imul(hash ^ (unit >= 65 && unit <= 90 ? unit + 32 : unit), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The entry that a symbol stands for (see `resolveSymbol`), else null. */
export function coinOfSymbol(symbol: string, registry: RegistryLookups): RegistryEntry | null {
  const id = registry.resolveSymbol(symbol);
  return id === null ? null : registry.getById(id);
}
