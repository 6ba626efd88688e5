import { axisDigits } from '../../commands/format/numbers.ts';
import type { Scale } from './scale.ts';

/** Labels stand at least this far apart, so that they are no wall of digits. */
const MIN_ROWS_BETWEEN = 2;
const MOST_LABELS = 6;
const ROUND = [1, 2, 2.5, 5, 10] as const;

/** The row from the top of each round price, with its digits; all as wide as the widest. */
export function priceLabels(scale: Scale, rows: number): ReadonlyMap<number, string> {
  const ticks = roundPrices(scale, Math.max(MIN_ROWS_BETWEEN, rows / MOST_LABELS) / rows);
  const digits = axisDigits(ticks);
  const width = Math.max(...digits.map((label) => label.length));
  const rowOf = (price: number) => Math.min(rows - 1, Math.floor(scale.depth(price) * rows));
  return new Map(ticks.map((price, index) => [rowOf(price), (digits[index] ?? '').padStart(width)]));
}

/** Multiples of the smallest round step that is at least this part of the scale; ascending. */
function roundPrices({ low, high }: Scale, part: number): number[] {
  const least = (high - low) * part;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = power * (ROUND.find((factor) => factor * power >= least) ?? 10);
  const first = Math.ceil(low / step);
  const count = Math.floor(high / step) - first + 1;
  const ticks = Array.from({ length: count }, (_, index) => (first + index) * step);
  // A low drawing may lie between two round prices.
  return ticks.length > 0 ? ticks : [(low + high) / 2];
}
