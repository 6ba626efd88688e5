/**
 * The candles that a coin should have in the end, made of all of its samples at once, with nothing of the code that is
 * measured: an interval's samples are gathered, and then looked at.
 */
import type { StoredCandle } from '../../shared/marketdata/store/stored-candle.ts';
import { HOUR_MS } from '../../shared/platform/time.ts';
import { INTERVAL_MS, runAt, sources, Walk } from './market.ts';

interface Seen {
  readonly takenAt: number;
  readonly price: number;
  readonly volume: number | null;
  readonly marketCap: number | null;
}

interface Wanted {
  /** Milliseconds since the epoch, as the next one. */
  readonly from: number;
  readonly to: number;
  readonly stepMs: number;
  /** Whether the coin is in the provider's list. */
  readonly isListed: boolean;
}

/** Ascending, for each interval of so many milliseconds that has samples. */
export function plainCandles(coin: number, { from, to, stepMs, isListed }: Wanted): StoredCandle[] {
  const walk = new Walk(coin, { hasAmounts: isListed });
  const source = isListed ? sources.listed : sources.others;
  const candles: StoredCandle[] = [];
  for (let opensAt = from; opensAt < to; opensAt += stepMs) {
    const seen: Seen[] = [];
    for (let slot = opensAt; slot < opensAt + stepMs; slot += INTERVAL_MS) {
      const { takenAt, isMissing } = runAt(slot);
      walk.next();
      const { price, volume, marketCap } = walk;
      if (!isMissing && walk.isListed) seen.push({ takenAt, price, volume, marketCap });
    }
    const [first, last] = [seen[0], seen.at(-1)];
    if (first && last) candles.push(candleOf(seen, first, last, { opensAt, stepMs, source }));
  }
  return candles;
}

function candleOf(
  seen: readonly Seen[],
  first: Seen,
  last: Seen,
  { opensAt, stepMs, source }: { readonly opensAt: number; readonly stepMs: number; readonly source: string },
): StoredCandle {
  const prices = seen.map(({ price }) => price);
  const enough = (0.8 * stepMs) / INTERVAL_MS;
  const isFromLastHour = last.takenAt >= opensAt + stepMs - HOUR_MS;
  const part = stepMs / 36_000; // a stored candle has its time no more exactly
  return {
    opensAt,
    open: first.price,
    high: Math.max(...prices),
    low: Math.min(...prices),
    close: last.price,
    volume: isFromLastHour ? last.volume : null,
    market_cap: last.marketCap,
    quality: seen.length >= enough ? 'sampled' : 'derived',
    samples: seen.length,
    lastAt: opensAt + Math.ceil((last.takenAt - opensAt) / part) * part,
    source,
  };
}
