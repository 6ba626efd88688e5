import { LAST, PLACE_BITS, type SearchIndex, SUFFIX_OFFSET_BITS } from '../index-file.ts';
import {
  letterCount,
  lettersOf,
  mayBeWithin,
  type Pattern,
  patternOf,
  sliceOf,
  typingErrors,
} from './pattern.ts';
import { cost } from './ranking.ts';

/** A term that a text matches, with the cost of the match. */
export interface TermMatch {
  readonly term: number;
  readonly cost: number;
}

const placeMask = 2 ** PLACE_BITS - 1;
const offsetMask = 2 ** SUFFIX_OFFSET_BITS - 1;
/** UTF-8 bytes of one letter, at most. */
const LETTER_BYTES = 4;

/** The most typing errors in spite of which a term of so many letters is found. */
function toleratedErrors(letters: number): number {
  return letters >= 8 ? 2 : letters >= 4 ? 1 : 0;
}

/**
 * The table of terms: every distinct word and every distinct whole name or symbol of the registry, folded, sorted by
 * their UTF-8 bytes. A term is its position in this order.
 */
export class Terms {
  readonly #file: SearchIndex;

  constructor(file: SearchIndex) {
    this.#file = file;
  }

  /**
   * The terms that lie exactly so many typing errors from a text and are long enough for them; without an error those
   * that are the text, begin with it, or have it inside. A term may come more than once.
   */
  matches(pattern: Pattern, errors: 0 | 1 | 2): TermMatch[] {
    return errors === 0 ? this.#literal(pattern) : this.#mistyped(pattern, errors);
  }

  /** Calls `use` with each row of the terms, the term's strongest place in it, and the cost of the match. */
  forRows(matches: readonly TermMatch[], use: (row: number, place: number, cost: number) => void): void {
    const { termPostings, postings } = this.#file;
    for (const { term, cost } of matches) {
      const first = termPostings[term] ?? 0;
      for (let at = first, isLast = false; !isLast; at++) {
        const posting = first >= LAST ? first : (postings[at] ?? LAST);
        use((posting & ~LAST) >>> PLACE_BITS, posting & placeMask, cost);
        isLast = posting >= LAST;
      }
    }
  }

  #literal({ bytes, letters }: Pattern): TermMatch[] {
    const { termBytes, termSignatures } = this.#file;
    const matches: TermMatch[] = [];
    const add = (term: number, least: number): void => {
      const all = letterCount(termSignatures[term] ?? 0);
      const openEnd = Math.floor((cost.openEnd * (all - letters.length)) / all);
      matches.push({ term, cost: least + openEnd });
    };
    const { from, to } = this.#startingWith(bytes);
    for (let term = from; term < to; term++) {
      if (termBytes[term] === bytes.length) matches.push({ term, cost: 0 });
      else add(term, cost.prefix);
    }
    // A single ASCII letter is inside of half of all words and says nothing; a single 狗 does.
    if (bytes.length < 2) return matches;
    for (const suffix of this.#containing(bytes)) add(suffix >>> SUFFIX_OFFSET_BITS, cost.inside);
    return matches;
  }

