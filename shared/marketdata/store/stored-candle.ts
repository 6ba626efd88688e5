import { HOUR_MS } from '../../platform/time.ts';
import type { Candle } from '../candles.ts';
import { type CandleQuality, candleQualities } from '../provenance.ts';

/**
 * A stored candle of any origin. Prices and amounts in USD, times in milliseconds since the epoch. `volume` is what was traded
 * in the interval.
 */
export interface StoredCandle extends Omit<Candle, 'time_open' | 'time_close'> {
  readonly opensAt: number;
  readonly quality: CandleQuality;
  /** The number of samples that it is made of, each from its own slot; 0 if it comes from a provider unchanged. */
  readonly samples: number;
  /** The time of the close. */
  readonly lastAt: number;
  /** Whether it is final: the interval is over, and the source had time to complete the candle. */
  readonly isSettled: boolean;
  /** What was traded in the 24 hours up to the close, in all markets. */
  readonly volume_24h: number | null;
  /** Its source, as in `x-data-source`. */
  readonly source: string;
  /** Whether the coin was redenominated in it: candles before it are in another unit. */
  readonly isNewUnit?: boolean;
}

/** A provider may still be completing a candle for this long after it has closed. */
export const SETTLED_AFTER_MS = 10 * 60_000;

/**
 * Whether the source has a better version of a candle of `stepMs` by now: this one was fetched while its interval ran, which is
 * over, or just after its close.
 */
export function isOutdated(
  { opensAt, lastAt, isSettled }: StoredCandle,
  stepMs: number,
  now: number,
): boolean {
  const end = opensAt + stepMs;
  return !isSettled && now >= (lastAt < end ? end : end + SETTLED_AFTER_MS);
}

/** Of two running candles the one of a later slot is better, whatever the quality. Slots, because an order needs no cycles. */
const RUNNING_SLOT_MS = 2 * HOUR_MS;
/** A candle without samples is a provider's own. */
const MOST_SAMPLES = 1_000;

/**
 * The candle to keep of two for the same interval, in any order: one that begins a new unit, because the other joins prices in
 * two units; a settled one; of two that are not, the one of a later slot of two hours; the one of better quality; the one
 * that a provider made of the whole interval; the one with more samples; the newer one; otherwise the first.
 */
function better(a: StoredCandle, b: StoredCandle): StoredCandle {
  const slotOf = ({ isSettled, lastAt }: StoredCandle) =>
    isSettled ? 0 : Math.floor(lastAt / RUNNING_SLOT_MS);
  const order =
    Number(b.isNewUnit ?? false) - Number(a.isNewUnit ?? false) ||
    Number(b.isSettled) - Number(a.isSettled) ||
    slotOf(b) - slotOf(a) ||
    candleQualities.indexOf(a.quality) - candleQualities.indexOf(b.quality) ||
    (b.samples || MOST_SAMPLES) - (a.samples || MOST_SAMPLES) ||
    b.lastAt - a.lastAt;
  return order > 0 ? b : a;
}

/**
 * Joins two lists of candles, both ascending; of two for one interval it keeps the better one, with missing amounts taken from
 * the other. Joining the same list again changes nothing.
 */
export function joined(a: readonly StoredCandle[], b: readonly StoredCandle[]): readonly StoredCandle[] {
  if (b.length === 0) return a;
  const all: StoredCandle[] = [];
  let next = 0;
  for (const candle of a) {
    for (let other = b[next]; other && other.opensAt < candle.opensAt; other = b[next]) {
      all.push(other);
      next += 1;
    }
    const same = b[next]?.opensAt === candle.opensAt ? b[next++] : undefined;
    all.push(same ? betterOfBoth(candle, same) : candle);
  }
  return [...all, ...b.slice(next)];
}

export function betterOfBoth(a: StoredCandle, b: StoredCandle): StoredCandle {
  const kept = better(a, b);
  return filled(kept, kept === a ? b : a);
}

/** The candle with missing amounts from another one of its interval: an exchange's prices are the coin's, but its volume is not. */
export function filled(candle: StoredCandle, other: StoredCandle): StoredCandle {
  const volume = candle.volume ?? other.volume;
  const volume_24h = candle.volume_24h ?? other.volume_24h;
  const market_cap = candle.market_cap ?? other.market_cap;
  const isWhole =
    volume === candle.volume && volume_24h === candle.volume_24h && market_cap === candle.market_cap;
  return isWhole ? candle : { ...candle, volume, volume_24h, market_cap };
}
