import type { EntryFilter } from '../entries.ts';
import type { SearchIndex } from '../index-file.ts';
import { place } from '../index-file.ts';
import type { RegistryLookups } from '../lookups.ts';
import { cost } from './costs.ts';
import { addLiteral } from './literal.ts';
import { type Pattern, parseQuery, type Query } from './query.ts';
import { TermList, Terms } from './terms.ts';
import { type Ranked, TopMatches } from './top-matches.ts';
import { addMistyped } from './typos.ts';
import { uncoveredCost, WordMatches } from './words.ts';

/** With so many entries found, those with two errors are not looked for. */
const ENOUGH = 5;

/** Fuzzy search over one index. Holds 27 bytes an entry for the matches of the query at hand. */
export class FuzzySearch {
  readonly #file: SearchIndex;
  readonly #lookups: RegistryLookups;
  readonly #terms: Terms;
  readonly #topMatches: TopMatches;
  readonly #words: WordMatches;

  constructor(file: SearchIndex, lookups: RegistryLookups) {
    this.#file = file;
    this.#lookups = lookups;
    this.#terms = new Terms(file);
    this.#topMatches = new TopMatches(lookups);
    this.#words = new WordMatches(file, lookups, this.#terms);
  }

  /** The best `limit` rows for a query. Throws RangeError for the empty string. */
  find(text: string, limit: number, filter: EntryFilter): Ranked[] {
    if (text === '') throw new RangeError('The query is empty');
    if (!(limit >= 1)) return [];
    const query = parseQuery(text);
    try {
      this.#offerExact(query.text);
      if (query.whole.letters.length === 0) return this.#topMatches.top(limit, filter);
      return this.#search(query, Math.floor(limit), filter);
    } finally {
      this.#topMatches.clear();
    }
  }

  #search({ whole, words }: Query, limit: number, filter: EntryFilter): Ranked[] {
    this.#findWhole(whole, 0);
    this.#words.start(words);
    this.#words.offerTo(this.#topMatches);
    const literal = this.#topMatches.top(limit, filter);
    if ((literal[limit - 1]?.total ?? Number.POSITIVE_INFINITY) <= cost.errors[1]) return literal;

    this.#findWhole(whole, 1);
    if (this.#words.addMistyped(1)) this.#words.offerTo(this.#topMatches);
    const close = this.#topMatches.top(limit, filter);
    if (literal.length > 0 || close.length >= Math.min(limit, ENOUGH)) return close;

    // Two errors are looked for word by word only: in all of a text they cost 0.4 ms if it ends like many names.
    if (words.length === 0) this.#findWhole(whole, 2);
    if (this.#words.addMistyped(2)) this.#words.offerTo(this.#topMatches);
    return this.#topMatches.top(limit, filter);
  }

  #findWhole(whole: Pattern, errors: 0 | 1 | 2): void {
    const list = new TermList(whole.letters.length);
    if (errors === 0) addLiteral(this.#file, this.#terms, whole, list);
    else addMistyped(this.#file, this.#terms, whole, errors, list);
    this.#offer(list);
  }

  /** Ids and symbols by their own rules, which folding may have made equal to others or to nothing. */
  #offerExact(text: string): void {
    for (const row of this.#lookups.rowsOfSymbol(text)) this.#topMatches.offer(row, 0);
    const row = this.#lookups.rowOfId(text, true);
    if (row >= 0) this.#topMatches.offer(row, 0);
  }

  #offer(list: TermList): void {
    const { nameLetters } = this.#file;
    for (let at = 0; at < list.count; at++) {
      const termCost = list.costs[at] ?? 0;
      const found = this.#terms.rowsOf(list.terms[at] ?? 0);
      for (let position = 0; position < found; position++) {
        const row = this.#terms.rows[position] ?? 0;
        const where = this.#terms.places[position] ?? 0;
        let total = termCost;
        if (where === place.idWord) total += cost.idWord;
        else if (where > place.name) total += cost.word + uncoveredCost(list.letters, nameLetters[row] ?? 0);
        this.#topMatches.offer(row, total);
      }
    }
  }
}
