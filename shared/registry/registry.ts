import type { EntryFilter, RegistryEntry } from './entries.ts';
import { openIndex, openIndexBytes, place, type SearchIndex } from './index-file.ts';
import { RegistryLookups } from './lookups.ts';
import type { RegistryManifest } from './manifest.ts';
import { type Pattern, parseQuery, type Query } from './search/query.ts';
import { cost, MOST_FOR_RANK, type Ranked, TopMatches } from './search/ranking.ts';
import { addLiteral, addMistyped } from './search/term-matches.ts';
import { TermList, Terms } from './search/terms.ts';
import { uncoveredCost, WordMatches } from './search/words.ts';

const DEFAULT_LIMIT = 20;
/** A whole symbol or name with one error, however low its rank; whatever costs more is a guess. */
const MOST_FOR_SUGGESTION = cost.errors[1] + MOST_FOR_RANK;

/** All of the registry's operations. The search's part of the index is read at its first use. */
export class Registry extends RegistryLookups {
  #search: FuzzySearch | undefined;

  /** Entries by symbol, name or id, best first, in spite of typing errors. Throws RangeError for an empty query. */
  fuzzySearch(query: string, limit = DEFAULT_LIMIT): RegistryEntry[] {
    return this.search(query, limit, {});
  }

  search(query: string, limit: number, filter: EntryFilter): RegistryEntry[] {
    const found = this.prepareSearch().find(query, limit, filter);
    return found.map(({ row }) => this.at(row));
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

/** With so many entries found, those with two errors are not looked for. */
const ENOUGH = 5;

/** Fuzzy search over one index. */
class FuzzySearch {
  readonly #file: SearchIndex;
  readonly #lookups: RegistryLookups;
  readonly #terms: Terms;

  constructor(file: SearchIndex, lookups: RegistryLookups) {
    this.#file = file;
    this.#lookups = lookups;
    this.#terms = new Terms(file);
  }

  /** The best `limit` rows for a query. Throws RangeError for the empty string. */
  find(text: string, limit: number, filter: EntryFilter): Ranked[] {
    if (text === '') throw new RangeError('The query is empty');
    if (!(limit >= 1)) return [];
    const query = parseQuery(text);
    const matches = new TopMatches(this.#lookups);
    this.#offerExact(query.text, matches);
    if (query.whole.letters.length > 0) this.#search(query, matches, Math.floor(limit), filter);
    return matches.top(limit, filter);
  }

  #search({ whole, words: patterns }: Query, matches: TopMatches, limit: number, filter: EntryFilter): void {
    this.#offerWhole(whole, 0, matches);
    const words = new WordMatches(this.#file, this.#terms, patterns);
    words.offerTo(matches);
    const literal = matches.top(limit, filter);
    if ((literal[limit - 1]?.total ?? Number.POSITIVE_INFINITY) <= cost.errors[1]) return;

    this.#offerWhole(whole, 1, matches);
    if (words.addMistyped(1)) words.offerTo(matches);
    if (literal.length > 0 || matches.top(limit, filter).length >= Math.min(limit, ENOUGH)) return;

    // Two errors are looked for word by word only: in all of a text they cost 0.4 ms if it ends like many names.
    if (patterns.length === 0) this.#offerWhole(whole, 2, matches);
    if (words.addMistyped(2)) words.offerTo(matches);
  }

  /** Ids and symbols by their own rules, which folding may have made equal to others or to nothing. */
  #offerExact(text: string, matches: TopMatches): void {
    for (const row of this.#lookups.rowsOfSymbol(text)) matches.offer(row, 0);
    const row = this.#lookups.rowOfId(text, true);
    if (row >= 0) matches.offer(row, 0);
  }

  #offerWhole(whole: Pattern, errors: 0 | 1 | 2, matches: TopMatches): void {
    const { nameLetters } = this.#file;
    const list = new TermList(whole.letters.length);
    if (errors === 0) addLiteral(this.#file, this.#terms, whole, list);
    else addMistyped(this.#file, this.#terms, whole, errors, list);
    for (let at = 0; at < list.count; at++) {
      const termCost = list.costs[at] ?? 0;
      const rows = this.#terms.rowsOf(list.terms[at] ?? 0);
      for (let position = 0; position < rows; position++) {
        const row = this.#terms.rows[position] ?? 0;
        const where = this.#terms.places[position] ?? 0;
        let total = termCost;
        if (where === place.idWord) total += cost.idWord;
        else if (where > place.name) total += cost.word + uncoveredCost(list.letters, nameLetters[row] ?? 0);
        matches.offer(row, total);
      }
    }
  }
}
