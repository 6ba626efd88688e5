import type { StoredCandle } from '../../shared/marketdata/store/stored-candle.ts';
import { DAY_MS } from '../../shared/platform/time.ts';
import { flatBar } from '../exchanges/tape.ts';
import { SOURCE, type Stretch } from './candles.ts';
import type { Listing, RateAt } from './listings.ts';

/** It tells the latest 720 days, the running one included; hours too, but then somebody has asked in time. */
const KRAKEN_DAYS = 720;

/**
 * The candles that the simulated exchanges tell of a coin in USD, from the first one that has any of an interval; the last
 * one runs if `now` is in it. They have no amounts, because one exchange's are not the coin's.
 */
export function exactCandles(
  listings: readonly Listing[],
  { from, to }: Stretch,
  stepMs: number,
  { rateAt, now }: { readonly rateAt: RateAt; readonly now: number },
): StoredCandle[] {
  const candles: StoredCandle[] = [];
  const end = Math.min(to, now);
  for (let opensAt = Math.ceil(from / stepMs) * stepMs; opensAt < end; opensAt += stepMs) {
    for (const listing of listings) {
      const bar = barOf(listing, opensAt, stepMs, now);
      if (!bar) continue;
      const rate = rateAt(listing.quote, opensAt);
      candles.push({
        opensAt,
        open: bar.open * rate,
        high: bar.high * rate,
        low: bar.low * rate,
        close: bar.close * rate,
        volume: null,
        market_cap: null,
        quality: 'exact',
        samples: 0,
        lastAt: Math.min(opensAt + stepMs, now),
        source: SOURCE,
      });
      break;
    }
  }
  return candles;
}

/** Of an interval without a trade Coinbase tells nothing, and the others the last price; Kraken none of long ago. */
function barOf({ exchange, tape }: Listing, opensAt: number, stepMs: number, now: number) {
  if (exchange === 'kraken' && opensAt < now - KRAKEN_DAYS * DAY_MS) return undefined;
  return tape.bar(opensAt, stepMs, now) ?? (exchange === 'coinbase' ? undefined : flatBar(tape, opensAt));
}
