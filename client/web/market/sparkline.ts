const WIDTH = 100;
const HEIGHT = 32;
/** Half of the line's width, so that its highest point is not clipped. */
const MARGIN = 2;
/** A smaller range, relative to the price, does not fill the height: a stablecoin's noise stays small. */
const SMALLEST_RANGE = 0.02;

/** Prices on an even grid as the `d` of an SVG path in a box of 100 by 32; null is a gap. Empty without two neighbours. */
export function pathOf(prices: readonly (number | null)[]): string {
  const known = prices.filter((price) => price !== null);
  const low = Math.min(...known);
  const high = Math.max(...known);
  const range = Math.max(high - low, high * SMALLEST_RANGE);
  const steps = Math.max(1, prices.length - 1);
  const pointOf = (price: number, index: number) => {
    const part = 0.5 + (price - (low + high) / 2) / range;
    const x = (index / steps) * WIDTH;
    const y = HEIGHT - MARGIN - part * (HEIGHT - 2 * MARGIN);
    return `${x.toFixed(1)} ${y.toFixed(1)}`;
  };
  return prices
    .map((price, index) => {
      if (price === null) return '';
      return `${(prices[index - 1] ?? null) === null ? 'M' : 'L'}${pointOf(price, index)}`;
    })
    .join('');
}
