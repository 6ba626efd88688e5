import type { Entries } from './entries.ts';
import { hashText, symbolKey } from './fold.ts';
import { FINGERPRINT_BITS, LAST } from './format.ts';
import type { LookupIndex } from './index-file.ts';

const fingerprintMask = 2 ** FINGERPRINT_BITS - 1;

/** First position in an open-addressed table whose key has this hash and satisfies `isMatch`, else -1. */
function find(slots: Uint32Array, hash: number, isMatch: (position: number) => boolean): number {
  let slot = Math.floor((hash / 2 ** 32) * slots.length);
  for (;;) {
    const value = slots[slot];
    if (!value) return -1;
    const position = (value >>> FINGERPRINT_BITS) - 1;
    if ((value & fingerprintMask) === (hash & fingerprintMask) && isMatch(position)) return position;
    slot = slot + 1 === slots.length ? 0 : slot + 1;
  }
}

/** Row of an id, -1 where there is none. With `anyCase`, ASCII letters match in either case. */
export function rowOfId(file: LookupIndex, entries: Entries, id: string, anyCase = false): number {
  const lower = anyCase ? id.toLowerCase() : '';
  return find(file.idSlots, hashText(id), (row) =>
    anyCase ? entries.id(row).toLowerCase() === lower : entries.id(row) === id,
  );
}

/** Rows of the entries that carry a symbol, in the registry's order; empty where there are none. */
export function rowsOfSymbol(file: LookupIndex, entries: Entries, symbol: string): number[] {
  const key = symbolKey(symbol);
  const { rowsBySymbol } = file;
  let position = find(
    file.symbolSlots,
    hashText(key),
    (first) => symbolKey(entries.symbol((rowsBySymbol[first] ?? 0) & ~LAST)) === key,
  );
  if (position < 0) return [];
  const rows: number[] = [];
  for (;;) {
    const value = rowsBySymbol[position++] ?? LAST;
    rows.push(value & ~LAST);
    if (value >= LAST) return rows;
  }
}
