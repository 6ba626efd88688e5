import { currencyCodes } from '../../shared/marketdata/currencies.ts';
import { digitsOf, inCurrency } from '../../shared/marketdata/serve/unit-rate.ts';
import type { MarketdataRatesData } from '../sdk/index.ts';
import { type Api, lifetimeOf, type Provenance, provenanceOf, SIMULATED } from './provenance.ts';

/** A conversion from US dollars to another currency at the current rate, which is for current prices alone. */
export interface Conversion {
  /** ISO 4217 code in capitals. */
  readonly currency: string;
  /** One US dollar in that currency. */
  readonly rate: number;
  /** The significant digits of the rate. */
  readonly digits: number;
  /** The day of the rate, such as `2026-01-30`: the older one of the currency's and the dollar's. */
  readonly day: string;
  /** The sources of both. */
  readonly provenance: Provenance;
}

/** The currency of unconverted prices. */
export const DOLLAR = 'USD';

/** The conversion to a currency by its code in capitals; undefined if there is no rate. */
export function conversionTo(
  currency: string,
  { base, rates, day: usualDay, days = {}, sources = {} }: MarketdataRatesData,
  provenance: Provenance,
): Conversion | undefined {
  const perEuro = (code: string) => (code === base ? 1 : Number(rates[code]));
  const rate = perEuro(currency) / perEuro(DOLLAR);
  if (!(rate > 0) || !Number.isFinite(rate)) return undefined;
  const codes = [currency, DOLLAR].filter((code) => code !== base);
  const digits = Math.min(...codes.map((code) => digitsOf(rates[code] ?? '')));
  const [day = usualDay] = codes.map((code) => days[code] ?? usualDay).sort();
  const named = new Set(Object.values(sources));
  const usual = provenance.sources.filter((source) => !named.has(source));
  const own = codes.flatMap((code) => sources[code] ?? usual).filter((source) => source !== SIMULATED);
  return { currency, rate, digits, day, provenance: { ...provenance, sources: [...new Set(own)] } };
}

/** Converts an amount of US dollars, as the service does; without a conversion returns it unchanged. */
export function converted<Amount extends number | null>(
  amount: Amount,
  conversion: Conversion | undefined,
): Amount {
  if (!conversion) return amount;
  return inCurrency(amount, { perDollar: conversion.rate, digits: conversion.digits });
}

interface SessionRates {
  readonly data: MarketdataRatesData;
  readonly provenance: Provenance;
}

/** Returns the cached rates or fetches them. Rejects as the client does; a failure is not cached. */
export type Rates = () => Promise<SessionRates>;

/** The rates of one session, fetched when first needed and cached for the response's lifetime. */
export function sessionRates(api: Pick<Api, 'rates'>, now: () => number): Rates {
  let kept: Promise<SessionRates> | undefined;
  let until = Number.POSITIVE_INFINITY;

  async function fetchRates(): Promise<SessionRates> {
    try {
      const answer = await api.rates();
      until = now() + lifetimeOf(answer.headers);
      return { data: answer.data, provenance: provenanceOf(answer, now()) };
    } catch (error) {
      kept = undefined;
      throw error;
    }
  }

  return () => {
    if (!kept || now() >= until) {
      until = Number.POSITIVE_INFINITY; // concurrent callers share one fetch
      kept = fetchRates();
    }
    return kept;
  };
}

const names = new Intl.DisplayNames('en', { type: 'currency', fallback: 'none' });
/** Prices in a metal count its troy ounces. */
const metals: readonly string[] = ['XAG', 'XAU', 'XPD', 'XPT'];

/** `Euro`, `Gold (troy ounce)`; undefined for an unknown code. */
export function currencyName(code: string): string | undefined {
  const name = names.of(code);
  return name && metals.includes(code) ? `${name} (troy ounce)` : name;
}

/** `EUR`, `XAU (troy ounces of gold)`. */
export function currencyUnit(code: string): string {
  return metals.includes(code) ? `${code} (troy ounces of ${names.of(code)?.toLowerCase()})` : code;
}

/** The currencies that most people choose, the dollar first. */
export const usualCurrencies =
  'usd eur aud brl cad chf cny czk dkk gbp hkd huf idr ils inr isk jpy krw mxn myr nok nzd php pln ron sek sgd thb try zar'.split(
    ' ',
  );

/** All currencies: the usual ones, then the others by code. The rates decide which of them have a rate. */
export const currencies: readonly string[] = [
  ...new Set([...usualCurrencies, ...currencyCodes.map((code) => code.toLowerCase())]),
];
