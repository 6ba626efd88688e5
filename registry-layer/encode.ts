import type { RegistryEntry } from '../shared/registry/entries.ts';
import { foldText, symbolKey } from '../shared/registry/fold.ts';
import {
  ALIGNMENT,
  FINGERPRINT_BITS,
  flag,
  HEADER_BYTES,
  LAST,
  lookupSections,
  MAGIC,
  MAX_ROWS,
  MAX_TERM_BYTES,
  MAX_TERMS,
  PLACE_BITS,
  place,
  type Sections,
  SIZE_OFFSET,
  SUFFIX_OFFSET_BITS,
  searchSections,
  VERSION_OFFSET,
} from '../shared/registry/index-file.ts';
import { hashText } from '../shared/registry/lookups.ts';
import { FORMAT_VERSION } from '../shared/registry/manifest.ts';
import { lettersOf, signatureOf } from '../shared/registry/search/pattern.ts';

/** Called with the name of each step. */
export type Progress = (step: string) => void;

/** Returns the two parts of an index file: the same bytes for the same entries in any order. */
export function encodeIndex(entries: readonly RegistryEntry[], progress: Progress = () => {}) {
  progress('sorting');
  const rows = entries.toSorted(compareEntries);
  progress('indexing ids and symbols');
  const lookup = assemble(lookupSections, { ...rowSections(rows), ...symbolAndIdSections(rows) });
  progress('indexing words');
  return { lookup, search: assemble(searchSections, wordSections(rows)) };
}

type Section = Uint8Array | Uint16Array | Uint32Array;

function assemble<Layout extends Sections>(
  layout: Layout,
  contents: Readonly<Record<keyof Layout, Section>>,
): Uint8Array {
  const names: (keyof Layout)[] = Object.keys(layout);
  const table = new Uint32Array(names.length * 2);
  let size = HEADER_BYTES + table.byteLength;
  names.forEach((name, index) => {
    table.set([size, contents[name].byteLength], index * 2);
    size = Math.ceil((size + contents[name].byteLength) / ALIGNMENT) * ALIGNMENT;
  });

  const bytes = Buffer.alloc(size);
  const put = ({ buffer, byteOffset, byteLength }: Section, at: number): void => {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at);
  };
  bytes.set(MAGIC);
  bytes.writeUInt32LE(FORMAT_VERSION, VERSION_OFFSET);
  bytes.writeUInt32LE(size, SIZE_OFFSET);
  put(table, HEADER_BYTES);
  names.forEach((name, index) => {
    put(contents[name], table[index * 2] ?? 0);
  });
  return bytes;
}

const group = ({ is_active, rank }: RegistryEntry): number => (is_active ? (rank > 0 ? 0 : 1) : 2);
const rankOrLast = ({ rank }: RegistryEntry): number => (rank > 0 ? rank : 2 ** 32);

/**
 * The registry's total order: active ranked, active unranked, inactive entries; by rank (those without last); coins
 * before tokens; by id in UTF-16 units, which is the same on every machine.
 */
function compareEntries(a: RegistryEntry, b: RegistryEntry): number {
  return (
    group(a) - group(b) ||
    rankOrLast(a) - rankOrLast(b) ||
    Number(a.type === 'token') - Number(b.type === 'token') ||
    (a.id < b.id ? -1 : 1)
  );
}

/** The columns of the rows, which are the entries in the registry's order. */
function rowSections(rows: readonly RegistryEntry[]) {
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
    flags: Uint8Array.from(
      rows,
      ({ is_active, is_new, type }) =>
        (is_active ? flag.active : 0) | (type === 'token' ? flag.token : 0) | (is_new ? flag.isNew : 0),
    ),
    ranks: Uint32Array.from(
      rows.slice(0, rows.findLastIndex(({ rank }) => rank > 0) + 1),
      ({ rank }) => rank,
    ),
  };
}

/** A key that is present then takes 1.8 probes on average, and the fingerprint decides nearly all of them. */
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

