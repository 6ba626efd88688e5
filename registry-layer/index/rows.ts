import { flag } from '../../shared/registry/format.ts';
import type { RegistryEntry } from '../../shared/registry/types.ts';

/** The columns of the rows: entries in the registry's order. */
export function rowSections(rows: readonly RegistryEntry[]) {
  const texts = rows.map(({ id, name, symbol }) => [id, name, symbol].map((text) => Buffer.from(text)));
  const textStarts = new Uint32Array(rows.length + 1);
  const textLengths = new Uint16Array(rows.length * 2);
  let start = 0;
  texts.forEach(([id, name, symbol], row) => {
    textLengths[row * 2] = id?.length ?? 0;
    textLengths[row * 2 + 1] = name?.length ?? 0;
    start += (id?.length ?? 0) + (name?.length ?? 0) + (symbol?.length ?? 0);
    textStarts[row + 1] = start;
  });
  const active = rows.filter((entry) => entry.is_active);
  const ranked = active.filter((entry) => entry.rank > 0);
  return {
    counts: Uint32Array.of(rows.length, active.length, ranked.length),
    textStarts,
    textLengths,
    text: Buffer.concat(texts.flat()),
    flags: Uint8Array.from(rows, flagsOf),
    ranks: Uint32Array.from(
      rows.slice(0, rows.findLastIndex(({ rank }) => rank > 0) + 1),
      ({ rank }) => rank,
    ),
  };
}

function flagsOf({ is_active, is_new, type }: RegistryEntry): number {
  return (is_active ? flag.active : 0) | (type === 'token' ? flag.token : 0) | (is_new ? flag.isNew : 0);
}
