import type { TickerAtHand } from '../../../shared/marketdata/at-hand.ts';
import type { Origin } from '../../../shared/marketdata/origin.ts';
import {
  dayOfRate,
  type RatesAtHand,
  ratesAtHand,
  ratesOrigin,
} from '../../../shared/marketdata/rates/euro-rates.ts';
import { type Decimal, decimal, ONE, quotient } from './decimal.ts';

/** One of it is `usd / per` US dollars: apart from each other, so that a result is rounded once. */
export interface Worth {
  readonly usd: Decimal;
  readonly per: Decimal;
  /** Who says so; of the US dollar itself nobody has to. */
  readonly origin: Origin | undefined;
}

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
  // As old as the older of the two; those of the euro itself are of no day.
  const day = [dayOfRate(rates, 'USD'), dayOfRate(rates, code)].sort()[0] ?? rates.day;
  const origin = ratesOrigin(day === rates.day ? rates : ratesAtHand({ ...rates, day }, now), now);
  return { usd: decimal(usd), per: decimal(per), origin };
}

/** Undefined if the coin's price is not at hand. */
export function worthOfCoin(found: TickerAtHand | undefined): Worth | undefined {
  const price = found?.ticker.quotes.USD.price ?? 0;
  if (!found || price <= 0) return undefined;
  return { usd: decimal(price), per: ONE, origin: found };
}

/** What so many of one are of the other; rounded once. */
export function converted(amount: Decimal, from: Worth, to: Worth): Decimal {
  return quotient(amount.times(from.usd).times(to.per), from.per.times(to.usd));
}

/** As answers tell it. */
export function toldOrigin(origin: Origin | undefined) {
  return {
    source: origin?.source ?? null,
    quality: origin?.quality ?? ('exact' as const),
    dataTime: origin ? new Date(origin.madeAt).toISOString() : null,
  };
}
