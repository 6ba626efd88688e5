/** Converts prices to rows of a drawing, and back for the axis. */
export interface Scale {
  readonly low: number;
  readonly high: number;
  /** A price's distance from the top: 0 at `high`, 1 at `low`. */
  depth(price: number): number;
}

/** A scale that holds all prices; if they are all the same, that price is in the middle. */
export function scaleOf(prices: readonly number[]): Scale {
  const lowest = prices.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const highest = prices.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const margin = highest > lowest ? 0 : Math.abs(highest) * 0.01 || 1;
  const low = lowest - margin;
  const high = highest + margin;
  return { low, high, depth: (price) => (high - price) / (high - low) };
}
