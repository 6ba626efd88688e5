import type { MarketdataRatesData } from '../sdk/index.ts';
import { type Api, lifetimeOf, type Provenance, provenanceOf } from './provenance.ts';

/** From US dollars, in which the service tells prices, to another currency. */
export interface Conversion {
  /** ISO 4217 code in capitals. */
  readonly currency: string;
  /** One US dollar in that currency. */
  readonly rate: number;
  /** The day that the rate is of, such as `2026-01-30`. */
  readonly day: string;
  /** Of the rates. */
  readonly provenance: Provenance;
}

/** The currency of prices without a conversion. */
export const DOLLAR = 'USD';

/** The conversion to a currency by its code in capitals; undefined if the rates do not have it. */
export function conversionTo(
  currency: string,
  { base, rates, day }: MarketdataRatesData,
  provenance: Provenance,
): Conversion | undefined {
  const perEuro = (code: string) => (code === base ? 1 : Number(rates[code]));
  const rate = perEuro(currency) / perEuro(DOLLAR);
  return rate > 0 && Number.isFinite(rate) ? { currency, rate, day, provenance } : undefined;
}

/** An amount of US dollars in the currency; without a conversion as it is. */
export function converted<Amount extends number | null>(amount: Amount, conversion: Conversion | undefined) {
  return amount === null || !conversion ? amount : amount * conversion.rate;
}

interface SessionRates {
  readonly data: MarketdataRatesData;
  readonly provenance: Provenance;
}

/** Asks for the rates, unless those at hand may still be used. Rejects as the client does, and forgets a failure. */
export type Rates = () => Promise<SessionRates>;

/** The rates of one session, asked for when they are first needed and kept for as long as their answer says. */
export function sessionRates(api: Pick<Api, 'rates'>, now: () => number): Rates {
  let kept: Promise<SessionRates> | undefined;
  let until = Number.POSITIVE_INFINITY;

  async function ask(): Promise<SessionRates> {
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
      until = Number.POSITIVE_INFINITY; // whoever asks meanwhile waits for the same answer
      kept = ask();
    }
    return kept;
  };
}

/** Offered by completion and by the page; which ones there are, the rates say. */
export const currencies =
  'usd eur aud brl cad chf cny czk dkk gbp hkd huf idr ils inr isk jpy krw mxn myr nok nzd php pln ron sek sgd thb try zar'.split(
    ' ',
  );
