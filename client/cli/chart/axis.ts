import { axisDigits } from '../../commands/format/numbers.ts';
import type { Tone } from '../../commands/format/text.ts';
import type { Point } from './cells.ts';

/** Converts values to rows of a drawing. */
export interface Scale {
  readonly low: number;
  readonly high: number;
  /** A value's distance from the top: 0 at `high`, 1 at `low`. */
  depth(value: number): number;
}

/** The label beside a row: a value of the scale, or a mark. */
export interface Label {
  readonly text: string;
  /** The tone of a mark; other labels have none. */
  readonly tone?: Tone | undefined;
  readonly isMark?: boolean;
}

export type Labels = Map<number, Label>;

/** The least distance between labels. */
const MIN_ROWS_BETWEEN = 2;
const MOST_LABELS = 6;
const ROUND = [1, 2, 2.5, 5, 10] as const;

/** A scale that holds all values; if they are all equal, that value is in the middle. */
export function scaleOf(values: readonly number[]): Scale {
  const lowest = values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const highest = values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const margin = highest > lowest ? 0 : Math.abs(highest) * 0.01 || 1;
  const low = lowest - margin;
  const high = highest + margin;
  return { low, high, depth: (value) => (high - value) / (high - low) };
}

/** Values side by side over the whole width of a drawing; null: unknown. */
export function pointsOf(values: readonly (number | null)[], { depth }: Scale): Point[] {
  const right = Math.max(1, values.length - 1);
  return values.flatMap((value, index) => (value === null ? [] : { x: index / right, y: depth(value) }));
}

export function rowOf(value: number, scale: Scale, rows: number): number {
  return Math.max(0, Math.min(rows - 1, Math.floor(scale.depth(value) * rows)));
}

/** Round prices, or changes such as `+20%`, by their row from the top: multiples of the smallest round step that keeps them apart. */
export function axisLabels(scale: Scale, rows: number, isPercent = false): Labels {
  const { low, high } = scale;
  const least = ((high - low) * Math.max(MIN_ROWS_BETWEEN, rows / MOST_LABELS)) / rows;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = power * (ROUND.find((factor) => factor * power >= least) ?? 10);
  const first = Math.ceil(low / step);
  const count = Math.max(0, Math.floor(high / step) - first + 1);
  // A low drawing may fit between two round prices.
  const values =
    count > 0 ? Array.from({ length: count }, (_, at) => (first + at) * step) : [(low + high) / 2];
  const digits = axisDigits(values);
  return new Map(
    values.map((value, at) => {
      const text = digits[at] ?? '';
      return [rowOf(value, scale, rows), { text: isPercent ? `${value > 0 ? '+' : ''}${text}%` : text }];
    }),
  );
}
