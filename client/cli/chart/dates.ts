import { MONTHS } from '../../commands/format/time.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;
/** Between two labels, in cells. */
const MIN_GAP = 3;

/** A candle's place below a drawing. */
export interface Tick {
  /** Seconds since the epoch. */
  readonly time: number;
  readonly column: number;
}

export interface DateLabel {
  readonly text: string;
  readonly column: number;
}

/** A step of the calendar, in UTC: `numberOf` differs between its periods, and `textOf` names the beginning of one. */
interface Step {
  numberOf(time: number): number;
  /** `isFirst`: nothing at the left says of which day or year it is. */
  textOf(time: number, isFirst: boolean): string;
}

const shortSteps: readonly Step[] = [
  ...[1, 2, 3, 6, 12].map(hours),
  days([...new Array(31).keys()].map((day) => day + 1)),
  days([1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29]),
  days([1, 5, 10, 15, 20, 25]),
  days([1, 10, 20]),
  days([1, 15]),
];
const longSteps: readonly Step[] = [1, 2, 3, 4, 6, 12, 24, 60, 120].map(months);
/** Over longer times, days of two years would look alike. */
const LONG_SPAN = 300 * DAY;

/**
 * Dates below a drawing of `width` cells, each at the first candle of some hours, days, months or years: of the shortest
 * of these whose labels fit. Those of the first and last candle if all of them are too short for that.
 */
export function dateLabels(ticks: readonly Tick[], width: number): DateLabel[] {
  const span = (ticks.at(-1)?.time ?? 0) - (ticks[0]?.time ?? 0);
  const isLong = span > LONG_SPAN;
  for (const step of isLong ? longSteps : [...shortSteps, ...longSteps]) {
    const labels = beginnings(ticks, step).filter(({ text, column }) => column + text.length <= width);
    if (labels.length > 1 && areApart(labels)) return labels;
  }
  const ends = [...ticks.slice(0, 1), ...ticks.slice(1).slice(-1)].map(({ time, column }) => {
    const text = isLong ? monthAndYear(time) : dayOf(time);
    return { text, column: Math.max(0, Math.min(column, width - text.length)) };
  });
  return areApart(ends) ? ends : ends.slice(0, 1);
}

function areApart(labels: readonly DateLabel[]): boolean {
  return labels.every(({ column }, index) => {
    const before = labels[index - 1];
    return !before || column >= before.column + before.text.length + MIN_GAP;
  });
}

function beginnings(ticks: readonly Tick[], { numberOf, textOf }: Step): DateLabel[] {
  return ticks
    .filter(({ time }, index) => numberOf(ticks[index - 1]?.time ?? time - 1) !== numberOf(time))
    .map(({ time, column }, index) => ({ text: textOf(time, index === 0), column }));
}

function hours(count: number): Step {
  return {
    numberOf: (time) => Math.floor(time / (count * HOUR)),
    textOf(time, isFirst) {
      if (time % DAY === 0) return dayOf(time);
      const clock = new Date(time * 1000).toISOString().slice(11, 16);
      return isFirst ? `${dayOf(time)} ${clock}` : clock;
    },
  };
}

/** Days of each month. */
function days(starts: readonly number[]): Step {
  return {
    numberOf(time) {
      const date = new Date(time * 1000);
      return monthOf(date) * 31 + starts.findLastIndex((day) => day <= date.getUTCDate());
    },
    textOf: dayOf,
  };
}

function monthOf(date: Date): number {
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

function months(count: number): Step {
  return {
    numberOf: (time) => Math.floor(monthOf(new Date(time * 1000)) / count),
    textOf(time, isFirst) {
      const [month = '', year = ''] = monthAndYear(time).split(' ');
      if (count >= 12) return year;
      return isFirst || new Date(time * 1000).getUTCMonth() < count ? `${month} ${year}` : month;
    },
  };
}

/** `31 Jan`. */
function dayOf(time: number): string {
  const date = new Date(time * 1000);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()] ?? ''}`;
}

/** `Jan 2026`. */
function monthAndYear(time: number): string {
  const date = new Date(time * 1000);
  return `${MONTHS[date.getUTCMonth()] ?? ''} ${date.getUTCFullYear()}`;
}
