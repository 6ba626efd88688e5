import { object, text } from '../../platform/json-fields.ts';

/** One euro in other currencies, on one day. */
export interface EuroRates {
  /** The day that they are of, `2026-11-20`. */
  readonly day: string;
  /** The provider's name, or `simulated`. */
  readonly source: string;
  /** By ISO 4217 code in capitals, in decimal figures as the provider wrote them; the euro itself is none of them. */
  readonly rates: Readonly<Record<string, string>>;
}

/** What functions that answer callers have of them. */
export interface RatesAtHand extends EuroRates {
  /** Milliseconds since the epoch: 14:00 UTC of the day, which is 16:00 in the summer's time of Frankfurt. */
  readonly madeAt: number;
  /** Whether they are older than four days: by then newer ones are missing. */
  readonly stale: boolean;
}

/** The object's name below the snapshot's prefix. */
export const RATES_NAME = 'rates';

/** Rates are of working days: from Friday to the next Monday's rates it is three days, and one for a holiday. */
const STALE_AFTER_MS = 4 * 86_400_000;
const CODE = /^[A-Z]{3}$/;
const DAY = /^\d{4}-\d\d-\d\d$/;
const FIGURES = /^\d{1,12}(?:\.\d{1,12})?$/;

export function ratesText(rates: EuroRates): string {
  return JSON.stringify(rates);
}

/** Reads the object. Throws an Error that says what is wrong with it. */
export function readRates(content: string): EuroRates {
  const json = object(JSON.parse(content), 'the rates');
  const day = text(json, 'day');
  if (!DAY.test(day) || Number.isNaN(Date.parse(day))) throw new Error(`day: ${day} is none`);
  const rates = Object.entries(object(json.rates, 'rates')).map(([code, figures]) => {
    if (!CODE.test(code) || typeof figures !== 'string' || !FIGURES.test(figures) || Number(figures) <= 0)
      throw new Error(`rates.${code} is none`);
    return [code, figures] as const;
  });
  return { day, source: text(json, 'source'), rates: Object.fromEntries(rates) };
}

export function ratesAtHand(rates: EuroRates, now: number): RatesAtHand {
  const madeAt = Date.parse(`${rates.day}T14:00:00Z`);
  return { ...rates, madeAt, stale: now - madeAt > STALE_AFTER_MS };
}
