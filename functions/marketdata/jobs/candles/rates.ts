import { priceIn } from '../../../../shared/marketdata/running.ts';
import type { MappedMarket } from '../../../../shared/marketdata/sources/source-map.ts';
import type { CoveredSeries } from '../../../../shared/marketdata/store/candle-rows.ts';
import type { Snapshot } from '../../../../shared/marketdata/store/snapshot.ts';
import { DAY_MS } from '../../../../shared/platform/time.ts';

type Quote = MappedMarket['quote'];

/** The stable coins whose markets are used, by their coins. */
const stableCoins = { USDC: 'usdc-usd-coin', USDT: 'usdt-tether' } as const satisfies Record<
  Exclude<Quote, 'USD'>,
  string
>;
/** Their past has to be there before that of any coin that is priced in them. */
export const stableIds: readonly string[] = Object.values(stableCoins);

/**
 * A close that is not stored is waited for so long after its day, or after the market was found, whichever is later: it may
 * come from another exchange or the provider. Then the candle is given up: a rate of another day would be invented.
 */
export const RATE_WAIT_MS = 7 * DAY_MS;

/** What a quote was worth in USD at the end of the day in which the time is; undefined if nobody knows. */
export type RateAt = (quote: Quote, time: number) => number | undefined;

/** Of the running day the price in the snapshot that nobody disputes, of others what is stored of them. */
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
