/** The gate for the rates of currencies. For jobs: no route loads it. */

import { count } from '../../platform/metrics.ts';
import { DAY_MS, HOUR_MS } from '../../platform/time.ts';
import { checked } from '../gate/gated.ts';
import { Implausible, MAX_CLOCK_LEAD_MS } from '../gate/implausible.ts';
import type { Offering } from '../provider.ts';
import { type DayRates, dayOfRate, type EuroRates, isCode, isDay, isRate } from './euro-rates.ts';

/** A file has some 30; the number has never been below 28 since 2008. */
const LEAST_CURRENCIES = 20;
/** The largest moves of a day in years were those of the lira in 2018 and 2021 and of the franc in 2015. */
const MAX_CHANGE = 0.1;
/** If more of a file's rates are off, the file is of something else, or the euro itself has moved. */
const MAX_SHARE_HELD = 0.2;
/** Rates that are older than this are no measure for new ones, and stand in for none. */
const COMPARED_MS = 7 * DAY_MS;
/** A day's rates are made in its afternoon, in Frankfurt. */
const EARLIEST_MS = 12 * HOUR_MS;

/** ISO 4217's currencies as ICU has them, without metals, funds and test codes, which begin with X as five currencies do. */
const CURRENCIES = new Set(
  Intl.supportedValuesOf('currency').filter(
    (code) => !code.startsWith('X') || ['XAF', 'XCD', 'XCG', 'XOF', 'XPF'].includes(code),
  ),
);

/** A rate that was held back, and the day of the file that had it; by code. */
export type HeldRates = Readonly<Record<string, { readonly day: string; readonly rate: string }>>;

/** A provider of rates, with these passing the gate. */
export function gatedRates(provider: Offering<'rates'>): Offering<'rates'> {
  return {
    ...provider,
    rates: checked(provider.rates, 'the rates', (rates) => plausibleRates(rates)),
  };
}

/**
 * The rates, without those of codes that are no currency. Throws Implausible for a day of which there cannot be rates yet
 * or at all, a code or a rate that is none, and if many are missing.
 */
export function plausibleRates(fetched: DayRates, now = Date.now()): DayRates {
  const { day } = fetched;
  if (!isDay(day)) throw new Implausible('Time', `a day ${shown(day)}`);
  if (Date.parse(day) + EARLIEST_MS > now + MAX_CLOCK_LEAD_MS)
    throw new Implausible('Time', `a day in the future: ${day}`);
  if ([0, 6].includes(new Date(day).getUTCDay())) throw new Implausible('Time', `a day at a weekend: ${day}`);
  for (const [code, figures] of Object.entries(fetched.rates)) {
    if (!isCode(code)) throw new Implausible('Text', `a currency ${shown(code)}`);
    if (!isRate(figures)) throw new Implausible('Price', `a rate of ${shown(figures)} for ${code}`);
  }
  const rates = Object.fromEntries(Object.entries(fetched.rates).filter(([code]) => CURRENCIES.has(code)));
  const kept = Object.keys(rates).length;
  if (kept < Object.keys(fetched.rates).length) count('ImplausibleText');
  if (kept === 0) throw new Implausible('Empty', 'no rates');
  if (kept < LEAST_CURRENCIES) throw new Implausible('Drop', `no more than ${kept} currencies`);
  if (!Object.hasOwn(rates, 'USD')) throw new Implausible('Drop', 'no rate for USD');
  return { day, rates };
}

/**
 * The published rates as a measure for new ones: not if their day is in the future, which nobody but a wrong clock has
 * let in, nor if they are older than a week.
 */
export function measureOf(published: EuroRates | undefined, now = Date.now()): EuroRates | undefined {
  if (!published) return undefined;
  const ageMs = now - Date.parse(published.day);
  return ageMs >= -MAX_CLOCK_LEAD_MS && ageMs <= COMPARED_MS ? published : undefined;
}

/**
 * Those of a file's rates that nothing confirms, each with why: a currency that is new, or more than a tenth off its
 * last rate, if that is a week old at most, until the file of a later day agrees with the one that was held back.
 */
export function unconfirmedRates(
  { day, rates }: DayRates,
  before: EuroRates,
  held: HeldRates,
): ReadonlyMap<string, string> {
  const unconfirmed = new Map<string, string>();
  for (const [code, rate] of Object.entries(rates)) {
    const known = Object.hasOwn(before.rates, code) ? before.rates[code] : undefined;
    const knownOn = dayOfRate(before, code);
    if (known !== undefined && (isNear(rate, known) || !isWithinWeek(knownOn, day))) continue;
    const former = Object.hasOwn(held, code) ? held[code] : undefined;
    const isConfirmed =
      former && former.day < day && isWithinWeek(former.day, day) && isNear(rate, former.rate);
    if (isConfirmed) continue;
    const where = known === undefined ? 'which had no rate' : `where it was ${known} on ${knownOn}`;
    unconfirmed.set(code, `${rate} for ${code}, ${where}`);
  }
  return unconfirmed;
}

/** Whether so many of a file's rates are off that none of it is to be believed before the next day's. */
export function isWhollyOff(rates: DayRates['rates'], unconfirmed: ReadonlyMap<string, string>): boolean {
  return unconfirmed.size > Object.keys(rates).length * MAX_SHARE_HELD;
}

/** The rates with the former ones, by their own days, in place of those that are missing or held back; for a week at most. */
export function withFormer(
  fetched: EuroRates,
  before: EuroRates | undefined,
  held: ReadonlyMap<string, string>,
): EuroRates {
  const rates = Object.entries(fetched.rates).filter(([code]) => !held.has(code));
  const have = new Set(rates.map(([code]) => code));
  const former = Object.entries(before?.rates ?? {}).flatMap(([code, rate]) => {
    const day = before && dayOfRate(before, code);
    const mayStay = day !== undefined && !have.has(code) && isWithinWeek(day, fetched.day);
    return mayStay ? [{ code, rate, day }] : [];
  });
  const days = former.filter(({ day }) => day !== fetched.day).map(({ code, day }) => [code, day] as const);
  return {
    ...fetched,
    rates: Object.fromEntries([...rates, ...former.map(({ code, rate }) => [code, rate] as const)]),
    ...(days.length > 0 && { days: Object.fromEntries(days) }),
  };
}

function isNear(rate: string, known: string): boolean {
  return Math.abs(Number(rate) / Number(known) - 1) <= MAX_CHANGE;
}

function isWithinWeek(day: string, later: string): boolean {
  return Date.parse(later) - Date.parse(day) <= COMPARED_MS;
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 40));
}
