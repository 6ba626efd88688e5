/** The euro's exchange rates of past days: an object for each group of currencies, and the rates that routes look up in it. */
import type { Environment } from '../platform/environment.ts';
import { heldObject } from '../platform/held-object.ts';
import { MINUTE_MS } from '../platform/time.ts';
import { currencyCodes } from './currencies.ts';
import type { DayRates } from './provider.ts';
import { isCode, isDay, isRate, MADE_AT_MS, RATE_LASTS_MS } from './rates.ts';
import { SNAPSHOT_PREFIX } from './store/current-snapshot.ts';

/** The rates that one source gave for a day. */
export interface SourcedRates extends Pick<DayRates, 'day' | 'rates'> {
  /** The provider's name, or `simulated`. */
  readonly source: string;
}

/** A rate as it was at a time. */
export interface PastRate {
  /** The units of the currency, and the US dollars, in one euro: decimal figures. */
  readonly per: string;
  readonly usd: string;
  readonly day: string;
  /** The sources of both, as in `x-data-source`. */
  readonly sources: readonly string[];
}

export interface PastRates {
  /** Whether the past of a currency was fetched, even if there was none. */
  has(code: string): boolean;
  /** The latest rates of a currency, by its code in capitals, that existed by a time (ms since the epoch); undefined if unknown. */
  at(code: string, time: number): PastRate | undefined;
}

/** All currencies in the days from which changes are computed: of the last five weeks, and of the week a year before. */
export const RECENT = 'recent';
/** The length of `2026-11-25`. */
const DAY_LENGTH = 10;
/** A group of 17 currencies since 2010 is some 600 KB. */
const READ_MS = 3_000;

/** The group of a currency: its first letter, so that a new currency moves none of the others. */
export function groupOf(code: string): string {
  return code.slice(0, 1);
}

/** The groups with their currencies, of which each object also has the US dollar. */
export const rateGroups: ReadonlyMap<string, readonly string[]> = Map.groupBy(currencyCodes, groupOf);

/** The object's name below the snapshot's prefix, with the version of its format. */
export function pastRatesName(group: string): string {
  return `past-rates/${group}.v2`;
}

/**
 * Comma-separated: a line of columns after `day`, such as `UAH@<source>`, then a line for each day, ascending, with an empty
 * cell for no rate. `columns`: those that are there even without a rate.
 */
export function pastRatesText(days: Iterable<SourcedRates>, columns: Iterable<string> = []): string {
  const byDay = new Map<string, Map<string, string>>();
  const all = new Set(columns);
  for (const { day, source, rates } of days) {
    const cells = byDay.get(day) ?? new Map<string, string>();
    byDay.set(day, cells);
    for (const [code, rate] of Object.entries(rates)) {
      const column = `${code}@${source}`;
      all.add(column);
      cells.set(column, rate);
    }
  }
  const names = [...all].sort();
  const lines = [...byDay]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([day, cells]) => [day, ...names.map((name) => cells.get(name) ?? '')].join(','));
  return [['day', ...names].join(','), ...lines].join('\n');
}

export interface PastTable {
  readonly columns: readonly string[];
  /** Ascending; a day has an entry for each of its sources. */
  readonly days: readonly SourcedRates[];
}

/** Throws an Error that describes what is wrong with the object's content. */
export function readPastRates(content: string): PastTable {
  const [header = '', ...lines] = content.split('\n');
  const columns = columnsIn(header);
  const days = lines.flatMap((line) => {
    const [day = '', ...cells] = line.split(',');
    if (!isDay(day) || cells.length !== columns.length || !cells.every((cell) => cell === '' || isRate(cell)))
      throw new Error(`A line of past rates is none: ${line.slice(0, 80)}`);
    const known = cells.flatMap((rate, index) => {
      const column = columns[index];
      return rate === '' || !column ? [] : [{ ...column, rate }];
    });
    return [...Map.groupBy(known, ({ source }) => source)].map(([source, rates]) => {
      return { day, source, rates: Object.fromEntries(rates.map(({ code, rate }) => [code, rate])) };
    });
  });
  return { columns: columns.map(({ code, source }) => `${code}@${source}`), days };
}

function columnsIn(header: string) {
  const [first, ...names] = header.split(',');
  const columns = names.map((name) => {
    const [code = '', source = ''] = name.split('@');
    return { code, source };
  });
  if (first !== 'day' || !columns.every(({ code, source }) => isCode(code) && /^[a-z\d]+$/.test(source)))
    throw new Error('The header of past rates is none');
  return columns;
}

