/** The gate for exchange rates. Only jobs load it. */
import { count } from '../../platform/metrics.ts';
import { elapsedMs, HOUR_MS, MAX_CLOCK_LEAD_MS } from '../../platform/time.ts';
import { currencyOf } from '../currencies.ts';
import type { DayRates, Offering, PastRatesQuery } from '../provider.ts';
import { dayOfRate, type EuroRates, isCode, isDay, isRate, RATE_LASTS_MS } from '../rates.ts';
import { isFar, PARTS } from './bounds.ts';
import { checked } from './gated.ts';
import { Implausible, possibleRows } from './implausible.ts';

/** Bitcoin had its first price in that year. */
export const FIRST_DAY = '2010-01-01';
/** Working days of a year, less its holidays. */
const LEAST_PAST_DAYS = 240;
/** Each source has some 30 currencies or more; the reference rates were never fewer than 28 since 2008. */
const LEAST_CURRENCIES = 20;
/** If more of a file's rates are off, it holds something else, or the euro itself has moved. */
const MAX_SHARE_HELD = 0.2;
/** A day's reference rates are made in its afternoon, in Frankfurt. */
const EARLIEST_MS = 12 * HOUR_MS;
/** A step of a past rate is no mistake if as many later rates stay there: official rates were devalued tenfold in a day. */
const CONFIRMING_DAYS = 3;

/** The rates that were held back, by currency code, each with the day of its file. */
export type HeldRates = Readonly<Record<string, { readonly day: string; readonly rate: string }>>;

type RatesProvider = Offering<'rates' | 'pastRates'>;

/** The provider of reference rates, behind the gate. */
export function gatedRates(provider: RatesProvider): RatesProvider {
  return gatedBy(provider, (rates) => plausibleRates(rates));
}

/** The provider of rates of many currencies, each of a day of its own, behind the gate. */
export function gatedBlend(provider: RatesProvider): RatesProvider {
  return gatedBy(provider, (rates) => plausibleBlend(rates));
}

function gatedBy(provider: RatesProvider, check: (rates: DayRates) => DayRates): RatesProvider {
  return {
    ...provider,
    rates: checked(provider.rates, 'the rates', check),
    pastRates: checked(provider.pastRates, 'the past rates', (days, _expected, query) =>
      plausiblePast(days, query),
    ),
  };
}

/**
 * The rates, without codes that are no currency. Throws Implausible for a day that does not exist, has no rates yet or is too long
 * ago, for a malformed code or rate, and if many currencies are missing.
 */
function plausibleRates(fetched: DayRates, now = Date.now()): DayRates {
  const { day } = fetched;
  if (!isDay(day)) throw new Implausible('Time', `a day ${shown(day)}`);
  if (Date.parse(day) + EARLIEST_MS > now + MAX_CLOCK_LEAD_MS)
    throw new Implausible('Time', `a day in the future: ${day}`);
  if (isWeekend(day)) throw new Implausible('Time', `a day at a weekend: ${day}`);
  if (!isLive(day, now)) throw new Implausible('Time', `rates of ${day}, which are too old`);
  for (const [code, figures] of Object.entries(fetched.rates)) {
    if (!isCode(code)) throw new Implausible('Text', `a currency ${shown(code)}`);
    if (!isRate(figures)) throw new Implausible('Price', `a rate of ${shown(figures)} for ${code}`);
  }
  const rates = Object.fromEntries(Object.entries(fetched.rates).filter(([code]) => isCurrency(code)));
  if (Object.keys(rates).length < Object.keys(fetched.rates).length) count('ImplausibleText');
  return { day, rates: complete(rates) };
}

/**
 * The rates of currencies, each with its own day, the newest of which is `day`. Codes that are no currency are left out, and so are
 * rates of the future and too old ones. Throws Implausible if a tenth of the rates are none, and if many currencies are missing.
 */
