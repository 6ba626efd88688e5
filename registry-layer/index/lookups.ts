import { symbolKey } from '../../shared/registry/fold.ts';
import { FINGERPRINT_BITS, LAST, MAX_ROWS } from '../../shared/registry/format.ts';
import { hashText } from '../../shared/registry/lookups.ts';
import type { RegistryEntry } from '../../shared/registry/types.ts';

/** Slots for each key: hits then take 1.8 probes on average, and the fingerprint settles nearly all of them. */
const SLOTS_PER_KEY = 1.4;

/** Open-addressed table from the hashes of keys to their positions. */
function slotsFor(keys: readonly (readonly [key: string, position: number])[]): Uint32Array {
  const slots = new Uint32Array(Math.ceil(keys.length * SLOTS_PER_KEY) + 1);
  for (const [key, position] of keys) {
    const hash = hashText(key);
    let slot = Math.floor((hash / 2 ** 32) * slots.length);
    while (slots[slot] !== 0) slot = (slot + 1) % slots.length;
    slots[slot] = ((position + 1) << FINGERPRINT_BITS) | (hash & (2 ** FINGERPRINT_BITS - 1));
  }
  return slots;
}

/** The tables that find rows by id and by symbol. Throws an Error for more rows than a slot can number. */
export function symbolAndIdSections(rows: readonly RegistryEntry[]) {
  if (rows.length > MAX_ROWS)
    throw new Error(`${rows.length} entries, but an index holds at most ${MAX_ROWS}`);
  const bySymbol = Map.groupBy(rows.keys(), (row) => symbolKey(rows[row]?.symbol ?? ''));
  const symbolPositions: [string, number][] = [];
  const rowsBySymbol: number[] = [];
  for (const [key, rowsOfKey] of bySymbol) {
    symbolPositions.push([key, rowsBySymbol.length]);
    rowsBySymbol.push(...rowsOfKey.map((row, index) => (index + 1 === rowsOfKey.length ? row + LAST : row)));
  }
  return {
    idSlots: slotsFor(rows.map(({ id }, row) => [id, row])),
    symbolSlots: slotsFor(symbolPositions),
    rowsBySymbol: Uint32Array.from(rowsBySymbol),
  };
}
