import { flag } from './format.ts';
import type { LookupIndex } from './index-file.ts';
import type { EntryFilter, RegistryEntry } from './types.ts';

/** Decodes entries by row: their position in the registry's total order. */
export class Entries {
  readonly size: number;
  readonly activeCount: number;
  /** Active entries with rank > 0: the first rows. */
  readonly rankedCount: number;
  readonly #file: LookupIndex;

  constructor(file: LookupIndex) {
    this.#file = file;
    [this.size = 0, this.activeCount = 0, this.rankedCount = 0] = file.counts;
  }

  id(row: number): string {
    const { textStarts, textLengths, text } = this.#file;
    const start = textStarts[row] ?? 0;
    return text.toString('utf8', start, start + (textLengths[row * 2] ?? 0));
  }

  symbol(row: number): string {
    const { textStarts, textLengths, text } = this.#file;
    const start = (textStarts[row] ?? 0) + (textLengths[row * 2] ?? 0) + (textLengths[row * 2 + 1] ?? 0);
    return text.toString('utf8', start, textStarts[row + 1] ?? 0);
  }

  #name(row: number): string {
    const { textStarts, textLengths, text } = this.#file;
    const start = (textStarts[row] ?? 0) + (textLengths[row * 2] ?? 0);
    return text.toString('utf8', start, start + (textLengths[row * 2 + 1] ?? 0));
  }

  at(row: number): RegistryEntry {
    const flags = this.#file.flags[row] ?? 0;
    return {
      id: this.id(row),
      name: this.#name(row),
      symbol: this.symbol(row),
      rank: this.#file.ranks[row] ?? 0,
      is_new: (flags & flag.isNew) !== 0,
      is_active: (flags & flag.active) !== 0,
      type: (flags & flag.token) !== 0 ? 'token' : 'coin',
    };
  }

  /** Whether the filter lets the row through. */
  passes(row: number, { activeOnly, ranked, type }: EntryFilter): boolean {
    if (activeOnly && row >= this.activeCount) return false;
    if (ranked && !this.#file.ranks[row]) return false;
    return !type || (((this.#file.flags[row] ?? 0) & flag.token) !== 0) === (type === 'token');
  }
}
