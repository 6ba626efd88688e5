import { foldText } from '../../shared/registry/fold.ts';
import { MAX_TERM_BYTES, place } from '../../shared/registry/format.ts';
import type { RegistryEntry } from '../../shared/registry/types.ts';

/** A term's entries: row and the strongest place that it has there. */
export type TermRows = ReadonlyMap<number, number>;

/**
 * Every distinct folded word, whole name and whole symbol, with its entries. The keys are the terms' UTF-8 bytes as
 * one character each, in the order of these bytes, which is the order that the reader searches in.
 */
export function collectTerms(rows: readonly RegistryEntry[]): [term: string, rows: TermRows][] {
  const terms = new Map<string, Map<number, number>>();
  const add = (text: string, row: number, where: number): void => {
    const term = termOf(text);
    if (term === '') return;
    const rowsOfTerm = terms.get(term) ?? new Map<number, number>();
    terms.set(term, rowsOfTerm.set(row, Math.min(where, rowsOfTerm.get(row) ?? where)));
  };
  rows.forEach(({ id, name, symbol }, row) => {
    const [foldedId, foldedName, foldedSymbol] = [id, name, symbol].map(foldText) as [string, string, string];
    add(foldedSymbol, row, place.symbol);
    add(foldedName, row, place.name);
    for (const word of `${foldedName} ${foldedSymbol}`.split(' ')) add(word, row, place.word);
    for (const word of foldedId.split(' ')) add(word, row, place.idWord);
  });
  return [...terms].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The text's UTF-8 bytes as characters, without the letters beyond MAX_TERM_BYTES. */
function termOf(text: string): string {
  let letters = text;
  while (Buffer.byteLength(letters) > MAX_TERM_BYTES) letters = [...letters].slice(0, -1).join('');
  return Buffer.from(letters).toString('latin1');
}
