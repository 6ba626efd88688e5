import { errorsBetween } from '../../platform/mistyped.ts';
import { foldText } from '../fold.ts';

/** A folded text in the forms that the search compares. */
export interface Pattern {
  readonly text: string;
  /** In UTF-8. */
  readonly bytes: Uint8Array;
  /** Code points. */
  readonly letters: readonly number[];
  readonly signature: number;
}

export function patternOf(text: string): Pattern {
  const bytes = Buffer.from(text);
  const letters = lettersOf(bytes);
  return { text, bytes, letters, signature: signatureOf(letters) };
}

/** UTF-8 bytes of the pattern's letters between two positions. */
export function sliceOf({ bytes, letters }: Pattern, from: number, to: number): Uint8Array {
  const isAscii = bytes.length === letters.length;
  return isAscii ? bytes.subarray(from, to) : Buffer.from(String.fromCodePoint(...letters.slice(from, to)));
}

/** The longest query that is searched for, in UTF-16 units; the rest is cut off. */
const MAX_QUERY_LENGTH = 100;
/** Folding can lengthen a text (`ﷺ` becomes 18 letters), and a term has at most 255 bytes. */
const MAX_FOLDED_LENGTH = 200;
/** Bounds the work for the worst query; names have fewer words. */
const MAX_WORDS = 8;

export interface Query {
  /** The text as given, trimmed and cut. */
  readonly text: string;
  /** All words, in the order given; without letters if the text is nothing but punctuation. */
  readonly whole: Pattern;
  /** The distinct words, longest first because that leaves the fewest entries; empty if there is only one. */
  readonly words: readonly Pattern[];
}

export function parseQuery(raw: string): Query {
  const text = raw.slice(0, MAX_QUERY_LENGTH).trim();
  const folded = foldText(text).slice(0, MAX_FOLDED_LENGTH).toWellFormed().trim();
  const words = [...new Set(folded.split(' '))].sort((a, b) => b.length - a.length).slice(0, MAX_WORDS);
  return { text, whole: patternOf(folded), words: words.length > 1 ? words.map(patternOf) : [] };
}

/** The code points of a text in UTF-8. A typed array would take several times as long to make. */
export function lettersOf(bytes: Uint8Array): number[] {
  const letters: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    const lead = bytes[at++] ?? 0;
    const more = lead < 0x80 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
    let letter = more === 0 ? lead : lead & (0x3f >> more);
    for (let left = more; left > 0; left--) letter = (letter << 6) | ((bytes[at++] ?? 0) & 0x3f);
    letters.push(letter);
  }
  return letters;
}

const LETTER_CLASSES = 24;
const LENGTH_BITS = 8;

/**
 * A number that is nearly the same for two texts within a few typing errors of each other: the low 8 bits are the
 * number of letters (at most 255), and each bit above them says whether one of 24 classes of letters occurs.
 */
export function signatureOf(letters: readonly number[]): number {
  let classes = 0;
  for (const letter of letters) classes |= 1 << (letter % LETTER_CLASSES);
  return ((classes << LENGTH_BITS) | Math.min(letters.length, 255)) >>> 0;
}

export function letterCount(signature: number): number {
  return signature & 255;
}

/** Whether two texts can lie within so many errors, each of which changes at most two classes. Rejects 99 %. */
export function mayBeWithin(a: number, b: number, errors: number): boolean {
  if (Math.abs(letterCount(a) - letterCount(b)) > errors) return false;
  let different = (a ^ b) >>> LENGTH_BITS;
  for (let left = errors * 2; left > 0 && different !== 0; left--) different &= different - 1;
  return different === 0;
}

/**
 * Typing errors between two texts, up to `limit + 1`. The beginning and the end that both share are cut off first, which leaves
 * hardly anything of most candidates.
 */
export function typingErrors(first: readonly number[], second: readonly number[], limit: number): number {
  if (Math.abs(first.length - second.length) > limit) return limit + 1;
  let start = 0;
  let firstEnd = first.length;
  let secondEnd = second.length;
  while (firstEnd > 0 && secondEnd > 0 && first[firstEnd - 1] === second[secondEnd - 1]) {
    firstEnd--;
    secondEnd--;
  }
  while (start < firstEnd && start < secondEnd && first[start] === second[start]) start++;
  return errorsBetween(first.slice(start, firstEnd), second.slice(start, secondEnd), limit);
}
