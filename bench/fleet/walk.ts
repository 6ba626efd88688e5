/** The prices of the simulation: each coin's own walk, whoever tells of it. */
import { DAY_MS, HOUR_MS } from '../../shared/platform/time.ts';
import { TETHER } from './workload.ts';

const TETHER_PRICE = 0.998;
/** In the logarithm; in ten minutes no price moves by more than a third of a percent. */
const SWINGS = [
  { size: 0.2, lengthMs: 9 * DAY_MS },
  { size: 0.01, lengthMs: 5 * HOUR_MS },
] as const;
/** In radians, between one coin and the next: so they do not move together. */
const GOLDEN = 2.399963;
/** Beyond the prices at both ends of a candle, at most. */
const WICK = 0.004;

export interface Prices {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

/** In USD, of the coin with a rank from 0, at a time in milliseconds since the epoch. */
export function priceAt(coin: number, time: number): number {
  if (coin === TETHER) return TETHER_PRICE;
  const log = SWINGS.reduce(
    (sum, { size, lengthMs }) => sum + size * Math.sin((2 * Math.PI * time) / lengthMs + GOLDEN * coin),
    0,
  );
  return (50_000 / (coin + 1)) * Math.exp(log);
}

/** What was traded between two times, with wicks. */
export function pricesBetween(coin: number, from: number, to: number): Prices {
  const [open, close] = [priceAt(coin, from), priceAt(coin, to)];
  const wick = WICK * Math.abs(Math.sin(coin + from / HOUR_MS));
  return { open, high: Math.max(open, close) * (1 + wick), low: Math.min(open, close) * (1 - wick), close };
}

/** In USD, in 24 hours, everywhere. */
export function volumeOf(coin: number): number {
  return 1e9 / (coin + 1);
}
