import { type SearchIndex, SUFFIX_OFFSET_BITS } from '../index-file.ts';
import { letterCount, mayBeWithin, type Pattern, patternOf, sliceOf } from './query.ts';
import { cost } from './ranking.ts';
import type { TermList, Terms } from './terms.ts';

/** Adds the terms that are the text, begin with it, or have it inside. */
export function addLiteral(file: SearchIndex, terms: Terms, pattern: Pattern, list: TermList): void {
  const { bytes, letters } = pattern;
  const { suffixes, termSignatures } = file;
  const count = letters.length;
  const openEnd = (term: number): number => {
    const all = letterCount(termSignatures[term] ?? 0);
    return Math.floor((cost.openEnd * (all - count)) / all);
  };

  const starting = terms.startingWith(bytes);
  for (let term = starting.from; term < starting.to; term++) {
    const isWhole = terms.bytes(term) === bytes.length;
    list.add(term, isWhole ? 0 : cost.prefix + openEnd(term));
  }
  // A single ASCII letter is inside of half of all words and says nothing; a single 狗 does.
  if (bytes.length < 2) return;
  const inside = terms.containing(bytes);
  for (let position = inside.from; position < inside.to; position++) {
    const term = (suffixes[position] ?? 0) >>> SUFFIX_OFFSET_BITS;
    list.add(term, cost.inside + openEnd(term));
  }
}

/** The most typing errors in spite of which a term of so many letters is found. */
function toleratedErrors(letters: number): number {
  return letters >= 8 ? 2 : letters >= 4 ? 1 : 0;
}

/** UTF-8 bytes of one letter, at most. */
const LETTER_BYTES = 4;

const termLetters = new Int32Array(256);

/** Adds the terms that lie exactly `errors` typing errors from the pattern and are long enough to be found so. */
export function addMistyped(
  file: SearchIndex,
  terms: Terms,
  pattern: Pattern,
  errors: 1 | 2,
  list: TermList,
): void {
  const { letters, signature } = pattern;
  if (toleratedErrors(letters.length + errors) < errors) return;
  forCandidates(file, terms, pattern, errors, (term) => {
    const termSignature = file.termSignatures[term] ?? 0;
    if (!mayBeWithin(signature, termSignature, errors)) return;
    if (toleratedErrors(letterCount(termSignature)) < errors) return;
    const count = terms.letters(term, termLetters);
    if (typingErrors(letters, letters.length, termLetters, count, errors) === errors) {
      list.add(term, cost.errors[errors]);
    }
  });
}

/**
 * With one error, one half of the pattern is untouched: the term begins with the first half or ends with the second,
 * which are stretches of two sorted tables. With two errors one of three parts is untouched, and the middle one has
 * moved by a letter at most. Only a transposition across a border touches both sides of it: that one is undone first.
 */
function forCandidates(
  file: SearchIndex,
  terms: Terms,
  pattern: Pattern,
  errors: number,
  candidate: (term: number) => void,
): void {
  const length = pattern.letters.length;
  const { termsByEnd, suffixes } = file;
  if (errors === 0) {
    const { from, to } = terms.startingWith(pattern.bytes);
    if (from < to) candidate(from);
    return;
  }
  const borders = errors === 1 ? [length >> 1] : [Math.floor(length / 3), Math.floor((length * 2) / 3)];
  const [first = 0, last = first] = borders;

  const head = sliceOf(pattern, 0, first);
  const starting = terms.startingWith(head);
  for (let term = starting.from; term < starting.to; term++) candidate(term);

  const ending = terms.endingWith(sliceOf(pattern, last, length));
  for (let position = ending.from; position < ending.to; position++) candidate(termsByEnd[position] ?? 0);

  if (first < last) {
    const inside = terms.containing(sliceOf(pattern, first, last));
    for (let position = inside.from; position < inside.to; position++) {
      const suffix = suffixes[position] ?? 0;
      const moved = (suffix & (2 ** SUFFIX_OFFSET_BITS - 1)) - head.length;
      if (Math.abs(moved) <= LETTER_BYTES) candidate(suffix >>> SUFFIX_OFFSET_BITS);
    }
  }
  for (const border of borders) {
    forCandidates(file, terms, transposed(pattern, border), errors - 1, candidate);
  }
}

/** The pattern with the letters on both sides of a border exchanged. */
function transposed({ text }: Pattern, border: number): Pattern {
  const letters = [...text];
  const [before = '', after = ''] = letters.slice(border - 1, border + 1);
  return patternOf(letters.toSpliced(border - 1, 2, after, before).join(''));
}

/**
 * Typing errors between the letters of two texts: insertions, deletions, substitutions, and transpositions of
 * neighbours (optimal string alignment). Returns `limit + 1` when there are more than `limit`.
 */
export function typingErrors(
  a: Int32Array,
  aLength: number,
  b: Int32Array,
  bLength: number,
  limit: number,
): number {
  const beyond = limit + 1;
  if (Math.abs(aLength - bLength) > limit) return beyond;
  let twoUp: number[] = [];
  let up = Array.from({ length: bLength + 1 }, (_, column) => column);
  let leastUp = 0;
  for (let line = 1; line <= aLength; line++) {
    // Further from the diagonal there are more errors than the limit.
    const row = Array<number>(bLength + 1).fill(beyond);
    if (line <= limit) row[0] = line;
    const to = Math.min(bLength, line + limit);
    let least = row[0] ?? beyond;
    for (let column = Math.max(1, line - limit); column <= to; column++) {
      const isSame = a[line - 1] === b[column - 1];
      const isSwapped = a[line - 1] === b[column - 2] && a[line - 2] === b[column - 1];
      const errors = Math.min(
        (up[column - 1] ?? beyond) + (isSame ? 0 : 1),
        (up[column] ?? beyond) + 1,
        (row[column - 1] ?? beyond) + 1,
        isSwapped && line > 1 && column > 1 ? (twoUp[column - 2] ?? beyond) + 1 : beyond,
      );
      row[column] = Math.min(errors, beyond);
      least = Math.min(least, errors);
    }
    // A transposition can reach over one line, but not over two.
    if (least >= beyond && leastUp >= beyond) return beyond;
    leastUp = least;
    [twoUp, up] = [up, row];
  }
  return up[bLength] ?? beyond;
}
