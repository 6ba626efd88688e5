import type { Candle } from '../../../../shared/marketdata/candles.ts';
import { isNear } from '../../../../shared/marketdata/gate/bounds.ts';
import { Implausible } from '../../../../shared/marketdata/gate/implausible.ts';
import type { Received } from '../../../../shared/marketdata/provider.ts';
import type { MappedMarket } from '../../../../shared/marketdata/sources/source-map.ts';
import type { StoredCandle } from '../../../../shared/marketdata/store/stored-candle.ts';
import { DAY_MS } from '../../../../shared/platform/time.ts';
import type { RateAt } from './rates.ts';

/** Exchanges may still correct a candle for this long after it closes. */
export const SETTLED_AFTER_MS = 60_000;

export interface Batch {
  /** Ascending, in USD. */
  readonly candles: readonly StoredCandle[];
  /** The opening times of candles that were left out because their quote had no known price in USD. */
  readonly unpriced: readonly number[];
}

/** Converts a market's candles of `stepMs` to the stored form. */
export function batchOf(
  { data, source, madeAt }: Received<readonly Candle[]>,
  { quote }: Pick<MappedMarket, 'quote'>,
  stepMs: number,
  rateAt: RateAt,
): Batch {
  const unpriced: number[] = [];
  const candles = data.flatMap((candle): StoredCandle[] => {
    const opensAt = Date.parse(candle.time_open);
    const rate = rateAt(quote, opensAt, stepMs);
    if (rate === undefined) {
      unpriced.push(opensAt);
      return [];
    }
    const { open, high, low, close } = candle;
    const end = opensAt + stepMs;
    return [
      {
        opensAt,
        open: open * rate.value,
        high: high * rate.value,
        low: low * rate.value,
        close: close * rate.value,
        volume: null,
        market_cap: null,
        quality: rate.isRough ? 'derived' : 'exact',
        volume_24h: null,
        samples: 0,
        lastAt: Math.min(madeAt, end),
        isSettled: madeAt >= end + SETTLED_AFTER_MS,
        source,
      },
    ];
  });
  return { candles, unpriced };
}

/** Stored prices of a coin, in USD. */
export interface KnownPrices {
  /** Closes, by the beginning of the day. */
  readonly closes: ReadonlyMap<number, number>;
  readonly now: number | undefined;
}

/** The greatest age of a price now and of a close that are compared with each other. */
export const CURRENT_MS = 3_600_000;

/**
 * Throws Implausible for candles that belong to another coin or are in another unit: at least half of the closes and opens at
 * the edges of stored days are far from the stored closes, or the latest close is far from the current price.
 */
export function compare(
  candles: readonly StoredCandle[],
  { closes, now: price }: KnownPrices,
  stepMs: number,
  now: number,
): void {
  const closeAt = (time: number) => (time % DAY_MS === 0 ? closes.get(time - DAY_MS) : undefined);
  // A day that is not stored is compared by its open with the close of the day before, because the market never rests.
  const pairs = candles.flatMap(({ opensAt, open, close }) => {
    const known = closeAt(opensAt + stepMs);
    const before = closeAt(opensAt);
    if (known !== undefined) return [[close, known] as const];
    return before === undefined ? [] : [[open, before] as const];
  });
  const far = pairs.filter(([price, known]) => !isNear(price, known)).length;
  if (far > 0 && far * 2 >= pairs.length)
    throw new Implausible('Jump', `${far} of ${pairs.length} closes are far from the stored ones`);
  const last = candles.at(-1);
  if (last && price !== undefined && now - last.lastAt < CURRENT_MS && !isNear(last.close, price))
    throw new Implausible('Jump', `a price of ${last.close}; the current price is ${price}`);
}
