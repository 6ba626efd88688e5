import type { EntryFilter, RegistryEntry } from '../../shared/registry/entries.ts';

// The plainest registry, to compare the real one with: all entries in an array, filtered and sorted. It has its own
// folding and distance, so that an error of the registry's does not hide itself.

export class ReferenceRegistry {
  readonly #sorted: readonly RegistryEntry[];

  constructor(entries: readonly RegistryEntry[]) {
    this.#sorted = [...entries].sort((a, b) => {
      if (a.is_active !== b.is_active) return a.is_active ? -1 : 1;
      if (a.rank !== b.rank) {
        if (a.rank === 0) return 1;
        return b.rank === 0 ? -1 : a.rank - b.rank;
      }
      if (a.type !== b.type) return a.type === 'coin' ? -1 : 1;
      return a.id < b.id ? -1 : 1;
    });
  }

  list({ activeOnly, ranked, type }: EntryFilter): RegistryEntry[] {
    return this.#sorted.filter(
      (entry) =>
        (!activeOnly || entry.is_active) && (!ranked || entry.rank > 0) && (!type || entry.type === type),
    );
  }

  /** Compares with every symbol, without a table. */
  searchBySymbol(symbol: string, filter: EntryFilter = {}): RegistryEntry[] {
    return this.list(filter).filter((entry) => sameSymbol(entry.symbol, symbol));
  }

  resolveSymbol(symbol: string): string | null {
    return this.searchBySymbol(symbol, { activeOnly: true, ranked: true })[0]?.id ?? null;
  }
}

export function sameSymbol(a: string, b: string): boolean {
  const [first, second] = [a.trim(), b.trim()];
  return first.toUpperCase() === second.toUpperCase() || first.toLowerCase() === second.toLowerCase();
}

/** Insertions, deletions, substitutions and transpositions of neighbours between two texts, from the full matrix. */
export function errorsBetween(first: string, second: string): number {
  const [a, b] = [[...first], [...second]];
  const matrix = Array.from({ length: a.length + 1 }, (_, row) => [row, ...Array<number>(b.length).fill(0)]);
  const at = (row: number, column: number): number => (row === 0 ? column : (matrix[row]?.[column] ?? 0));
  for (let row = 1; row <= a.length; row++) {
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      const isSwap = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const errors = [
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        at(row - 1, column - 1) + (same ? 0 : 1),
      ];
      matrix[row]?.splice(column, 1, Math.min(...errors, ...(isSwap ? [at(row - 2, column - 2) + 1] : [])));
    }
  }
  return at(a.length, b.length);
}

/** Lower case without accents and width, everything but letters and digits one space. */
export function plainText(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\p{M}'’]/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

export interface PlainEntry {
  readonly entry: RegistryEntry;
  /** Symbol, name and id. */
  readonly fields: readonly string[];
}

export function plainEntry(entry: RegistryEntry): PlainEntry {
  return { entry, fields: [entry.symbol, entry.name, entry.id].map(plainText) };
}

export function isExact({ fields }: PlainEntry, query: string): boolean {
  return fields.includes(query);
}
