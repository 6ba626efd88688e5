/** The euro's exchange rates: their type, their stored object, and the rates that routes read. */
import type { Environment } from '../platform/environment.ts';
import { heldObject } from '../platform/held-object.ts';
import { object, text } from '../platform/json-fields.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../platform/time.ts';
import { isStale } from './freshness.ts';
import type { Origin } from './provenance.ts';
import type { DayRates } from './provider.ts';
import { SNAPSHOT_PREFIX } from './store/current-snapshot.ts';

/** The published rates. */
export interface EuroRates extends DayRates {
  /** The provider's name, or `simulated`. */
  readonly source: string;
  /** The source of each rate that another one gave, by currency code; undefined if none did. */
  readonly sources?: Readonly<Record<string, string>> | undefined;
}

/** The object's name below the snapshot's prefix, with the version of its format. */
export const RATES_NAME = 'rates.v1';

/**
 * How old a rate may be, from the beginning of its day. Rates exist for working days: those of the Thursday before Easter are the
 * latest until the evening of the Tuesday after it, on the sixth day.
 */
export const RATE_LASTS_MS = 6 * DAY_MS;
/** New rates appear once a day, in the afternoon, at no fixed hour. */
const FRESH_MS = 10 * MINUTE_MS;
const MISSING_MS = 10_000;
const READ_TIMEOUT_MS = 1_000;

/** Whether the text is a day that exists, such as `2026-11-20`. */
export function isDay(text: string): boolean {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

/** Whether the text may be the code of a currency that has a rate. */
export function isCode(text: string): boolean {
  return /^[A-Z]{3}$/.test(text) && text !== 'EUR';
}

/** Whether the text is a rate: decimal figures, without an exponent, above zero. */
export function isRate(text: string): boolean {
  return /^\d{1,12}(?:\.\d{1,12})?$/.test(text) && Number(text) > 0;
}

/** The object's content: the same text for the same rates, with the codes in alphabetical order. */
export function ratesText({ day, source, rates, days, sources }: EuroRates): string {
  const ordered = (texts: Readonly<Record<string, string>> = {}) =>
    Object.fromEntries(Object.entries(texts).sort(([a], [b]) => (a < b ? -1 : 1)));
  return JSON.stringify({
    ...{ day, source, rates: ordered(rates) },
    ...unlessEmpty('days', ordered(days)),
    ...unlessEmpty('sources', ordered(sources)),
  });
}

/** Reads the object's content. Throws an Error that describes what is wrong with it. */
export function readRates(content: string): EuroRates {
  const json = object(JSON.parse(content), 'the rates');
  const day = text(json, 'day');
  if (!isDay(day)) throw new Error(`day: ${day} is none`);
  const rates = byCode(json.rates, 'rates', isRate);
  const optional = (name: 'days' | 'sources', isValid: (text: string) => boolean) =>
    unlessEmpty(name, byCode(json[name] === undefined ? {} : json[name], name, isValid));
  return {
    ...{ day, source: text(json, 'source'), rates },
    ...optional('days', isDay),
    ...optional('sources', (source) => source !== ''),
  };
}

function unlessEmpty<const Name extends string>(name: Name, texts: Readonly<Record<string, string>>) {
  return (Object.keys(texts).length > 0 ? { [name]: texts } : {}) as { [N in Name]?: typeof texts };
}

function byCode(json: unknown, name: string, isValid: (text: string) => boolean): Record<string, string> {
  const entries = Object.entries(object(json, name)).map(([code, value]) => {
    if (!isCode(code) || typeof value !== 'string' || !isValid(value))
      throw new Error(`${name}.${code} is none`);
    return [code, value] as const;
  });
  return Object.fromEntries(entries);
}

/** The day of one currency's rate. */
export function dayOfRate({ day, days }: DayRates, code: string): string {
  return days?.[code] ?? day;
}

/** The source of one currency's rate. */
export function sourceOfRate({ source, sources }: EuroRates, code: string): string {
  return sources?.[code] ?? source;
}

/** How long after the beginning of their day rates are made: at 14:00 UTC, which is 16:00 in Frankfurt in summer. */
export const MADE_AT_MS = 14 * HOUR_MS;

export function ratesMadeAt({ day }: Pick<DayRates, 'day'>): number {
  return Date.parse(day) + MADE_AT_MS;
}

/** Until when the rates of a day may be the latest; milliseconds since the epoch. */
export function ratesLastUntil(day: string): number {
  return Date.parse(day) + RATE_LASTS_MS;
}

/** The origin of the rates of a day; its time is never ahead of our clock. */
export function ratesOrigin({ source, day }: Pick<EuroRates, 'source' | 'day'>, now: number): Origin {
  const madeAt = ratesMadeAt({ day });
  const quality = isStale({ freshUntil: ratesLastUntil(day) }, now) ? 'stale' : 'exact';
  return { source, quality, madeAt: Math.min(madeAt, now), freshUntil: now + FRESH_MS };
}

const readPublished = heldObject({
  ...{ prefix: SNAPSHOT_PREFIX, name: RATES_NAME, readMs: READ_TIMEOUT_MS },
  ...{ heldMs: FRESH_MS, missingMs: MISSING_MS },
  open: (bytes) => readRates(Buffer.from(bytes).toString()),
});

/** The published rates; undefined without a bucket, or while they cannot be read. Never throws. */
export function currentRates({ SNAPSHOT_BUCKET: bucket }: Environment): Promise<EuroRates | undefined> {
  return readPublished(bucket);
}
