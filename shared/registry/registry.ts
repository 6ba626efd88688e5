import type { EntryFilter, RegistryEntry } from './entries.ts';
import { foldText } from './fold.ts';
import { openIndex, openIndexBytes, place, type SearchIndex } from './index-file.ts';
import { RegistryLookups } from './lookups.ts';
import type { RegistryManifest } from './manifest.ts';
import { type Pattern, parseQuery } from './search/pattern.ts';
import { cost, MOST_FOR_RANK, type Ranked, RowCosts, uncoveredCost } from './search/ranking.ts';
import { literalCost, type TermMatch, Terms } from './search/terms.ts';

const DEFAULT_LIMIT = 20;
/** A whole symbol or name with one error, at any rank; a more expensive match is a guess. */
const MOST_FOR_SUGGESTION = cost.errors[1] + MOST_FOR_RANK;

/** All of the registry's operations. The search's part of the index is read at its first use. */
export class Registry extends RegistryLookups {
  #search: FuzzySearch | undefined;

  /** Entries by symbol, name or id, best first, tolerating typing errors. Throws RangeError for an empty query. */
  search(query: string, limit = DEFAULT_LIMIT, filter: EntryFilter = {}): RegistryEntry[] {
    const best = this.prepareSearch().find(query, limit, filter);
    return best.map(({ row }) => this.at(row));
  }

  /** The active id that a caller most likely meant by an unknown one (a symbol, a name, a mistyped id), or `null`. */
  suggestId(unknownId: string): string | null {
    if (unknownId === '') return null;
    const [best] = this.prepareSearch().find(unknownId, 1, { activeOnly: true });
    return best && best.total <= MOST_FOR_SUGGESTION ? this.id(best.row) : null;
  }

  /** Reads the search's part unless that is done. Throws RegistryError if it cannot; lookups are not affected. */
  prepareSearch(): FuzzySearch {
    this.#search ??= new FuzzySearch(this.index.readSearch(), this);
    return this.#search;
  }
}

/** Opens the registry that a build wrote into `folder`. Throws RegistryError naming file and reason. */
export function openRegistry(folder: string): Registry {
  return new Registry(openIndex(folder));
}

export function openRegistryBytes(bytes: Uint8Array, manifest: RegistryManifest): Registry {
  return new Registry(openIndexBytes(bytes, manifest));
}

const searchables = new WeakMap<RegistryLookups, Registry>();

/** The registry that was opened for lookups, with its search: the same object each time. */
export function searchable(lookups: RegistryLookups): Registry {
  const known = searchables.get(lookups);
  if (known) return known;
  const registry = new Registry(lookups.index);
  searchables.set(lookups, registry);
  return registry;
}

/** If this many entries are found, matches with two errors are not searched. */
const ENOUGH = 5;

/** Folding up to this many rows (1.5 µs each) is cheaper than going through up to 15,000 terms of a short word. */
const MOST_BY_TEXT = 100;

/** A word of a query. */
interface Word {
  readonly pattern: Pattern;
  /** Undefined until they are searched. */
  matches: readonly TermMatch[] | undefined;
}

const isShort = ({ pattern }: Word): boolean => pattern.bytes.length <= 2;

/** Fuzzy search over one index. Uses 12 bytes an entry for the matches of the current query. */
class FuzzySearch {
  readonly #file: SearchIndex;
  readonly #lookups: RegistryLookups;
  readonly #terms: Terms;
  readonly #best: RowCosts;
  /** Rows that have all words of the query before the current one, and those that have this one too. */
  readonly #withWords: readonly [RowCosts, RowCosts];

  constructor(file: SearchIndex, lookups: RegistryLookups) {
    this.#file = file;
    this.#lookups = lookups;
    this.#terms = new Terms(file);
    this.#best = new RowCosts(lookups);
    this.#withWords = [new RowCosts(lookups), new RowCosts(lookups)];
  }

  /** The best `limit` rows for a query. Throws RangeError for the empty string. */
  find(text: string, limit: number, filter: EntryFilter): Ranked[] {
    if (text === '') throw new RangeError('The query is empty');
    if (!(limit >= 1)) return [];
    try {
      return this.#find(text, Math.floor(limit), filter);
    } finally {
      this.#best.clear();
    }
  }

  #find(given: string, limit: number, filter: EntryFilter): Ranked[] {
    const { text, whole, words: patterns } = parseQuery(given);
    this.#offerExact(text);
    if (whole.letters.length === 0) return this.#best.top(limit, filter);

