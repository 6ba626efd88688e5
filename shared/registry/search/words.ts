import type { Entries } from '../entries.ts';
import { foldText } from '../fold.ts';
import { place } from '../format.ts';
import type { IndexFile } from '../index-file.ts';
import type { Board } from './board.ts';
import { cost } from './costs.ts';
import { addLiteral, literalCost } from './literal.ts';
import type { Pattern } from './query.ts';
import { TermList } from './term-list.ts';
import type { Terms } from './terms.ts';
import { addMistyped } from './typos.ts';

interface Word {
  readonly pattern: Pattern;
  /** The terms that match, once they were looked for. */
  list: TermList | undefined;
}

/** Up to so many rows are cheaper to fold (1.5 µs each) than the up to 15,000 terms of a short word to go through. */
const MOST_BY_TEXT = 100;

function isShort({ bytes }: Pattern): boolean {
  return bytes.length <= 2;
}

/** Intersects the entries of several words, in any order. One for all queries; leaves itself empty. */
export class WordMatches {
  readonly #file: IndexFile;
  readonly #entries: Entries;
  readonly #terms: Terms;
  /** By row: words matched so far, their costs, and the letters of the name that they account for. */
  readonly #matched: Uint8Array;
  readonly #total: Uint16Array;
  readonly #covered: Uint16Array;
  /** By row, for the word at hand: cost + 1 (0: none yet) and letters. */
  readonly #cost: Uint16Array;
  readonly #letters: Uint8Array;
  /** Rows of the first word, and of the word at hand. */
  readonly #firstRows: Uint32Array;
  readonly #rows: Uint32Array;

  #words: readonly Word[] = [];

  constructor(file: IndexFile, entries: Entries, terms: Terms) {
    const { size } = entries;
    this.#file = file;
    this.#entries = entries;
    this.#terms = terms;
    this.#matched = new Uint8Array(size);
    this.#total = new Uint16Array(size);
    this.#covered = new Uint16Array(size);
    this.#cost = new Uint16Array(size);
    this.#letters = new Uint8Array(size);
    this.#firstRows = new Uint32Array(size);
    this.#rows = new Uint32Array(size);
  }

  /** Takes the words of a query, without typing errors. */
  start(words: readonly Pattern[]): void {
    this.#words = words.map((pattern) => ({ pattern, list: undefined }));
  }

  /** Also looks for words with so many errors; whether that changed anything. */
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

  /** Offers the board every entry that has all words. */
  offerTo(board: Board): void {
    // Words with few terms first: they leave few rows for the others to be compared with.
    const sorted = this.#words.toSorted((a, b) => this.#estimate(a) - this.#estimate(b));
    let rows = this.#firstRows;
    let count = 0;
    let firstCount = 0;
    for (const [index, word] of sorted.entries()) {
      const before = rows;
      rows = index === 0 ? this.#firstRows : this.#rows;
      const byText = index > 0 && isShort(word.pattern) && count <= MOST_BY_TEXT;
      count = byText
        ? this.#matchText(word, index, before, count)
        : this.#match(this.#listOf(word), index, rows);
      if (index === 0) firstCount = count;
      if (count === 0) break;
    }
    for (let at = 0; at < count; at++) {
      const row = rows[at] ?? 0;
      board.offer(row, (this.#total[row] ?? 0) + cost.words + this.#uncovered(row));
    }
    this.#clear(firstCount);
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

  /** As `#match`, for a short word and the few rows that are left: by their texts instead of all of its terms. */
  #matchText({ pattern }: Word, index: number, before: Uint32Array, beforeCount: number): number {
    let count = 0;
    for (let at = 0; at < beforeCount; at++) {
      const row = before[at] ?? 0;
      const { id, name, symbol } = this.#entries.at(row);
      const own = literalCost(pattern, foldText(`${name} ${symbol}`));
      const best = own ?? literalCost(pattern, foldText(id));
      if (best === undefined) continue;
      this.#cost[row] = 1 + (own === undefined ? best + cost.idWord : best);
      this.#letters[row] = own === undefined ? 0 : pattern.letters.length;
      this.#take(row, index + 1);
      this.#rows[count++] = row;
    }
    return count;
  }

  /** Writes the rows that have all words up to this one, and returns how many they are. */
  #match(list: TermList, index: number, rows: Uint32Array): number {
    let count = 0;
    for (let at = 0; at < list.count; at++) {
      const termCost = (list.costs[at] ?? 0) + 1;
      const found = this.#terms.rowsOf(list.terms[at] ?? 0);
      for (let position = 0; position < found; position++) {
        const row = this.#terms.rows[position] ?? 0;
        if (this.#matched[row] !== index) continue;
        const where = this.#terms.places[position];
        const rowCost = where === place.idWord ? termCost + cost.idWord : termCost;
        const best = this.#cost[row] ?? 0;
        if (best !== 0 && best <= rowCost) continue;
        if (best === 0) rows[count++] = row;
        this.#cost[row] = rowCost;
        this.#letters[row] = where === place.name || where === place.word ? list.letters : 0;
      }
    }
    for (let at = 0; at < count; at++) this.#take(rows[at] ?? 0, index + 1);
    return count;
  }

  #take(row: number, matched: number): void {
    this.#matched[row] = matched;
    this.#total[row] = (this.#total[row] ?? 0) + (this.#cost[row] ?? 0) - 1;
    this.#covered[row] = (this.#covered[row] ?? 0) + (this.#letters[row] ?? 0);
    this.#cost[row] = 0;
  }

  #uncovered(row: number): number {
    return uncoveredCost(this.#covered[row] ?? 0, this.#file.nameLetters[row] ?? 0);
  }

  #clear(firstCount: number): void {
    for (let at = 0; at < firstCount; at++) {
      const row = this.#firstRows[at] ?? 0;
      this.#matched[row] = 0;
      this.#total[row] = 0;
      this.#covered[row] = 0;
    }
  }
}

/** What it costs that only `covered` of a name's letters are matched. */
export function uncoveredCost(covered: number, letters: number): number {
  return covered >= letters ? 0 : Math.floor((cost.uncovered * (letters - covered)) / letters);
}
