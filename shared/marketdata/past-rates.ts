/** The euro's exchange rates of past days: the stored object, and the rates that charts use. */
import type { Environment } from '../platform/environment.ts';
import { heldObject } from '../platform/held-object.ts';
import { HOUR_MS, MINUTE_MS } from '../platform/time.ts';
import type { DayRates } from './provider.ts';
import { isCode, isDay, isRate, ratesLastUntil, ratesMadeAt } from './rates.ts';
import { SNAPSHOT_PREFIX } from './store/current-snapshot.ts';

/** The object's name below the snapshot's prefix, with the version of its format. */
export const PAST_RATES_NAME = 'past-rates.v1';

export interface PastRates {
  /** The units of a currency (by its code in capitals) per US dollar at a time (ms since the epoch); undefined if unknown. */
  perDollar(code: string, time: number): number | undefined;
}

/** The length of `2026-11-25`. */
const DAY_LENGTH = 10;
/** 27 years are some 2 MB. */
const READ_MS = 3_000;

/** Comma-separated: a line of codes after `day`, then a line for each day, ascending, with an empty cell for no rate. */
export function pastRatesText(days: Iterable<DayRates>): string {
  const sorted = [...days].sort((a, b) => (a.day < b.day ? -1 : 1));
  const codes = [...new Set(sorted.flatMap(({ rates }) => Object.keys(rates)))].sort();
  const lines = sorted.map(({ day, rates }) => [day, ...codes.map((code) => rates[code] ?? '')].join(','));
  return [['day', ...codes].join(','), ...lines].join('\n');
}

/** Throws an Error that describes what is wrong with the object's content. */
export function readPastRates(content: string): DayRates[] {
  const [header = '', ...lines] = content.split('\n');
  const [first, ...codes] = header.split(',');
  if (first !== 'day' || !codes.every(isCode)) throw new Error('The header of past rates is none');
  return lines.map((line) => {
    const [day = '', ...cells] = line.split(',');
    if (!isDay(day) || !cells.every((cell) => cell === '' || isRate(cell)))
      throw new Error(`A line of past rates is none: ${line.slice(0, 80)}`);
    const known = cells.map((cell, index) => [codes[index] ?? '', cell] as const);
    return { day, rates: Object.fromEntries(known.filter(([, cell]) => cell !== '')) };
  });
}

/** Parses a line when it is looked up: 7,000 days of 40 currencies would add a tenth of a second to a cold start. */
function ratesIn(content: string): PastRates {
  const [header = '', ...lines] = content.split('\n');
  const [first, ...codes] = header.split(',');
  if (first !== 'day') throw new Error('The header of past rates is none');
  const dayOf = (line: string) => line.slice(0, DAY_LENGTH);

  /** The last line whose rates existed by then. */
  function lineAt(time: number): string | undefined {
    const date = new Date(time).toISOString().slice(0, DAY_LENGTH);
    let low = 0;
    let high = lines.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (dayOf(lines[middle] ?? '') <= date) low = middle + 1;
      else high = middle;
    }
    const [before, line = ''] = [lines[low - 2], lines[low - 1]];
    // The rates of that day itself may have been made later.
    return ratesMadeAt({ day: dayOf(line) }) <= time ? line : before;
  }

  return {
    perDollar(code, time) {
      const [day = '', ...cells] = lineAt(time)?.split(',') ?? [];
      if (!(time < ratesLastUntil(day))) return undefined;
      const rateOf = (one: string) => cells[codes.indexOf(one)] ?? '';
      const dollar = rateOf('USD');
      const rate = code === 'EUR' ? '1' : rateOf(code);
      return isRate(dollar) && isRate(rate) ? Number(rate) / Number(dollar) : undefined;
    },
  };
}

const readPublished = heldObject({
  ...{ prefix: SNAPSHOT_PREFIX, name: PAST_RATES_NAME, readMs: READ_MS },
  ...{ heldMs: HOUR_MS, missingMs: MINUTE_MS },
  open: (bytes) => ratesIn(Buffer.from(bytes).toString()),
});

/** The stored rates; undefined without a bucket, or while they cannot be read. Never throws. */
export function pastRates({ SNAPSHOT_BUCKET: bucket }: Environment): Promise<PastRates | undefined> {
  return readPublished(bucket);
}
