import { priceIn } from '../../../../shared/marketdata/running.ts';
import type { MappedMarket } from '../../../../shared/marketdata/sources/source-map.ts';
import type { CoveredSeries } from '../../../../shared/marketdata/store/candle-rows.ts';
import type { Snapshot } from '../../../../shared/marketdata/store/snapshot.ts';
import { DAY_MS } from '../../../../shared/platform/time.ts';

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

/** The value of a quote in USD at the end of the day of `time`; undefined if unknown. */
export type RateAt = (quote: Quote, time: number) => number | undefined;

/** The running day uses the undisputed price in the snapshot; other days use stored closes. */
export async function ratesFrom(
  daily: (id: string) => Promise<CoveredSeries | undefined>,
  snapshot: Snapshot | undefined,
  now: number,
): Promise<RateAt> {
  const closes = new Map<string, number>();
  for (const id of stableIds)
    for (const { opensAt, close } of (await daily(id))?.candles ?? []) closes.set(`${id} ${opensAt}`, close);
  return (quote, time) => {
    if (quote === 'USD') return 1;
    const id = stableCoins[quote];
    const day = Math.floor(time / DAY_MS) * DAY_MS;
    if (day + DAY_MS <= now) return closes.get(`${id} ${day}`);
    return priceIn(snapshot, id)?.price;
  };
}
