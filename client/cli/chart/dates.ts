import { MONTHS } from '../../commands/format/time.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;
/** Cells between two labels. */
const MIN_GAP = 3;
/** Over longer periods, days of two years would look alike. */
const LONG_SPAN = 300 * DAY;

/** A candle's place below a drawing. */
export interface Tick {
  /** Seconds since the epoch. */
  readonly time: number;
  readonly column: number;
}

/** A step of the calendar, in UTC: `numberOf` identifies a period, and `textOf` labels its start. */
interface Step {
  numberOf(date: Date): number;
  /** `isFirst`: no label at the left gives the day or year. */
  textOf(date: Date, isFirst: boolean): string;
}

const shortSteps: readonly Step[] = [...[1, 2, 3, 6, 12].map(hours), ...[1, 2, 5, 10, 15].map(days)];
const longSteps: readonly Step[] = [1, 2, 3, 4, 6, 12, 24, 60, 120].map(months);

interface DateLabel {
  readonly text: string;
  readonly column: number;
}

/**
 * Dates below a drawing of `width` cells, at the first candle of an hour, day, month or year, or of several: the
 * shortest step whose labels fit. If none fits, only the first candle is labelled.
 */
export function dateLabels(ticks: readonly Tick[], width: number): readonly DateLabel[] {
  const isLong = (ticks.at(-1)?.time ?? 0) - (ticks[0]?.time ?? 0) > LONG_SPAN;
  const dated = ticks.map(({ time, column }) => ({ column, date: new Date(time * 1000), time }));
  const labelsOf = ({ numberOf, textOf }: Step) =>
    dated
      .filter(({ date, time }, index) => {
        const before = dated[index - 1]?.date ?? new Date((time - 1) * 1000);
        return numberOf(before) !== numberOf(date);
      })
      .map(({ date, column }, index) => ({ text: textOf(date, index === 0), column }))
      .filter(({ text, column }) => column + text.length <= width);
  const first = dated.slice(0, 1).map(({ date, column }) => {
    const text = (isLong ? months(1) : days(1)).textOf(date, true);
    return { text, column: Math.max(0, Math.min(column, width - text.length)) };
  });
  return (
    (isLong ? longSteps : [...shortSteps, ...longSteps])
      .map(labelsOf)
      .find((labels) => labels.length > 1 && areApart(labels)) ?? first
  );
}

function areApart(labels: readonly DateLabel[]): boolean {
  return labels.every(({ column }, index) => {
    const before = labels[index - 1];
    return !before || column >= before.column + before.text.length + MIN_GAP;
  });
}

function hours(count: number): Step {
  return {
    numberOf: (date) => Math.floor(date.getTime() / (count * HOUR * 1000)),
    textOf(date, isFirst) {
      const clock = date.toISOString().slice(11, 16);
      if (clock === '00:00') return dayOf(date);
      return isFirst ? `${dayOf(date)} ${clock}` : clock;
    },
  };
}

/** The first of each month and the days after it that are multiples of a number; for two, the odd days. */
function days(count: number): Step {
  return {
    numberOf(date) {
      // A label this close to the next month is left out.
      const day = count === 1 ? date.getUTCDate() : Math.min(29, date.getUTCDate());
      return monthOf(date) * 32 + Math.floor((count === 2 ? day - 1 : day) / count);
    },
    textOf: dayOf,
  };
}

function months(count: number): Step {
  return {
    numberOf: (date) => Math.floor(monthOf(date) / count),
    textOf(date, isFirst) {
      const month = MONTHS[date.getUTCMonth()] ?? '';
      const year = String(date.getUTCFullYear());
      if (count >= 12) return year;
      return isFirst || date.getUTCMonth() < count ? `${month} ${year}` : month;
    },
  };
}

function monthOf(date: Date): number {
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

/** `31 Jan`. */
function dayOf(date: Date): string {
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()] ?? ''}`;
}
