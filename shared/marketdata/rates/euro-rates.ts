import { object, text } from '../../platform/json-fields.ts';
import type { Origin } from '../origin.ts';

/** One euro in other currencies, on one day. */
export interface DayRates {
  /** The day that they are of, `2026-11-20`. */
  readonly day: string;
  /** By ISO 4217 code in capitals, in decimal figures as the provider wrote them; the euro itself is none of them. */
  readonly rates: Readonly<Record<string, string>>;
}

/** The same, and who says so. */
export interface EuroRates extends DayRates {
  /** The provider's name, or `simulated`. */
  readonly source: string;
  /** By code: the day of a rate that is of an earlier day than the others; undefined if there is none. */
  readonly days?: Readonly<Record<string, string>> | undefined;
}

/** What functions that answer callers have of them. */
export interface RatesAtHand extends EuroRates {
  /** Milliseconds since the epoch: 14:00 UTC of the day, which is 16:00 in the summer's time of Frankfurt; never ahead of our clock. */
  readonly madeAt: number;
  /** Whether they are older than four days: by then newer ones are missing. */
  readonly stale: boolean;
}

/** The object's name below the snapshot's prefix, with the version of its format. */
export const RATES_NAME = 'rates.v1';

/** Rates are of working days: from Friday to the next Monday's rates it is three days, and one for a holiday. */
const STALE_AFTER_MS = 4 * 86_400_000;
/** Newer ones come once a day, at an hour that nobody promises. */
const FRESH_MS = 10 * 60_000;
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

export function ratesAtHand(rates: EuroRates, now: number): RatesAtHand {
  const madeAt = ratesMadeAt(rates);
  return { ...rates, madeAt: Math.min(madeAt, now), stale: now - madeAt > STALE_AFTER_MS };
}

/** What an answer of this time says about them. */
export function ratesOrigin({ source, madeAt, stale }: RatesAtHand, now: number): Origin {
  return { source, quality: stale ? 'stale' : 'exact', madeAt, freshUntil: now + FRESH_MS };
}

export function ratesMadeAt({ day }: Pick<DayRates, 'day'>): number {
  return Date.parse(`${day}T14:00:00Z`);
}