/**
 * Looks lines up in the text, where a line's place is that of its first character, and parses what is asked for: thousands of days of
 * many currencies would delay a cold start.
 */
export function pastRatesIn(content: string): PastRates {
  const first = content.indexOf('\n') + 1;
  const columns = columnsIn(first > 0 ? content.slice(0, first - 1) : content);
  const end = first > 0 ? content.length : 0;
  const places = new Map<string, readonly number[]>();
  /** When the day of a line begins, in milliseconds since the epoch; of lines that were looked at. */
  const days = new Map<number, number>();
  /** The line where the last lookup ended: candles are looked up one after the other. */
  let last = NONE;

  /** A currency's columns, the preferred source first. */
  function placesOf(code: string): readonly number[] {
    let known = places.get(code);
    if (!known) {
      known = columns.flatMap((column, index) => (column.code === code ? index : []));
      places.set(code, known);
    }
    return known;
  }

  function dayAt(line: number): number {
    let day = days.get(line);
    if (day === undefined) {
      day = Date.parse(content.slice(line, line + DAY_LENGTH));
      days.set(line, day);
    }
    return day;
  }

  /** The line after one; the end after the last, and the first one after none. */
  function after(line: number): number {
    if (line === NONE) return first > 0 ? first : end;
    const next = content.indexOf('\n', line) + 1;
    return next > 0 ? next : end;
  }

  function before(line: number): number {
    return line > first ? content.lastIndexOf('\n', line - 2) + 1 : NONE;
  }

  /** Whether the rates of a line existed by then; those of the day itself may have been made later. */
  function isBefore(line: number, time: number): boolean {
    return line === NONE || (line < end && dayAt(line) + MADE_AT_MS < time);
  }

  /** The last line whose rates existed by then. */
  function lastBefore(time: number): number {
    for (const line of [last, after(last)])
      if (isBefore(line, time) && !isBefore(after(line), time)) return line;
    let found = NONE;
    let low = first;
    let high = end;
    while (low < high) {
      // The line that contains the middle.
      const line = Math.max(low, content.lastIndexOf('\n', ((low + high) >> 1) - 1) + 1);
      if (isBefore(line, time)) {
        found = line;
        low = after(line);
      } else high = line;
    }
    return found;
  }

  function rateIn(
    line: string,
    code: string,
  ): { readonly rate: string; readonly source?: string } | undefined {
    if (code === 'EUR') return { rate: '1' };
    for (const place of placesOf(code)) {
      const rate = cellOf(line, place);
      if (Number(rate) > 0) return { rate, source: columns[place]?.source ?? '' };
    }
    return undefined;
  }

  return {
    has: (code) => code === 'EUR' || placesOf(code).length > 0,
    at(code, time) {
      last = lastBefore(time);
      // One source's holiday is no reason to lack the others' rates: both are those of one day.
      for (let place = last; place !== NONE; place = before(place)) {
        if (!(time < dayAt(place) + RATE_LASTS_MS)) return undefined;
        const next = content.indexOf('\n', place);
        const line = content.slice(place, next < 0 ? end : next);
        const per = rateIn(line, code);
        const usd = per && rateIn(line, 'USD');
        if (!usd) continue;
        const sources = [per.source, usd.source].filter((source) => source !== undefined);
        return { per: per.rate, usd: usd.rate, day: line.slice(0, DAY_LENGTH), sources };
      }
      return undefined;
    },
  };
}

const NONE = -1;

/** The text of a line's column. */
function cellOf(line: string, column: number): string {
  let from = DAY_LENGTH + 1;
  for (let index = 0; index < column; index++) {
    const comma = line.indexOf(',', from);
    if (comma < 0) return '';
    from = comma + 1;
  }
  const end = line.indexOf(',', from);
  return end < 0 ? line.slice(from) : line.slice(from, end);
}

const readers = new Map<string, ReturnType<typeof heldObject<PastRates>>>();

/** A group's stored rates; undefined without a bucket, or while they cannot be read. Never throws. */
export function pastRates(
  { SNAPSHOT_BUCKET: bucket }: Environment,
  group: string,
): Promise<PastRates | undefined> {
  let read = readers.get(group);
  if (!read) {
    read = heldObject<PastRates>({
      ...{ prefix: SNAPSHOT_PREFIX, name: pastRatesName(group), readMs: READ_MS },
      // A new service gets the past of one currency after the other.
      ...{ heldMs: MINUTE_MS, missingMs: MINUTE_MS },
      open: (bytes) => pastRatesIn(Buffer.from(bytes).toString()),
    });
    readers.set(group, read);
  }
  return read(bucket);
}
