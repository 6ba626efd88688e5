import { foldText } from '../fold.ts';
import type { SearchIndex } from '../index-file.ts';
import { place } from '../index-file.ts';
import type { RegistryLookups } from '../lookups.ts';
import { cost } from './costs.ts';
import { addLiteral, literalCost } from './literal.ts';
import type { Pattern } from './query.ts';
import { RowTally } from './row-tally.ts';
import { TermList, type Terms } from './terms.ts';
import type { TopMatches } from './top-matches.ts';
import { addMistyped } from './typos.ts';

interface Word {
  readonly pattern: Pattern;
  /** The terms that match, once they were looked for. */
  list: TermList | undefined;
}

/** Up to so many rows are cheaper to fold (1.5 µs each) than going through up to 15,000 terms of a short word. */
const MOST_BY_TEXT = 100;

const isShort = ({ bytes }: Pattern): boolean => bytes.length <= 2;

/** Finds the entries that have several words, in any order. One for all queries. */
export class WordMatches {
  readonly #file: SearchIndex;
  readonly #lookups: RegistryLookups;
  readonly #terms: Terms;
  readonly #tally: RowTally;
  #words: readonly Word[] = [];

  constructor(file: SearchIndex, lookups: RegistryLookups, terms: Terms) {
    this.#file = file;
    this.#lookups = lookups;
    this.#terms = terms;
    this.#tally = new RowTally(lookups.size);
  }

  start(words: readonly Pattern[]): void {
    this.#words = words.map((pattern) => ({ pattern, list: undefined }));
  }

  /** Also looks for words with so many errors. Returns true if that found more terms. */
  addMistyped(errors: 1 | 2): boolean {
    let changed = false;
    for (const word of this.#words) {
      if (isShort(word.pattern)) continue;
      const list = this.#listOf(word);
      const before = list.count;
      addMistyped(this.#file, this.#terms, word.pattern, errors, list);
      changed ||= list.count > before;
    }
    return changed;
  }

  offerTo(topMatches: TopMatches): void {
    // Words with few terms first: they leave few rows for the others to be compared with.
    const sorted = this.#words.toSorted((a, b) => this.#estimate(a) - this.#estimate(b));
    const tally = this.#tally;
    for (const [index, word] of sorted.entries()) {
      if (index > 0 && tally.count === 0) break;
      if (index > 0 && isShort(word.pattern) && tally.count <= MOST_BY_TEXT) this.#addByText(word);
      else this.#addByTerms(this.#listOf(word));
      tally.endWord();
    }
    for (let at = 0; at < tally.count; at++) {
      const row = tally.rows[at] ?? 0;
      const uncovered = uncoveredCost(tally.covered(row), this.#file.nameLetters[row] ?? 0);
      topMatches.offer(row, tally.total(row) + cost.words + uncovered);
    }
    tally.clear();
  }

  #listOf(word: Word): TermList {
    if (word.list) return word.list;
    word.list = new TermList(word.pattern.letters.length);
    addLiteral(this.#file, this.#terms, word.pattern, word.list);
    return word.list;
  }

  #estimate(word: Word): number {
    return isShort(word.pattern)
      ? Number.MAX_SAFE_INTEGER - word.pattern.bytes.length
      : this.#listOf(word).count;
  }

  #addByTerms(list: TermList): void {
    for (let at = 0; at < list.count; at++) {
      const termCost = list.costs[at] ?? 0;
      const rows = this.#terms.rowsOf(list.terms[at] ?? 0);
      for (let position = 0; position < rows; position++) {
        const found = this.#terms.places[position];
        const isOfName = found === place.name || found === place.word;
        const rowCost = found === place.idWord ? termCost + cost.idWord : termCost;
        this.#tally.add(this.#terms.rows[position] ?? 0, rowCost, isOfName ? list.letters : 0);
      }
    }
  }

  /** The same for a short word and the few rows that are left: by their texts, not by all terms of the word. */
  #addByText({ pattern }: Word): void {
    const { rows, count } = this.#tally;
    for (let at = 0; at < count; at++) {
      const row = rows[at] ?? 0;
      const { id, name, symbol } = this.#lookups.at(row);
      const own = literalCost(pattern, foldText(`${name} ${symbol}`));
      if (own !== undefined) {
        this.#tally.add(row, own, pattern.letters.length);
        continue;
      }
      const inId = literalCost(pattern, foldText(id));
      if (inId !== undefined) this.#tally.add(row, inId + cost.idWord, 0);
    }
  }
}

/** The cost of matching only `covered` of a name's letters. */
export function uncoveredCost(covered: number, letters: number): number {
  return covered >= letters ? 0 : Math.floor((cost.uncovered * (letters - covered)) / letters);
}
