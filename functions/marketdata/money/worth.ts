import type { TickerAtHand } from '../../../shared/marketdata/at-hand.ts';
import { listed } from '../../../shared/marketdata/candles.ts';
import { setSourceHeaders } from '../../../shared/marketdata/provenance.ts';
import type { RatesAtHand } from '../../../shared/marketdata/rates/euro-rates.ts';
import { type Decimal, decimal, ONE, quotient } from './decimal.ts';

/** From the strongest to the weakest. */
const qualities = ['exact', 'disputed', 'stale'] as const;
export type Quality = (typeof qualities)[number];

/** Who says what something is worth. Of the US dollar itself nobody has to. */
export interface Origin {
  readonly source: string;
  readonly quality: Quality;
  /** Milliseconds since the epoch. */
  readonly madeAt: number;
  readonly freshUntil: number;
}

/** One of it is `usd / per` US dollars: apart from each other, so that a result is rounded once. */
export interface Worth {
  readonly usd: Decimal;
  readonly per: Decimal;
  readonly origin: Origin | undefined;
}

/** Rates come once a day, at an hour that nobody promises. */
const RATES_FRESH_MS = 10 * 60_000;

export const DOLLAR: Worth = { usd: ONE, per: ONE, origin: undefined };

/** Of a currency by its code in capitals; undefined if no rate of it is at hand. */
export function worthOfCurrency(
  code: string,
  rates: RatesAtHand | undefined,
  now: number,
): Worth | undefined {
  if (code === 'USD') return DOLLAR;
  const usd = rates?.rates.USD;
  const per = code === 'EUR' ? '1' : rates?.rates[code];
  if (!rates || usd === undefined || per === undefined) return undefined;
  const { source, madeAt, stale } = rates;
  const origin = { source, quality: qualityOf(stale), madeAt, freshUntil: now + RATES_FRESH_MS };
  return { usd: decimal(usd), per: decimal(per), origin };
}

function qualityOf(stale: boolean): Quality {
  return stale ? 'stale' : 'exact';
}

/** Undefined if the coin's price is not at hand. */
export function worthOfCoin(found: TickerAtHand | undefined): Worth | undefined {
  const price = found?.ticker.quotes.USD.price ?? 0;
  if (!found || price <= 0) return undefined;
  const { source, quality, madeAt, freshUntil } = found;
  return { usd: decimal(price), per: ONE, origin: { source, quality, madeAt, freshUntil } };
}

/** What so many of one are of the other; rounded once. */
export function converted(amount: Decimal, from: Worth, to: Worth): Decimal {
  return quotient(amount.times(from.usd).times(to.per), from.per.times(to.usd));
}

/** The origins in one: all sources, the weakest quality, the oldest time. Undefined if there are none. */
export function joint(origins: readonly (Origin | undefined)[]): Origin | undefined {
  return origins.reduce((one, other) => {
    if (!one || !other) return one ?? other;
    return {
      source: listed(one.source, other.source),
      quality: weaker(one.quality, other.quality),
      madeAt: Math.min(one.madeAt, other.madeAt),
      freshUntil: Math.min(one.freshUntil, other.freshUntil),
    };
  }, undefined);
}

function weaker(one: Quality, other: Quality): Quality {
  return qualities.indexOf(one) > qualities.indexOf(other) ? one : other;
}

/** As answers tell it. */
export function toldOrigin(origin: Origin | undefined) {
  return {
    source: origin?.source ?? null,
    quality: origin?.quality ?? ('exact' as const),
    dataTime: origin ? new Date(origin.madeAt).toISOString() : null,
  };
}

/** Those of an answer that nobody had to tell anything for stay the registry's. */
export function setOriginHeaders(headers: Record<string, string>, origin: Origin | undefined): void {
  if (!origin) return;
  const stale = origin.quality === 'stale';
  setSourceHeaders(headers, { ...origin, stale }, origin.quality === 'disputed' ? 'disputed' : 'exact');
}
