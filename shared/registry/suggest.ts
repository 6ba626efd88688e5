import type { Entries } from './entries.ts';
import { cost, MOST_FOR_RANK } from './search/costs.ts';
import type { FuzzySearch } from './search/search.ts';

/** A whole symbol or name with one error, however low its rank; what costs more is a guess. */
const PLAUSIBLE = cost.errors[1] + MOST_FOR_RANK;

/**
 * The active id that a caller most likely meant by an unknown one: a symbol, a name, a mistyped id. `null` where
 * nothing comes close.
 */
export function suggestId(search: FuzzySearch, entries: Entries, unknownId: string): string | null {
  if (unknownId === '') return null;
  const [best] = search.find(unknownId, 1, { activeOnly: true });
  return best && best.total <= PLAUSIBLE ? entries.id(best.row) : null;
}
