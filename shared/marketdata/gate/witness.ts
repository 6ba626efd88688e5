/** What markets say of a coin's price, as a second source. */
import { type Agreement, agreementOf, median } from '../sources/market.ts';
import type { CoinQuotes } from '../sources/source-map.ts';
import { ONE_MOMENT_MS, PARTS } from './bounds.ts';

/** If a single market contradicts the provider, either may be wrong. */
const MIN_MARKETS = 2;

export interface Opinion {
  /** Null without a market. */
  readonly sources: Agreement | null;
  /** `silent`: no market, or none that can be compared. */
  readonly verdict: 'agrees' | 'contradicts' | 'silent';
  /** The markets' median; undefined without one. */
  readonly middle: number | undefined;
}

/**
 * The markets' opinion of a coin's price that was made at a time (ms since the epoch). Two markets that are more than a tenth off
 * contradict it. Only prices of one moment are compared so closely: in a crash, a right price lies between those of the runs before
 * and after it, or further off if it was made minutes before or after all of them.
 */
export function opinionOf(
  id: string,
  price: number | null,
  madeAt: number,
  quotes: CoinQuotes | undefined,
): Opinion {
  const own = quotes?.coins.get(id) ?? [];
  const sources = agreementOf(price, own);
  if (!quotes || sources === null || price === null) return { sources, verdict: 'silent', middle: undefined };
  const middle = median(own.map((quote) => quote.price));
  const runs = [{ takenAt: quotes.takenAt, middle }, ...runsOf(quotes, id)];
  const around = [
    runs.find(({ takenAt }) => takenAt <= madeAt),
    runs.findLast(({ takenAt }) => takenAt >= madeAt),
  ].filter((run) => run !== undefined);
  const middles = around.map((run) => run.middle);
  const isBetween = (part: number) =>
    price >= Math.min(...middles) * (1 - part) && price <= Math.max(...middles) * (1 + part);
  if (isBetween(PARTS.disputed)) return { sources, verdict: 'agrees', middle };
  const isOfMoment = around.some(({ takenAt }) => Math.abs(takenAt - madeAt) <= ONE_MOMENT_MS);
  const isPossible = isBetween(isOfMoment ? PARTS.disputed : PARTS.disputedLater);
  return { sources, verdict: isPossible || own.length < MIN_MARKETS ? 'silent' : 'contradicts', middle };
}

/** The coin's medians in the runs before, the newest first. */
function runsOf({ earlier = [] }: CoinQuotes, id: string) {
  return earlier.flatMap(({ takenAt, medians }) => {
    const middle = medians.get(id);
    return middle === undefined ? [] : [{ takenAt, middle }];
  });
}