function plausibleBlend(fetched: DayRates, now = Date.now()): DayRates {
  const rows = Object.entries(fetched.rates).flatMap(([code, rate]) =>
    isCurrency(code) ? [{ code, rate, day: dayOfRate(fetched, code) }] : [],
  );
  const live = rows.filter(({ day }) => isDay(day) && isLive(day, now));
  // Some currencies are published so seldom that an old rate is no mistake.
  const wrong = rows.filter(({ day }) => !isDay(day) || Date.parse(day) > now + MAX_CLOCK_LEAD_MS);
  if (wrong.length > 0) count('ImplausibleTime', wrong.length);
  const possible = possibleRows(
    live,
    ({ code }) => code,
    ({ code, rate }) => (isRate(rate) ? undefined : ['Price', `a rate of ${shown(rate)} for ${code}`]),
  );
  const kept = [...possible.values()].filter((row) => row !== undefined);
  const day = kept.reduce((newest, row) => (row.day > newest ? row.day : newest), '');
  const rates = complete(Object.fromEntries(kept.map(({ code, rate }) => [code, rate])));
  return { day, rates, days: Object.fromEntries(kept.map((row) => [row.code, row.day])) };
}

function complete(rates: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const kept = Object.keys(rates).length;
  if (kept === 0) throw new Implausible('Empty', 'no rates');
  if (kept < LEAST_CURRENCIES) throw new Implausible('Drop', `no more than ${kept} currencies`);
  if (!rates.USD) throw new Implausible('Drop', 'no rate for USD');
  return rates;
}

/**
 * The days since there were prices of coins, ascending, without days and rates that cannot be true. Throws Implausible if all
 * days were requested and they are fewer than a year's, or if the dollar was requested and is missing.
 */
function plausiblePast(
  fetched: readonly DayRates[],
  query: PastRatesQuery | undefined,
  now = Date.now(),
): DayRates[] {
  const byDay = new Map(fetched.toReversed().map((one) => [one.day, one])); // of two entries, the first counts
  const possible = [...byDay.values()]
    .filter(({ day }) => isDay(day) && day >= FIRST_DAY && Date.parse(day) <= now)
    .sort((a, b) => (a.day < b.day ? -1 : 1));
  const kept = new Map(possible.map(({ day }) => [day, {} as Record<string, string>]));
  for (const [code, series] of seriesIn(possible))
    for (const { day, rate } of withoutSpikes(series)) Object.assign(kept.get(day) ?? {}, { [code]: rate });
  const days = [...kept].map(([day, rates]) => ({ day, rates }));
  if (!query && days.length < LEAST_PAST_DAYS)
    throw new Implausible('Drop', `no more than ${days.length} past days`);
  if (query?.quotes.includes('USD') && !days.some(({ rates }) => rates.USD))
    throw new Implausible('Drop', 'no past rate for USD');
  return days;
}

interface PastRate {
  readonly day: string;
  readonly rate: string;
}

/** The rates of each currency, in the order of the days. */
function seriesIn(days: readonly DayRates[]): ReadonlyMap<string, readonly PastRate[]> {
  const series = new Map<string, PastRate[]>();
  for (const { day, rates } of days)
    for (const [code, rate] of Object.entries(rates)) {
      if (!isCurrency(code) || !isRate(rate)) continue;
      const ofCode = series.get(code) ?? [];
      series.set(code, ofCode);
      ofCode.push({ day, rate });
    }
  return series;
}

/** Without rates that are many times the one before, unless the following ones stay there. */
function withoutSpikes(series: readonly PastRate[]): PastRate[] {
  const kept: PastRate[] = [];
  for (const [index, one] of series.entries()) {
    const isNearTo = ({ rate }: PastRate) => !isFar(Number(rate), Number(one.rate));
    const before = kept.at(-1);
    const later = series.slice(index + 1, index + 1 + CONFIRMING_DAYS);
    const isConfirmed = later.length === CONFIRMING_DAYS && later.every(isNearTo);
    if (isConfirmed || (before ? isNearTo(before) : later.every(isNearTo))) kept.push(one);
  }
  return kept;
}

