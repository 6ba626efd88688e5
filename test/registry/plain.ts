import type { RegistryEntry } from '../../shared/registry/entries.ts';
/**
 * Plain text comparison for judging search results. Written for itself, without the registry's folding or distance,
 * so that an error there is not judged by itself.
 */

/** Lower case without accents and width, everything but letters and digits one space. */
export function plainText(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\p{M}'’]/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** Whether one insertion, deletion, substitution or transposition of neighbours makes `b` of `a`. */
export function isOneErrorAway(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1 || a === b) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [left, right] = [a.length - end - start, b.length - end - start];
  if (left <= 1 && right <= 1) return true;
  return left === 2 && right === 2 && a[start] === b[start + 1] && a[start + 1] === b[start];
}

export interface PlainEntry {
  readonly entry: RegistryEntry;
  readonly name: string;
  /** Symbol, name and id. */
  readonly fields: readonly string[];
  /** The fields in one text. */
  readonly all: string;
}

export function plainEntry(entry: RegistryEntry): PlainEntry {
  const name = plainText(entry.name);
  const fields = [plainText(entry.symbol), name, plainText(entry.id)];
  return { entry, name, fields, all: fields.join('\n') };
}

export function isExact({ fields }: PlainEntry, query: string): boolean {
  return fields.includes(query);
}

export function containsAll({ all }: PlainEntry, words: readonly string[]): boolean {
  return words.every((word) => all.includes(word));
}
