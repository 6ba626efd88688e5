import { PARTS } from '../../../../shared/marketdata/gate/bounds.ts';
import type { MappedMarket } from '../../../../shared/marketdata/sources/source-map.ts';
import type { StoredCandle } from '../../../../shared/marketdata/store/stored-candle.ts';
import { DAY_MS, HOUR_MS } from '../../../../shared/platform/time.ts';
import { priceIn, type ReadPrices } from '../opened.ts';

type Quote = MappedMarket['quote'];

/** Stablecoins whose markets are used, with their coin ids. */
export const stableCoins = { USDC: 'usdc-usd-coin', USDT: 'usdt-tether' } as const satisfies Record<
  Exclude<Quote, 'USD'>,
  string
>;
/** Their history has to be stored before that of any coin that is priced in them. */
export const stableIds: readonly string[] = Object.values(stableCoins);

/**
 * A missing close may still come from another exchange or the provider. It is awaited for this long after its day, or after the
 * market was found, whichever is later. Then the candle is dropped, because the rate of another day would be an invention.
 */
export const RATE_WAIT_MS = 7 * DAY_MS;

/** The value of a quote in USD. */
export interface Rate {
  readonly value: number;
  /** Whether the quote's own price moved by more than a percent on that day: then its close fits only the candle's close. */
  readonly isRough: boolean;
}

/** The rate for a candle that opens at a time; undefined if unknown. */
export type RateAt = (quote: Quote, opensAt: number, stepMs: number) => Rate | undefined;

/** What stablecoins cost: their finished days, and their hours of any days, in USD. */
export interface StableCandles {
  readonly days: readonly StoredCandle[];
  readonly hours: readonly StoredCandle[];
}

/**
 * An hour is converted by that hour of the stablecoin, otherwise by its undisputed price now, if the day still runs, or by the
 * close of its day; a day by the close of its day.
 */
export function ratesFrom(candlesOf: (id: string) => StableCandles, read: ReadPrices, now: number): RateAt {
  const known = new Map(
    stableIds.flatMap((id) => {
      const { days, hours } = candlesOf(id);
      return [...hours.map((hour) => keyed(id, HOUR_MS, hour)), ...days.map((day) => keyed(id, DAY_MS, day))];
    }),
  );
  return (quote, opensAt, stepMs) => {
    if (quote === 'USD') return { value: 1, isRough: false };
    const id = stableCoins[quote];
    const own = known.get(`${id} ${stepMs} ${opensAt}`);
    if (own && stepMs === HOUR_MS) return { value: own.close, isRough: false };
    const day = Math.floor(opensAt / DAY_MS) * DAY_MS;
    if (day + DAY_MS > now) {
      // As old as a close may be that other days use.
      const price = priceIn(read, id, DAY_MS, now);
      return price === undefined ? undefined : { value: price, isRough: false };
    }
    const ofDay = known.get(`${id} ${DAY_MS} ${day}`);
    return ofDay && { value: ofDay.close, isRough: ofDay.high > ofDay.low * (1 + PARTS.oneRate) };
  };
}

function keyed(id: string, stepMs: number, candle: StoredCandle): readonly [string, StoredCandle] {
  return [`${id} ${stepMs} ${candle.opensAt}`, candle];
}
