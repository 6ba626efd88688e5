import { foldText } from '../../shared/registry/fold.ts';
import { LAST, MAX_TERMS, PLACE_BITS, SINGLE, SUFFIX_OFFSET_BITS } from '../../shared/registry/format.ts';
import { lettersOf, signatureOf } from '../../shared/registry/search/letters.ts';
import type { RegistryEntry } from '../../shared/registry/types.ts';
import { collectTerms, type TermRows } from './terms.ts';

/** The sections of the fuzzy search. Throws an Error for more terms than a suffix can number. */
export function wordSections(rows: readonly RegistryEntry[]) {
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

/** Terms sorted by their bytes read backwards. */
function termsByEnd(terms: readonly string[]): Uint32Array {
  const backwards = terms.map((term, index) => ({ text: [...term].reverse().join(''), index }));
  return Uint32Array.from(backwards.sort(byText), ({ index }) => index);
}

/** The places inside of words at which a text may begin, at letters only, sorted by the rest of the word. */
function suffixesOf(terms: readonly string[]): Uint32Array {
  const suffixes: { text: string; index: number }[] = [];
  terms.forEach((term, index) => {
    if (term.includes(' ')) return;
    // A single last byte is never asked for: the reader starts at two, which a letter beyond ASCII has.
    for (let offset = 1; offset + 1 < term.length; offset++) {
      const isLetterStart = (term.charCodeAt(offset) & 0xc0) !== 0x80;
      if (isLetterStart)
        suffixes.push({ text: term.slice(offset), index: index * 2 ** SUFFIX_OFFSET_BITS + offset });
    }
  });
  return Uint32Array.from(suffixes.sort(byText), ({ index }) => index);
}

function byText(a: { text: string; index: number }, b: { text: string; index: number }): number {
  if (a.text === b.text) return a.index - b.index;
  return a.text < b.text ? -1 : 1;
}

/** The lists of postings of the terms, rows ascending; a list of one stands in the term's own number. */
function postingSections(rowsOfTerms: readonly TermRows[]) {
  const postings: number[] = [];
  const termPostings = Uint32Array.from(rowsOfTerms, (rowsOfTerm) => {
    const list = Array.from(rowsOfTerm, ([row, where]) => row * 2 ** PLACE_BITS + where);
    const [only = 0] = list;
    if (list.length === 1) return SINGLE + only;
    const start = postings.length;
    postings.push(...list.slice(0, -1), LAST + (list.at(-1) ?? 0));
    return start;
  });
  return { termPostings, postings: Uint32Array.from(postings) };
}
