import type { MarketdataRatesData } from '../../sdk/index.ts';
import type { Provenance } from '../provenance.ts';
import type { SeriesCandle } from '../series.ts';

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

/** Candles in US dollars, all of them at the one rate. */
export function convertedSeries(
  series: readonly SeriesCandle[],
  conversion: Conversion | undefined,
): readonly SeriesCandle[] {
  if (!conversion) return series;
  const { rate } = conversion;
  return series.map(({ time, open, high, low, close, volume }) => ({
    time,
    open: open * rate,
    high: high * rate,
    low: low * rate,
    close: close * rate,
    volume: converted(volume, conversion),
  }));
}