/** The tables that find rows by id and by symbol. Throws an Error for more rows than a slot can hold. */
function symbolAndIdSections(rows: readonly RegistryEntry[]) {
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

/** The sections of the fuzzy search. Throws an Error for more terms than a suffix can hold. */
function wordSections(rows: readonly RegistryEntry[]) {
  const collected = collectTerms(rows);
  const terms = collected.map(([term]) => term);
  if (terms.length > MAX_TERMS)
    throw new Error(`${terms.length} distinct words and names, at most ${MAX_TERMS} fit`);
  return {
    nameLetters: Uint8Array.from(rows, ({ name }) =>
      Math.min(255, [...foldText(name).replaceAll(' ', '')].length),
    ),
    ...termText(terms),
    termBytes: Uint8Array.from(terms, (term) => term.length),
    termSignatures: Uint32Array.from(terms, (term) => signatureOf(lettersOf(Buffer.from(term, 'latin1')))),
    termsByEnd: termsByEnd(terms),
    suffixes: suffixesOf(terms),
    ...postingSections(collected.map(([, rowsOfTerm]) => rowsOfTerm)),
  };
}

/** Text of the terms; a word that occurs in a name of several words is not stored again. */
function termText(terms: readonly string[]) {
  const starts = new Map<string, number>();
  let text = '';
  const append = (term: string): void => {
    starts.set(term, text.length);
    let at = text.length;
    for (const word of term.split(' ')) {
      if (!starts.has(word)) starts.set(word, at);
      at += word.length + 1;
    }
    text += term;
  };
  for (const term of terms) if (term.includes(' ')) append(term);
  for (const term of terms) if (!starts.has(term)) append(term);
  return {
    termStarts: Uint32Array.from(terms, (term) => starts.get(term) ?? 0),
    termText: Buffer.from(text, 'latin1'),
  };
}

/** Terms sorted by their reversed bytes. */
function termsByEnd(terms: readonly string[]): Uint32Array {
  return sortedByText(terms.map((term, index) => ({ text: [...term].reverse().join(''), index })));
}

/** The positions inside words at which a text may begin, at letters only, sorted by the rest of the word. */
function suffixesOf(terms: readonly string[]): Uint32Array {
  const suffixes: Indexed[] = [];
  terms.forEach((term, index) => {
    if (term.includes(' ')) return;
    // Only the last byte is left out: the reader searches for at least two bytes, which a letter beyond ASCII has.
    for (let offset = 1; offset + 1 < term.length; offset++) {
      const isLetterStart = (term.charCodeAt(offset) & 0xc0) !== 0x80;
      if (isLetterStart)
        suffixes.push({ text: term.slice(offset), index: index * 2 ** SUFFIX_OFFSET_BITS + offset });
    }
  });
  return sortedByText(suffixes);
}

type Indexed = Readonly<{ text: string; index: number }>;

/** Indexes in the order of their texts, and for equal texts in their own. */
function sortedByText(items: Indexed[]): Uint32Array {
  items.sort((a, b) => (a.text === b.text ? a.index - b.index : a.text < b.text ? -1 : 1));
  return Uint32Array.from(items, ({ index }) => index);
}

/** The postings of each term, rows ascending; the only posting of a term is stored in `termPostings` itself. */
function postingSections(rowsOfTerms: readonly TermRows[]) {
  const postings: number[] = [];
  const termPostings = Uint32Array.from(rowsOfTerms, (rowsOfTerm) => {
    const list = Array.from(rowsOfTerm, ([row, where]) => row * 2 ** PLACE_BITS + where);
    const [only = 0] = list;
    if (list.length === 1) return LAST + only;
    const start = postings.length;
    postings.push(...list.slice(0, -1), LAST + (list.at(-1) ?? 0));
    return start;
  });
  return { termPostings, postings: Uint32Array.from(postings) };
}

/** The rows that have a term, each with the term's strongest place in it. */
type TermRows = ReadonlyMap<number, number>;

/**
 * Every distinct folded word, whole name and whole symbol, with its rows. A key has one character for each UTF-8 byte
 * of the term, so that the keys sort in the order in which the reader searches.
 */
function collectTerms(rows: readonly RegistryEntry[]): [term: string, rows: TermRows][] {
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