  #mistyped(pattern: Pattern, errors: 1 | 2): TermMatch[] {
    const { letters, signature } = pattern;
    const matches: TermMatch[] = [];
    if (toleratedErrors(letters.length + errors) < errors) return matches;
    const { termBytes, termSignatures, termStarts, termText } = this.#file;
    this.#forCandidates(pattern, errors, (term) => {
      const termSignature = termSignatures[term] ?? 0;
      if (!mayBeWithin(signature, termSignature, errors)) return;
      if (toleratedErrors(letterCount(termSignature)) < errors) return;
      const start = termStarts[term] ?? 0;
      const termLetters = lettersOf(termText.subarray(start, start + (termBytes[term] ?? 0)));
      if (typingErrors(letters, termLetters, errors) === errors)
        matches.push({ term, cost: cost.errors[errors] });
    });
    return matches;
  }

  /**
   * Uses each term that may match. With one error, one half of the pattern is untouched: the term begins with the first half or
   * ends with the second, which are stretches of two sorted tables. With two errors one of three parts is untouched, and the
   * middle one has moved by a letter at most. Only a transposition across a border touches both sides of it: that one is undone
   * first.
   */
  #forCandidates(pattern: Pattern, errors: number, use: (term: number) => void): void {
    if (errors === 0) {
      const { from, to } = this.#startingWith(pattern.bytes);
      if (from < to) use(from);
      return;
    }
    const length = pattern.letters.length;
    const borders = errors === 1 ? [length >> 1] : [Math.floor(length / 3), Math.floor((length * 2) / 3)];
    const [first = 0, last = first] = borders;

    const head = sliceOf(pattern, 0, first);
    const { from, to } = this.#startingWith(head);
    for (let term = from; term < to; term++) use(term);
    for (const term of this.#endingWith(sliceOf(pattern, last, length))) use(term);
    if (first < last) {
      for (const suffix of this.#containing(sliceOf(pattern, first, last))) {
        const moved = (suffix & offsetMask) - head.length;
        if (Math.abs(moved) <= LETTER_BYTES) use(suffix >>> SUFFIX_OFFSET_BITS);
      }
    }
    for (const border of borders) this.#forCandidates(transposed(pattern, border), errors - 1, use);
  }

  /** Terms that begin with the text, from one up to but without another; one that is the text itself is the first. */
  #startingWith(text: Uint8Array): Range {
    return equalRange(this.#file.termBytes.length, (term) => this.#compare(term, 0, text));
  }

  /** The terms that end with the text. */
  #endingWith(text: Uint8Array): Uint32Array {
    const { termsByEnd } = this.#file;
    const backwards = text.toReversed();
    const order = (position: number) => this.#compare(termsByEnd[position] ?? 0, 0, backwards, true);
    const { from, to } = equalRange(termsByEnd.length, order);
    return termsByEnd.subarray(from, to);
  }

  /** The suffixes that begin with the text: places inside of words, not at their beginning. */
  #containing(text: Uint8Array): Uint32Array {
    const { suffixes } = this.#file;
    const { from, to } = equalRange(suffixes.length, (position) => {
      const suffix = suffixes[position] ?? 0;
      return this.#compare(suffix >>> SUFFIX_OFFSET_BITS, suffix & offsetMask, text);
    });
    return suffixes.subarray(from, to);
  }

  /**
   * Order of the term's bytes from `offset` on, or of all of them backwards, against the text; 0 if they begin with it.
   */
  #compare(term: number, offset: number, text: Uint8Array, isBackwards = false): number {
    const { termBytes, termStarts, termText } = this.#file;
    const length = (termBytes[term] ?? 0) - offset;
    const step = isBackwards ? -1 : 1;
    let at = (termStarts[term] ?? 0) + (isBackwards ? length - 1 : offset);
    for (let index = 0; index < text.length; index++, at += step) {
      if (index >= length) return -1;
      const difference = (termText[at] ?? 0) - (text[index] ?? 0);
      if (difference !== 0) return difference;
    }
    return 0;
  }
}

type Range = Readonly<Record<'from' | 'to', number>>;

/** The stretch of sorted positions at which `order` is 0: `from` up to but without `to`. */
function equalRange(count: number, order: (position: number) => number): Range {
  const first = (least: number): number => {
    let from = 0;
    let to = count;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (order(middle) < least) from = middle + 1;
      else to = middle;
    }
    return from;
  };
  const from = first(0);
  return { from, to: from < count && order(from) === 0 ? first(1) : from };
}

/** The pattern with the letters on both sides of a border exchanged. */
function transposed({ text }: Pattern, border: number): Pattern {
  const letters = [...text];
  const [before = '', after = ''] = letters.slice(border - 1, border + 1);
  return patternOf(letters.toSpliced(border - 1, 2, after, before).join(''));
}

/** The cost of a text's best match in the words of another one, as `Terms` counts it; undefined if there is none. */
export function literalCost({ text, letters }: Pattern, words: string): number | undefined {
  let best: number | undefined;
  for (const word of words.split(' ')) {
    const at = word.indexOf(text);
    if (at < 0) continue;
    const openEnd = Math.floor((cost.openEnd * (word.length - letters.length)) / word.length);
    const matched = word === text ? 0 : (at === 0 ? cost.prefix : cost.inside) + openEnd;
    if (best === undefined || matched < best) best = matched;
  }
  return best;
}
