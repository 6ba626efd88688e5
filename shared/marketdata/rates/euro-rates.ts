import type { Environment } from '../../platform/environment.ts';
import { object, text } from '../../platform/json-fields.ts';
import { count } from '../../platform/metrics.ts';
import { nothingToRead, type Objects, objectsOf } from '../../platform/objects.ts';
import type { Origin } from '../origin.ts';
import { SNAPSHOT_PREFIX } from '../store/current-snapshot.ts';
import { Held } from '../store/held.ts';

/** One euro in other currencies, on one day. */
export interface DayRates {
  /** The day that they are of, `2026-11-20`. */
  readonly day: string;
  /** By ISO 4217 code in capitals, in decimal figures as the provider wrote them; the euro itself is none of them. */
  readonly rates: Readonly<Record<string, string>>;
}

/** The published rates. */
export interface EuroRates extends DayRates {
  /** The provider's name, or `simulated`. */
  readonly source: string;
  /** By code: the day of a rate that is of an earlier day than the others; undefined if there is none. */
  readonly days?: Readonly<Record<string, string>> | undefined;
}

/** The object's name below the snapshot's prefix, with the version of its format. */
export const RATES_NAME = 'rates.v1';

/** Rates are of working days: from Friday to the next Monday's rates it is three days, and one for a holiday. */
const STALE_AFTER_MS = 4 * 86_400_000;
/** Newer ones come once a day, in the afternoon, at an hour that nobody promises. */
const FRESH_MS = 10 * 60_000;
const MISSING_MS = 10_000;
const READ_TIMEOUT_MS = 1_000;
const CODE = /^[A-Z]{3}$/;
const DAY = /^\d{4}-\d\d-\d\d$/;
const FIGURES = /^\d{1,12}(?:\.\d{1,12})?$/;

/** The object's content: the same for the same rates, with the codes in alphabetical order. */
export function ratesText({ day, source, rates, days = {} }: EuroRates): string {
  const ordered = (texts: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(texts).sort(([a], [b]) => (a < b ? -1 : 1)));
  const earlier = Object.keys(days).length > 0 ? { days: ordered(days) } : {};
  return JSON.stringify({ day, source, rates: ordered(rates), ...earlier });
}

/** The day that one currency's rate is of. */
export function dayOfRate({ day, days }: EuroRates, code: string): string {
  return days && Object.hasOwn(days, code) ? (days[code] ?? day) : day;
}

export function isDay(text: string): boolean {
  const at = DAY.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

export function isCode(text: string): boolean {
  return CODE.test(text) && text !== 'EUR';
}

/** Whether these are the figures of a rate: decimal, without an exponent, and more than nothing. */
export function isRate(text: string): boolean {
  return FIGURES.test(text) && Number(text) > 0;
}

/** Reads the object. Throws an Error that says what is wrong with it. */
export function readRates(content: string): EuroRates {
  const json = object(JSON.parse(content), 'the rates');
  const day = text(json, 'day');
  if (!isDay(day)) throw new Error(`day: ${day} is none`);
  const rates = Object.entries(object(json.rates, 'rates')).map(([code, figures]) => {
    if (!isCode(code) || typeof figures !== 'string' || !isRate(figures))
      throw new Error(`rates.${code} is none`);
    return [code, figures] as const;
  });
  const days = Object.entries(json.days === undefined ? {} : object(json.days, 'days')).map(
    ([code, ofRate]) => {
      if (!isCode(code) || typeof ofRate !== 'string' || !isDay(ofRate))
        throw new Error(`days.${code} is none`);
      return [code, ofRate] as const;
    },
  );
  const earlier = days.length > 0 ? { days: Object.fromEntries(days) } : {};
  return { day, source: text(json, 'source'), rates: Object.fromEntries(rates), ...earlier };
}

/** When the rates of a day were made: 14:00 UTC, which is 16:00 in the summer's time of Frankfurt. */
export function ratesMadeAt({ day }: Pick<DayRates, 'day'>): number {
  return Date.parse(`${day}T14:00:00Z`);
}

/** What an answer says about the rates of a day, which are never ahead of our clock. */
export function ratesOrigin({ source, day }: Pick<EuroRates, 'source' | 'day'>, now: number): Origin {
  const madeAt = ratesMadeAt({ day });
  const quality = now - madeAt > STALE_AFTER_MS ? 'stale' : 'exact';
  return { source, quality, madeAt: Math.min(madeAt, now), freshUntil: now + FRESH_MS };
}

/** One object of some kilobytes. */
const held = new Held<EuroRates | undefined>({
  maxBytes: 1024 * 1024,
  bytesOf: () => 10_000,
  readMs: READ_TIMEOUT_MS,
});
/** This container's, which keeps its connection. */
let objects: Objects | undefined;

/** The published rates; undefined without a bucket, and while none can be had. Never throws. */
export async function currentRates({ SNAPSHOT_BUCKET: bucket }: Environment): Promise<EuroRates | undefined> {
  if (!bucket) return undefined;
  try {
    return await held.get(RATES_NAME, {
      read: (signal) => publishedRates(bucket, signal),
      untilOf: (rates, now) => now + (rates ? FRESH_MS : MISSING_MS),
    });
  } catch {
    count('SharedStoreFailures');
    return undefined;
  }
}

async function publishedRates(bucket: string, signal: AbortSignal): Promise<EuroRates | undefined> {
  objects ??= objectsOf(bucket, SNAPSHOT_PREFIX);
  const object = await objects.get(RATES_NAME, signal).catch(nothingToRead);
  return object && readRates(Buffer.from(object.bytes).toString());
}
