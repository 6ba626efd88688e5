import type { Candle } from '../../../../shared/marketdata/candles.ts';
import { Implausible } from '../../../../shared/marketdata/gate/implausible.ts';
import type { Received } from '../../../../shared/marketdata/provider.ts';
import { priceIn } from '../../../../shared/marketdata/running.ts';
import type { MappedMarket } from '../../../../shared/marketdata/sources/source-map.ts';
import type { Snapshot } from '../../../../shared/marketdata/store/snapshot.ts';
import type { StoredCandle } from '../../../../shared/marketdata/store/stored-candle.ts';
import { DAY_MS } from '../../../../shared/platform/time.ts';
import type { RateAt } from './rates.ts';

/** An exchange may still be adding up a candle for so long after it has closed. */
export const SETTLED_AFTER_MS = 60_000;
/** Those that are not settled are told to have ended so much before, so that they are asked for again. */
const UNSETTLED_MS = 1000;

export interface Batch {
  /** Ascending, in USD. */
  readonly candles: readonly StoredCandle[];
  /** The opening times of those that were left out, because nobody knows what their quote was worth. */
  readonly unpriced: readonly number[];
}

/** A market's candles of `stepMs` as they are stored. */
export function batchOf(
  { data, source, madeAt }: Received<readonly Candle[]>,
  { quote }: Pick<MappedMarket, 'quote'>,
  stepMs: number,
  rateAt: RateAt,
): Batch {
  const unpriced: number[] = [];
  const candles = data.flatMap((candle): StoredCandle[] => {
    const opensAt = Date.parse(candle.time_open);
    const rate = rateAt(quote, opensAt);
    if (rate === undefined) {
      unpriced.push(opensAt);
      return [];
    }
    const { open, high, low, close } = candle;
    const end = opensAt + stepMs;
    return [
      {
        opensAt,
        open: open * rate,
        high: high * rate,
        low: low * rate,
        close: close * rate,
        volume: null,
        market_cap: null,
        quality: 'exact',
        samples: 0,
        lastAt: madeAt >= end + SETTLED_AFTER_MS ? end : Math.min(madeAt, end - UNSETTLED_MS),
        source,
      },
    ];
  });
  return { candles, unpriced };
}

/** Whether nothing of an interval is left to be told. */
export function isSettled({ opensAt, lastAt }: StoredCandle, stepMs: number): boolean {
  return lastAt >= opensAt + stepMs;
}

/** The prices that are known of a coin, in USD. */
export interface KnownPrices {
  /** Closes, by the beginning of the day. */
  readonly closes: ReadonlyMap<number, number>;
  readonly now: number | undefined;
}

/** Half as much again. Two sources that mean the same coin differ by some percent, also on its worst days. */
const APART = 1.5;
/** Prices of now are no older. */
const OF_LATE_MS = 3_600_000;

/** A coin's price as a measure for what exchanges say: not one that they contradict, nor an old one. */
export function recentPrice(snapshot: Snapshot | undefined, id: string, now: number): number | undefined {
  const known = priceIn(snapshot, id);
  return known && now - known.madeAt < OF_LATE_MS ? known.price : undefined;
}

/**
 * Throws Implausible for candles that cannot be those of the coin: half or more of those that end or begin a stored day
 * are far from its close, or the latest is far from the price now. Then they are another coin's, or in another unit.
 */
export function compare(
  candles: readonly StoredCandle[],
  { closes, now: price }: KnownPrices,
  stepMs: number,
  now: number,
): void {
  const closeAt = (time: number) => (time % DAY_MS === 0 ? closes.get(time - DAY_MS) : undefined);
  // Of a day that is not stored there is the close before: a market that never rests opens there.
  const pairs = candles.flatMap(({ opensAt, open, close }) => {
    const [known, before] = [closeAt(opensAt + stepMs), closeAt(opensAt)];
    if (known !== undefined) return [[close, known] as const];
    return before === undefined ? [] : [[open, before] as const];
  });
  const far = pairs.filter(([told, known]) => isApart(told, known)).length;
  if (far > 0 && far * 2 >= pairs.length)
    throw new Implausible('Jump', `${far} of ${pairs.length} closes are far from those that are stored`);
  const last = candles.at(-1);
  if (last && price !== undefined && now - last.lastAt < OF_LATE_MS && isApart(last.close, price))
    throw new Implausible('Jump', `a price of ${last.close}, where it is ${price} now`);
}

function isApart(a: number, b: number): boolean {
  return a >= b * APART || b >= a * APART;
}
