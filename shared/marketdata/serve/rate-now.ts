/** The exchange rate of a currency as it was published last. */
import { ApiError } from '../../http/errors.ts';
import { listed, type Origin } from '../provenance.ts';
import { dayOfRate, type EuroRates, ratesOrigin, sourceOfRate } from '../rates.ts';
import { DOLLARS, digitsOf, type UnitRate } from './unit-rate.ts';

/** The rate of a currency at a time. */
export interface CurrencyRate extends UnitRate {
  /** The units of the currency, and the US dollars, in one euro: decimal figures. */
  readonly per: string;
  readonly usd: string;
  /** The day of the older of the two. */
  readonly day: string;
  /** The sources of both, as in `x-data-source`. */
  readonly source: string;
  /** Set while newer rates are missing. */
  readonly stale: boolean;
}

/** The published rate of a currency. Throws 503 without one. */
export function rateNow(code: string, published: EuroRates | undefined, now: number): CurrencyRate {
  const usd = published?.rates.USD;
  const per = code === 'EUR' ? '1' : published?.rates[code];
  if (!published || usd === undefined || per === undefined)
    throw new ApiError(503, `No exchange rate of ${code} is available; use USD, or try again later`, retry);
  const parts = code === 'EUR' ? ['USD'] : [code, 'USD'];
  // The older day of the two rates; the euro itself has no rate.
  const [day = published.day] = parts.map((part) => dayOfRate(published, part)).sort();
  const source = listed(...parts.map((part) => sourceOfRate(published, part)));
  const stale = ratesOrigin({ source, day }, now).quality === 'stale';
  return rateFrom({ per, usd, day, source, stale });
}

export function originOf({ source, day }: CurrencyRate, now: number): Origin {
  return ratesOrigin({ source, day }, now);
}

export const retry = { headers: { 'retry-after': '60' } };

export function rateFrom(rate: Omit<CurrencyRate, keyof UnitRate>): CurrencyRate {
  const { per, usd, day, source, stale } = rate;
  // The euro in euros is exact.
  const digits = Math.min(digitsOf(usd), per === '1' ? DOLLARS.digits : digitsOf(per));
  return { per, usd, day, source, stale, perDollar: Number(per) / Number(usd), digits };
}