/** Whether a rate of that day may still be used. */
export function isLive(day: string, now = Date.now()): boolean {
  return ageOf(day, now) < RATE_LASTS_MS;
}

/** In milliseconds; Infinity for a day of the future. */
function ageOf(day: string, now: number): number {
  return elapsedMs(Date.parse(day), now, MAX_CLOCK_LEAD_MS);
}

/** The published rates as a measure for new ones, without those of the future, which only a wrong clock can have let in. */
export function measureOf(published: EuroRates | undefined, now = Date.now()): EuroRates | undefined {
  return published && only(published, (code) => Number.isFinite(ageOf(dayOfRate(published, code), now)));
}

/** The rates of some currencies. */
export function only(rates: EuroRates, isWanted: (code: string) => boolean): EuroRates {
  const wanted = Object.entries(rates.rates).filter(([code]) => isWanted(code));
  return { ...rates, rates: Object.fromEntries(wanted) };
}

/**
 * Throws Implausible if rates differ so much from a measure, in the median of all currencies or in the dollar, that they must be
 * those of another base, unit or time. One other currency that differs says nothing: the measure's own is used.
 */
export function mustAgree(rates: DayRates['rates'], measure: DayRates['rates'], what: string): void {
  const deviations = Object.entries(rates).flatMap(([code, rate]) => {
    const known = measure[code];
    return known === undefined ? [] : [{ code, deviation: deviationOf(rate, known) }];
  });
  const sorted = deviations.map(({ deviation }) => deviation).sort((a, b) => a - b);
  const median = sorted[sorted.length >> 1] ?? 0;
  const dollar = deviations.find(({ code }) => code === 'USD')?.deviation ?? 0;
  if (Math.max(median, dollar) <= PARTS.blended) return;
  const percent = (part: number) => `${(part * 100).toFixed(1)} %`;
  throw new Implausible(
    'Jump',
    `${what} are ${percent(median)} off in the median, and ${percent(dollar)} in the dollar`,
  );
}

/**
 * The rates that nothing confirms, by currency code, each with the reason: a new currency, or a rate more than a tenth off the
 * last one, until a rate of a later day agrees with the one that was held back. If all of a source's currencies are new, so is the
 * source, and they are believed.
 */
export function unconfirmedRates(
  fetched: DayRates,
  before: EuroRates,
  held: HeldRates,
): ReadonlyMap<string, string> {
  const isFirst = !Object.keys(fetched.rates).some((code) => before.rates[code] !== undefined);
  const unconfirmed = new Map<string, string>();
  for (const [code, rate] of Object.entries(fetched.rates)) {
    const day = dayOfRate(fetched, code);
    const known = before.rates[code];
    const knownOn = dayOfRate(before, code);
    if (known === undefined ? isFirst : isNear(rate, known) || !isWithin(knownOn, day)) continue;
    const former = held[code];
    if (former && former.day < day && isWithin(former.day, day) && isNear(rate, former.rate)) continue;
    const where = known === undefined ? 'which had no rate' : `where it was ${known} on ${knownOn}`;
    unconfirmed.set(code, `${rate} for ${code}, ${where}`);
  }
  return unconfirmed;
}

/** Whether so many rates of a source are off that none of it is published before the next day's agree. */
export function isWhollyOff({ rates }: DayRates, unconfirmed: ReadonlyMap<string, string>): boolean {
  return unconfirmed.size > Object.keys(rates).length * MAX_SHARE_HELD;
}

function isNear(rate: string, known: string): boolean {
  return deviationOf(rate, known) <= PARTS.rate;
}

function deviationOf(rate: string, known: string): number {
  return Math.abs(Number(rate) / Number(known) - 1);
}

function isWithin(day: string, later: string): boolean {
  return Date.parse(later) - Date.parse(day) < RATE_LASTS_MS;
}

function isCurrency(code: string): boolean {
  return isCode(code) && currencyOf(code) === code;
}

export function isWeekend(day: string): boolean {
  return [0, 6].includes(new Date(day).getUTCDay());
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 40));
}