    const words = patterns.map((pattern): Word => ({ pattern, matches: undefined }));
    this.#offerWhole(whole, 0);
    this.#offerWords(words);
    const literal = this.#best.top(limit, filter);
    if ((literal[limit - 1]?.total ?? Number.POSITIVE_INFINITY) <= cost.errors[1]) return literal;

    this.#offerWhole(whole, 1);
    if (this.#addMistyped(words, 1)) this.#offerWords(words);
    const close = this.#best.top(limit, filter);
    if (literal.length > 0 || close.length >= Math.min(limit, ENOUGH)) return close;

    // Two errors are tolerated word by word only: in the whole text they cost 0.4 ms if it ends like many names.
    if (words.length === 0) this.#offerWhole(whole, 2);
    if (this.#addMistyped(words, 2)) this.#offerWords(words);
    return this.#best.top(limit, filter);
  }

  /** Ids and symbols by their own rules, because folding may have made them equal to others or empty. */
  #offerExact(text: string): void {
    for (const row of this.#lookups.rowsOfSymbol(text)) this.#best.offer(row, 0);
    const row = this.#lookups.rowOfId(text, true);
    if (row >= 0) this.#best.offer(row, 0);
  }

  /** The rows with a term that matches the whole query. */
  #offerWhole(whole: Pattern, errors: 0 | 1 | 2): void {
    const { nameLetters } = this.#file;
    this.#terms.forRows(this.#terms.matches(whole, errors), (row, where, termCost) => {
      let total = termCost;
      if (where === place.idWord) total += cost.idWord;
      else if (where > place.name)
        total += cost.word + uncoveredCost(whole.letters.length, nameLetters[row] ?? 0);
      this.#best.offer(row, total);
    });
  }

  /** The rows that have all words of the query, in any order. */
  #offerWords(words: readonly Word[]): void {
    // Words with few terms first: they leave few rows for the others to be compared with.
    const sorted = words.toSorted((a, b) => this.#estimate(a) - this.#estimate(b));
    let [before, next] = this.#withWords;
    for (const [index, word] of sorted.entries()) {
      if (index > 0 && before.rows.length === 0) break;
      this.#offerWord(word, index === 0 ? undefined : before, next);
      before.clear();
      [before, next] = [next, before];
    }
    for (const row of before.rows) {
      const uncovered = uncoveredCost(before.coveredOf(row), this.#file.nameLetters[row] ?? 0);
      this.#best.offer(row, before.costOf(row) + cost.words + uncovered);
    }
    before.clear();
  }

  /** The previous rows that have this word too, or all rows with it. */
  #offerWord(word: Word, before: RowCosts | undefined, next: RowCosts): void {
    const { letters } = word.pattern;
    const offer = (row: number, wordCost: number, covered: number): void => {
      if (!before) next.offer(row, wordCost, covered);
      else if (before.has(row))
        next.offer(row, before.costOf(row) + wordCost, before.coveredOf(row) + covered);
    };
    if (before && isShort(word) && before.rows.length <= MOST_BY_TEXT) {
      for (const row of before.rows) {
        const { id, name, symbol } = this.#lookups.at(row);
        const ofLabels = literalCost(word.pattern, foldText(`${name} ${symbol}`));
        const ofId = ofLabels === undefined ? literalCost(word.pattern, foldText(id)) : undefined;
        if (ofLabels !== undefined) offer(row, ofLabels, letters.length);
        else if (ofId !== undefined) offer(row, ofId + cost.idWord, 0);
      }
      return;
    }
    this.#terms.forRows(this.#matchesOf(word), (row, where, termCost) => {
      const isOfName = where === place.name || where === place.word;
      const rowCost = where === place.idWord ? termCost + cost.idWord : termCost;
      offer(row, rowCost, isOfName ? letters.length : 0);
    });
  }

  #matchesOf(word: Word): readonly TermMatch[] {
    word.matches ??= this.#terms.matches(word.pattern, 0);
    return word.matches;
  }

  #estimate(word: Word): number {
    if (isShort(word)) return Number.MAX_SAFE_INTEGER - word.pattern.bytes.length;
    return this.#matchesOf(word).length;
  }

  /** Looks for words with so many errors as well. Returns true if that found more terms. */
  #addMistyped(words: readonly Word[], errors: 1 | 2): boolean {
    let changed = false;
    for (const word of words) {
      if (isShort(word)) continue;
      const more = this.#terms.matches(word.pattern, errors);
      word.matches = [...this.#matchesOf(word), ...more];
      changed ||= more.length > 0;
    }
    return changed;
  }
}
