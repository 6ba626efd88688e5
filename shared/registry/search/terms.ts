import type { SearchIndex } from '../index-file.ts';
import { LAST, PLACE_BITS, SINGLE, SUFFIX_OFFSET_BITS } from '../index-file.ts';
import { readLetters } from './letters.ts';

type Range = Readonly<Record<'from' | 'to', number>>;

const placeMask = 2 ** PLACE_BITS - 1;

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

/**
 * The table of terms: every distinct word and every distinct whole name or symbol of the registry, folded, sorted by
 * their UTF-8 bytes. A term is its position in this order.
 */
export class Terms {
  readonly count: number;
  readonly rows: Uint32Array;
  readonly places: Uint8Array;
  readonly #file: SearchIndex;

  constructor(file: SearchIndex) {
    this.#file = file;
    this.count = file.termBytes.length;
    const [size = 0] = file.counts;
    this.rows = new Uint32Array(size);
    this.places = new Uint8Array(size);
  }

  /** Terms that begin with the text; one that is the text itself is the first. */
  startingWith(text: Uint8Array): Range {
    return equalRange(this.count, (term) => this.#compareFrom(term, 0, text));
  }

  /** Positions in `termsByEnd` of the terms that end with the text. */
  endingWith(text: Uint8Array): Range {
    const { termsByEnd } = this.#file;
    return equalRange(this.count, (position) => this.#compareEnd(termsByEnd[position] ?? 0, text));
  }

  /** Positions in `suffixes` of the words that have the text inside, not at their beginning. */
  containing(text: Uint8Array): Range {
    const { suffixes } = this.#file;
    return equalRange(suffixes.length, (position) => {
      const suffix = suffixes[position] ?? 0;
      return this.#compareFrom(suffix >>> SUFFIX_OFFSET_BITS, suffix & (2 ** SUFFIX_OFFSET_BITS - 1), text);
    });
  }

  bytes(term: number): number {
    return this.#file.termBytes[term] ?? 0;
  }

  /** Writes the term's code points into `into` and returns their number. */
  letters(term: number, into: Int32Array): number {
    const { termText, termStarts } = this.#file;
    const start = termStarts[term] ?? 0;
    return readLetters(termText, start, start + this.bytes(term), into);
  }

  /** Writes rows and strongest places of a term into `rows` and `places`, until the next call; returns how many. */
  rowsOf(term: number): number {
    const { termPostings, postings } = this.#file;
    const value = termPostings[term] ?? 0;
    if (value >= SINGLE) {
      this.#put(0, value & ~SINGLE);
      return 1;
    }
    for (let count = 0; ; ) {
      const posting = postings[value + count] ?? LAST;
      this.#put(count++, posting & ~LAST);
      if (posting >= LAST) return count;
    }
  }

  #put(index: number, posting: number): void {
    this.rows[index] = posting >>> PLACE_BITS;
    this.places[index] = posting & placeMask;
  }

  /** Order of the term's bytes from `offset` on against the text; 0 when they begin with it. */
  #compareFrom(term: number, offset: number, text: Uint8Array): number {
    const { termText, termStarts } = this.#file;
    const start = termStarts[term] ?? 0;
    const length = this.bytes(term) - offset;
    for (let index = 0; index < text.length; index++) {
      if (index >= length) return -1;
      const difference = (termText[start + offset + index] ?? 0) - (text[index] ?? 0);
      if (difference !== 0) return difference;
    }
    return 0;
  }

  /** The same from the last byte backwards. */
  #compareEnd(term: number, text: Uint8Array): number {
    const { termText, termStarts } = this.#file;
    const length = this.bytes(term);
    const last = (termStarts[term] ?? 0) + length - 1;
    for (let index = 0; index < text.length; index++) {
      if (index >= length) return -1;
      const difference = (termText[last - index] ?? 0) - (text[text.length - 1 - index] ?? 0);
      if (difference !== 0) return difference;
    }
    return 0;
  }
}

/** The terms that one text matches, each with its cost; some come more than once. */
export class TermList {
  readonly terms: number[] = [];
  readonly costs: number[] = [];
  /** Letters of the text. */
  readonly letters: number;

  constructor(letters: number) {
    this.letters = letters;
  }

  get count(): number {
    return this.terms.length;
  }

  add(term: number, cost: number): void {
    this.terms.push(term);
    this.costs.push(cost);
  }
}
