import type { SearchIndex } from '../index-file.ts';
import { SUFFIX_OFFSET_BITS } from '../index-file.ts';
import { cost } from './costs.ts';
import { typingErrors } from './distance.ts';
import { letterCount, mayBeWithin } from './letters.ts';
import { type Pattern, patternOf, sliceOf } from './query.ts';
import type { TermList, Terms } from './terms.ts';

/** The most typing errors in spite of which a term of so many letters is found. */
export function toleratedErrors(letters: number): number {
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
