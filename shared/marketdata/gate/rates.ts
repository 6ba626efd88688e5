/** The gate for exchange rates. Only jobs load it. */
import { count } from '../../platform/metrics.ts';
import { DAY_MS, elapsedMs, HOUR_MS, MAX_CLOCK_LEAD_MS } from '../../platform/time.ts';
import type { DayRates, Offering } from '../provider.ts';
import { dayOfRate, type EuroRates, isCode, isDay, isRate } from '../rates.ts';
import { isFar, PARTS } from './bounds.ts';
import { checked } from './gated.ts';
import { Implausible } from './implausible.ts';

/** Bitcoin had its first price in that year. */
const FIRST_DAY = '2010-01-01';
/** Working days of a year, less its holidays. */
const LEAST_PAST_DAYS = 240;
/** A file has some 30 currencies, and never had fewer than 28 since 2008. */
const LEAST_CURRENCIES = 20;
/** If more of a file's rates are off, it holds something else, or the euro itself has moved. */
const MAX_SHARE_HELD = 0.2;
/** Older rates are neither compared with new ones nor used in place of missing ones. */
const COMPARED_MS = 7 * DAY_MS;
/** A day's rates are made in its afternoon, in Frankfurt. */
const EARLIEST_MS = 12 * HOUR_MS;

/** ISO 4217's currencies as ICU has them, without metals, funds and test codes, which begin with X as five currencies do. */
const CURRENCIES = new Set(
  Intl.supportedValuesOf('currency').filter(
    (code) => !code.startsWith('X') || ['XAF', 'XCD', 'XCG', 'XOF', 'XPF'].includes(code),
  ),
);

/** The rates that were held back, by currency code, each with the day of its file. */
export type HeldRates = Readonly<Record<string, { readonly day: string; readonly rate: string }>>;

/** The provider of rates, behind the gate. */
export function gatedRates<O extends Offering<'rates' | 'pastRates'>>(provider: O): O {
  return {
    ...provider,
    rates: checked(provider.rates, 'the rates', (rates) => plausibleRates(rates)),
    pastRates: checked(provider.pastRates, 'the past rates', (days) => plausiblePast(days)),
  };
}

/**
 * The rates, without codes that are no currency. Throws Implausible for a day that does not exist or has no rates yet, for
 * a malformed code or rate, and if many currencies are missing.
 */
function plausibleRates(fetched: DayRates, now = Date.now()): DayRates {
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
  if (!rates.USD) throw new Implausible('Drop', 'no rate for USD');
  return { day, rates };
}

/**
 * The days since there were prices of coins, ascending, without days and rates that cannot be true. Throws Implausible if
 * they are fewer than a year's.
 */
function plausiblePast(fetched: readonly DayRates[], now = Date.now()): DayRates[] {
  const days: DayRates[] = [];
  const known = new Map<string, string>();
  for (const { day, rates } of fetched.toSorted((a, b) => (a.day < b.day ? -1 : 1))) {
    if (!isDay(day) || day < FIRST_DAY || Date.parse(day) > now || day === days.at(-1)?.day) continue;
    const kept = Object.entries(rates).filter(([code, rate]) => {
      const last = known.get(code);
      return CURRENCIES.has(code) && isRate(rate) && !(last && isFar(Number(rate), Number(last)));
    });
    for (const [code, rate] of kept) known.set(code, rate);
    days.push({ day, rates: Object.fromEntries(kept) });
  }
  if (days.length < LEAST_PAST_DAYS) throw new Implausible('Drop', `no more than ${days.length} past days`);
  return days;
}

/**
 * The published rates as a measure for new ones. Undefined if they are older than a week, or of a day in the future,
 * which only a wrong clock can have let in.
 */
export function measureOf(published: EuroRates | undefined, now = Date.now()): EuroRates | undefined {
  if (!published) return undefined;
  return elapsedMs(Date.parse(published.day), now, MAX_CLOCK_LEAD_MS) <= COMPARED_MS ? published : undefined;
}

/**
 * The rates of a file that nothing confirms, by currency code, each with the reason: a new currency, or a rate more than a
 * tenth off the last one of at most a week ago, until the file of a later day agrees with the rate that was held back.
 */
export function unconfirmedRates(
  { day, rates }: DayRates,
  before: EuroRates,
  held: HeldRates,
): ReadonlyMap<string, string> {
  const unconfirmed = new Map<string, string>();
  for (const [code, rate] of Object.entries(rates)) {
    const known = before.rates[code];
    const knownOn = dayOfRate(before, code);
    if (known !== undefined && (isNear(rate, known) || !isWithinWeek(knownOn, day))) continue;
    const former = held[code];
    if (former && former.day < day && isWithinWeek(former.day, day) && isNear(rate, former.rate)) continue;
    const where = known === undefined ? 'which had no rate' : `where it was ${known} on ${knownOn}`;
    unconfirmed.set(code, `${rate} for ${code}, ${where}`);
  }
  return unconfirmed;
}

/** Whether so many rates of a file are off that none of it is published before the next day's agrees. */
export function isWhollyOff({ rates }: DayRates, unconfirmed: ReadonlyMap<string, string>): boolean {
  return unconfirmed.size > Object.keys(rates).length * MAX_SHARE_HELD;
}

/** The rates, with the former one, and its day, of each currency that is missing or held back; for a week at most. */
export function withFormer(
  fetched: EuroRates,
  before: EuroRates | undefined,
  held: ReadonlyMap<string, string>,
): EuroRates {
  const rates = Object.fromEntries(Object.entries(fetched.rates).filter(([code]) => !held.has(code)));
  const days: Record<string, string> = {};
  for (const [code, rate] of Object.entries(before?.rates ?? {})) {
    const day = before && dayOfRate(before, code);
    if (day === undefined || rates[code] !== undefined || !isWithinWeek(day, fetched.day)) continue;
    rates[code] = rate;
    if (day !== fetched.day) days[code] = day;
  }
  return { ...fetched, rates, ...(Object.keys(days).length > 0 && { days }) };
}

function isNear(rate: string, known: string): boolean {
  return Math.abs(Number(rate) / Number(known) - 1) <= PARTS.rate;
}

function isWithinWeek(day: string, later: string): boolean {
  return Date.parse(later) - Date.parse(day) <= COMPARED_MS;
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 40));
}
