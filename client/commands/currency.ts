import type { MarketdataRatesData } from '../sdk/index.ts';
import { type Api, lifetimeOf, type Provenance, provenanceOf } from './provenance.ts';

/** A conversion from US dollars, the service's currency, to another one. */
export interface Conversion {
  /** ISO 4217 code in capitals. */
  readonly currency: string;
  /** One US dollar in that currency. */
  readonly rate: number;
  /** The day of the rate, such as `2026-01-30`. */
  readonly day: string;
  /** The source of the rates. */
  readonly provenance: Provenance;
}

/** The currency of unconverted prices. */
export const DOLLAR = 'USD';

/** The conversion to a currency by its code in capitals; undefined if there is no rate. */
export function conversionTo(
  currency: string,
  { base, rates, day }: MarketdataRatesData,
  provenance: Provenance,
): Conversion | undefined {
  const perEuro = (code: string) => (code === base ? 1 : Number(rates[code]));
  const rate = perEuro(currency) / perEuro(DOLLAR);
  return rate > 0 && Number.isFinite(rate) ? { currency, rate, day, provenance } : undefined;
}

/** Converts an amount of US dollars; without a conversion returns it unchanged. */
export function converted<Amount extends number | null>(amount: Amount, conversion: Conversion | undefined) {
  return amount === null || !conversion ? amount : amount * conversion.rate;
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

/** `Euro`; undefined for an unknown code. */
export function currencyName(code: string): string | undefined {
  return names.of(code);
}

/** The currencies that completion and the page offer; the rates decide which ones exist. */
export const currencies =
  'usd eur aud brl cad chf cny czk dkk gbp hkd huf idr ils inr isk jpy krw mxn myr nok nzd php pln ron sek sgd thb try zar'.split(
    ' ',
  );
