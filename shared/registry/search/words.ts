import { place, type SearchIndex } from '../index-file.ts';
import type { Pattern } from './query.ts';
import { cost, type TopMatches } from './ranking.ts';
import { addLiteral, addMistyped } from './term-matches.ts';
import { TermList, type Terms } from './terms.ts';

/** An entry that has all words so far: their costs, and how many letters of its name they account for. */
interface Match {
  readonly cost: number;
  readonly covered: number;
}

/** The entries that have all words of one query, in any order. */
export class WordMatches {
  readonly #file: SearchIndex;
  readonly #terms: Terms;
  readonly #words: readonly { readonly pattern: Pattern; readonly list: TermList }[];

  constructor(file: SearchIndex, terms: Terms, words: readonly Pattern[]) {
    this.#file = file;
    this.#terms = terms;
    this.#words = words.map((pattern) => {
      const list = new TermList(pattern.letters.length);
      addLiteral(file, terms, pattern, list);
      return { pattern, list };
    });
  }

  /** Also looks for words with so many errors. Returns true if that found more terms. */
  addMistyped(errors: 1 | 2): boolean {
    let changed = false;
    for (const { pattern, list } of this.#words) {
      const before = list.count;
      addMistyped(this.#file, this.#terms, pattern, errors, list);
      changed ||= list.count > before;
    }
    return changed;
  }

  offerTo(topMatches: TopMatches): void {
    // Words with few terms first: they leave few rows for the others to be compared with.
    const lists = this.#words.map(({ list }) => list).toSorted((a, b) => a.count - b.count);
    let rows: ReadonlyMap<number, Match> | undefined;
    for (const list of lists) rows = this.#rowsWith(list, rows);
    for (const [row, match] of rows ?? []) {
      const uncovered = uncoveredCost(match.covered, this.#file.nameLetters[row] ?? 0);
      topMatches.offer(row, match.cost + cost.words + uncovered);
    }
  }

  /** Those of the rows that have a word too; all that have it if there are none before. */
  #rowsWith(list: TermList, before?: ReadonlyMap<number, Match>): ReadonlyMap<number, Match> {
    const rows = new Map<number, Match>();
    if (before?.size === 0) return rows;
    for (let at = 0; at < list.count; at++) {
      const termCost = list.costs[at] ?? 0;
      const count = this.#terms.rowsOf(list.terms[at] ?? 0);
      for (let position = 0; position < count; position++) {
        const row = this.#terms.rows[position] ?? 0;
        const earlier = before ? before.get(row) : { cost: 0, covered: 0 };
        if (!earlier) continue;
        const where = this.#terms.places[position];
        const total = earlier.cost + termCost + (where === place.idWord ? cost.idWord : 0);
        const best = rows.get(row);
        if (best && best.cost <= total) continue;
        const isOfName = where === place.name || where === place.word;
        rows.set(row, { cost: total, covered: earlier.covered + (isOfName ? list.letters : 0) });
      }
    }
    return rows;
  }
}

/** The cost of matching only `covered` of a name's letters. */
export function uncoveredCost(covered: number, letters: number): number {
  return covered >= letters ? 0 : Math.floor((cost.uncovered * (letters - covered)) / letters);
}
