/** The euro's exchange rates of past days: their stored object, and the rates that charts are converted by. */
import type { Environment } from '../platform/environment.ts';
import { count } from '../platform/metrics.ts';
import { nothingToRead, type Objects, objectsOf } from '../platform/objects.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../platform/time.ts';
import type { DayRates } from './provider.ts';
import { isCode, isDay, isRate, ratesMadeAt } from './rates.ts';
import { SNAPSHOT_PREFIX } from './store/current-snapshot.ts';
import { Held } from './store/held.ts';

/** The object's name below the snapshot's prefix, with the version of its format. */
export const PAST_RATES_NAME = 'past-rates.v1';

export interface PastRates {
  /** How much of a currency, by its code in capitals, a US dollar was at a time (ms since the epoch); undefined if it is not known. */
  perDollar(code: string, time: number): number | undefined;
}

/** Longer than any holiday: after this a rate says nothing of a day. */
const LONGEST_GAP_MS = 7 * DAY_MS;
const HELD_MS = HOUR_MS;
const MISSING_MS = MINUTE_MS;
/** Some 20 years are 1.3 MB. */
const READ_MS = 3_000;

/** Comma-separated: a line of codes after `day`, then a line for each day, ascending, with an empty cell for no rate. */
export function pastRatesText(days: Iterable<DayRates>): string {
  const sorted = [...days].sort((a, b) => (a.day < b.day ? -1 : 1));
  const codes = [...new Set(sorted.flatMap(({ rates }) => Object.keys(rates)))].sort();
  const lines = sorted.map(({ day, rates }) => [day, ...codes.map((code) => rates[code] ?? '')].join(','));
  return [['day', ...codes].join(','), ...lines].join('\n');
}

/** Throws an Error that says what is wrong with the object's content. */
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

function ratesOver(days: readonly DayRates[]): PastRates {
  const madeAt = Float64Array.from(days, ratesMadeAt);
  return {
    perDollar(code, time) {
      const index = madeAt.findLastIndex((at) => at <= time);
      const { USD: dollar, [code]: rate = code === 'EUR' ? '1' : undefined } = days[index]?.rates ?? {};
      const isNear = time - (madeAt[index] ?? 0) <= LONGEST_GAP_MS;
      return isNear && dollar !== undefined && rate !== undefined ? Number(rate) / Number(dollar) : undefined;
    },
  };
}

const held = new Held<PastRates | undefined>({
  maxBytes: 64 * 1024 * 1024,
  bytesOf: (known) => (known ? 32 * 1024 * 1024 : 0),
  readMs: READ_MS,
});
let objects: Objects | undefined;

/** The stored rates; undefined without a bucket, and while they cannot be read. Never throws. */
export async function pastRates({ SNAPSHOT_BUCKET: bucket }: Environment): Promise<PastRates | undefined> {
  if (!bucket) return undefined;
  objects ??= objectsOf(bucket, SNAPSHOT_PREFIX);
  const { get } = objects;
  try {
    return await held.get(PAST_RATES_NAME, {
      async read(signal) {
        const object = await get(PAST_RATES_NAME, signal).catch(nothingToRead);
        return object && ratesOver(readPastRates(Buffer.from(object.bytes).toString()));
      },
      untilOf: (known, now) => now + (known ? HELD_MS : MISSING_MS),
    });
  } catch {
    count('SharedStoreFailures');
    return undefined;
  }
}
