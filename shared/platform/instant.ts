import { DAY_MS } from './time.ts';

/** An instant, or a whole day. Milliseconds since the epoch. */
export interface Instant {
  readonly first: number;
  /** Exclusive end: the next midnight for a day, `first` for an instant. */
  readonly end: number;
}

// A query string that was not encoded turns the + of an offset into a space.
const ISO_8601 =
  /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?:(Z)|([+ -])(\d\d):?(\d\d))?)?$/i;

/** Reads an ISO 8601 date or time, UTC if it has no offset. Undefined for other texts and for days that do not exist. */
export function parseInstant(text: string): Instant | undefined {
  const match = ISO_8601.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second, , , sign, offsetHour, offsetMinute] = match;
  const date = utcDay(Number(year), Number(month), Number(day));
  if (date === undefined) return undefined;
  if (hour === undefined) return { first: date, end: date + DAY_MS };
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second ?? 0) > 59) return undefined;
  if (Number(offsetHour ?? 0) > 23 || Number(offsetMinute ?? 0) > 59) return undefined;
  const offset = (sign === '-' ? -1 : 1) * (Number(offsetHour ?? 0) * 60 + Number(offsetMinute ?? 0));
  const time = date + ((Number(hour) * 60 + Number(minute) - offset) * 60 + Number(second ?? 0)) * 1000;
  return { first: time, end: time };
}

function utcDay(year: number, month: number, day: number): number | undefined {
  const time = Date.UTC(year, month - 1, day);
  const date = new Date(time);
  const exists =
    date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return exists ? time : undefined;
}
