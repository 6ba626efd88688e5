import { axisDigits } from '../../commands/format/numbers.ts';
import { formatOpen } from '../../commands/format/time.ts';
import type { Scale } from './scale.ts';

const ROWS_PER_LABEL = 4;
const MIN_GAP = 3;
/** Over longer spans, days of two years would look alike. */
const LONG_SPAN_SECONDS = 300 * 86_400;

/** The price of each row that carries one, by row from the top. */
export function priceLabels({ low, high }: Scale, rows: number): ReadonlyMap<number, string> {
  const labelled = Array.from(
    { length: Math.ceil(rows / ROWS_PER_LABEL) },
    (_, index) => index * ROWS_PER_LABEL,
  );
  const digits = axisDigits(labelled.map((row) => high - ((row + 0.5) * (high - low)) / rows));
  return new Map(labelled.map((row, index) => [row, digits[index] ?? '']));
}

/** A candle's place below a drawing. */
export interface Tick {
  /** Seconds since the epoch. */
  readonly time: number;
  readonly column: number;
}

/** Dates below a drawing of `width` cells: the first, the last, and as many evenly spaced ones between as fit. */
export function dateLine(ticks: readonly Tick[], interval: string, width: number): string {
  const span = (ticks.at(-1)?.time ?? 0) - (ticks[0]?.time ?? 0);
  const precision = span > LONG_SPAN_SECONDS ? '365d' : interval;
  const labels = ticks.map(({ time, column }) => {
    const text = formatOpen(time * 1000, precision);
    return { text, start: Math.max(0, Math.min(column, width - text.length)) };
  });
  const longest = Math.max(...labels.map(({ text }) => text.length));
  for (let count = Math.min(labels.length, Math.floor(width / longest)); count > 1; count -= 1) {
    const chosen = spread(labels, count);
    if (chosen.every(({ start }, index) => start >= endOf(chosen[index - 1]) + (index > 0 ? MIN_GAP : 0))) {
      return chosen.reduce((line, { text, start }) => line.padEnd(start) + text, '');
    }
  }
  return labels[0]?.text ?? '';
}

interface Label {
  readonly text: string;
  readonly start: number;
}

function endOf(label: Label | undefined): number {
  return label ? label.start + label.text.length : 0;
}

/** `count` evenly spaced labels, the first and the last included. */
function spread(labels: readonly Label[], count: number): Label[] {
  const step = (labels.length - 1) / (count - 1);
  return Array.from({ length: count }, (_, index) => labels[Math.round(index * step)]).filter(
    (label) => label !== undefined,
  );
}
