import { foldText } from '../fold.ts';
import { lettersOf, signatureOf } from './letters.ts';

/** The longest query that is looked at, in UTF-16 units. */
export const MAX_QUERY_LENGTH = 100;
/** Folding can lengthen a text (`ﷺ` becomes 18 letters); terms have 255 bytes at most. */
const MAX_FOLDED_LENGTH = 200;
/** Words that are looked up one by one: more than names have, and a bound for the worst input. */
const MAX_WORDS = 8;

/** A folded text in the forms in which the term table is asked. */
export interface Pattern {
  readonly text: string;
  readonly bytes: Uint8Array;
  /** Code points. */
  readonly letters: Int32Array;
  readonly signature: number;
}

export interface Query {
  /** As given, trimmed and cut to MAX_QUERY_LENGTH. */
  readonly text: string;
  /** All words, as they stand; without letters for a text of nothing but punctuation. */
  readonly whole: Pattern;
  /** The distinct words, longest first because that leaves the fewest entries; empty if there is only one. */
  readonly words: readonly Pattern[];
}

export function patternOf(text: string): Pattern {
  const bytes = Buffer.from(text);
  const letters = lettersOf(bytes);
  return { text, bytes, letters, signature: signatureOf(letters) };
}

/** UTF-8 bytes of the pattern's letters between two positions. */
export function sliceOf({ bytes, letters }: Pattern, from: number, to: number): Uint8Array {
  const isAscii = bytes.length === letters.length;
  return isAscii
    ? bytes.subarray(from, to)
    : Buffer.from(String.fromCodePoint(...letters.subarray(from, to)));
}

export function parseQuery(raw: string): Query {
  const text = raw.slice(0, MAX_QUERY_LENGTH).trim();
  const folded = foldText(text).slice(0, MAX_FOLDED_LENGTH).toWellFormed().trim();
  const words = [...new Set(folded.split(' '))].sort((a, b) => b.length - a.length).slice(0, MAX_WORDS);
  return { text, whole: patternOf(folded), words: words.length > 1 ? words.map(patternOf) : [] };
}
