/** The gate for what is told of currencies. For jobs: no route loads it. */

import { MAX_CLOCK_LEAD_MS } from '../gate/bounds.ts';
import { checked } from '../gate/gated.ts';
import { Implausible } from '../gate/implausible.ts';
import type { Offering } from '../provider.ts';
import { type DayRates, isCode, isDay, isRate } from './euro-rates.ts';

const DAY_MS = 86_400_000;
/** Some 30 are told; the number has never been below 28 since 2008. */
const LEAST_CURRENCIES = 20;
const MAX_CHANGE = 0.2;
/** Rates that are older than this are no measure for new ones. */
const COMPARED_MS = 7 * DAY_MS;

/** A provider of rates, with these passing the gate. */
export function gatedRates(provider: Offering<'rates'>): Offering<'rates'> {
  return {
    ...provider,
    rates: () => checked(provider.rates(), 'the rates', (found) => plausibleRates(found)),
  };
}

/** The rates. Throws Implausible for a day that has not begun, a currency or a rate that is none, and if many are missing. */
export function plausibleRates(found: DayRates, now = Date.now()): DayRates {
  const { day, rates } = found;
  if (!isDay(day)) throw new Implausible('Time', `a day ${shown(day)}`);
  if (isFuture(found, now)) throw new Implausible('Time', `a day in the future: ${day}`);
  for (const [code, figures] of Object.entries(rates)) {
    if (!isCode(code)) throw new Implausible('Text', `a currency ${shown(code)}`);
    if (!isRate(figures)) throw new Implausible('Price', `a rate of ${shown(figures)} for ${code}`);
  }
  const count = Object.keys(rates).length;
  if (count === 0) throw new Implausible('Empty', 'no rates');
  if (count < LEAST_CURRENCIES) throw new Implausible('Drop', `no more than ${count} currencies`);
  if (!Object.hasOwn(rates, 'USD')) throw new Implausible('Drop', 'no rate for USD');
  return found;
}

/**
 * The published rates as a measure for new ones: not if their day is in the future, which nobody but a wrong clock has
 * let in.
 */
export function measureOf<T extends DayRates>(published: T | undefined, now = Date.now()): T | undefined {
  return published && !isFuture(published, now) ? published : undefined;
}

/** Says which rate is more than a fifth off the published one; undefined if none is, or the published ones are older than a week. */
export function jumpIn(found: DayRates, before: DayRates | undefined, now = Date.now()): string | undefined {
  if (!before || now - Date.parse(before.day) > COMPARED_MS) return undefined;
  const jumped = Object.entries(found.rates).find(([code, figures]) => {
    const known = Object.hasOwn(before.rates, code) ? Number(before.rates[code]) : Number.NaN;
    return Math.abs(Number(figures) / known - 1) > MAX_CHANGE;
  });
  return jumped && `${jumped[1]} for ${jumped[0]}, where it was ${before.rates[jumped[0]]} on ${before.day}`;
}

/** No day's rates are known before it begins. */
function isFuture({ day }: Pick<DayRates, 'day'>, now: number): boolean {
  return Date.parse(day) > now + MAX_CLOCK_LEAD_MS;
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 40));
}
