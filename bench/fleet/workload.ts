/** The requests of the callers: coins by Zipf's law, a mix of routes, more by day than by night. */

import type { WindowQuery } from '../../shared/marketdata/upstream-rows.ts';
import { windowOf } from '../../shared/marketdata/window.ts';
import { DAY_MS } from '../../shared/platform/time.ts';

export const COINS = 56_000;
/** The free plan lists so many tickers in one answer. */
export const LISTED = 2_000;
/** Coins that are still traded. */
export const ACTIVE = 12_900;
/** Of those, by rank, so many have a market at an exchange. */
export const MAPPED = 600;
/** The rank of the stable coin that some markets are priced in, from 0. */
export const TETHER = 2;
const TETHER_ID = 'usdt-tether';
/** Percent of the coins that are traded which have a contract whose price is known. */
const TOKENS_PERCENT = 85;

export type Request =
  | { readonly kind: 'ticker'; readonly coin: number; readonly id: string }
  | {
      readonly kind: 'ohlcv';
      readonly coin: number;
      readonly id: string;
      readonly query: WindowQuery;
    }
  | { readonly kind: 'unknown'; readonly id: string };

/** Random numbers from 0 to 1 that are the same at every run (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Picks ranks from 0 with frequency proportional to 1 / (rank + 1)^exponent. */
export function zipf(exponent: number, random: () => number): () => number {
  let sum = 0;
  const sums = Array.from({ length: COINS }, (_, rank) => {
    sum += 1 / (rank + 1) ** exponent;
    return sum;
  });
  return () => {
    const wanted = random() * sum;
    let [low, high] = [0, sums.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] ?? 0) < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

/** The id of the coin with a rank from 0. */
export function coinId(rank: number): string {
  return rank === TETHER ? TETHER_ID : `c${rank}-coin-${rank}`;
}

/** NaN for an id that is none of these coins'. */
export function rankOf(id: string): number {
  return id === TETHER_ID ? TETHER : Number(/^c(\d+)-/.exec(id)?.[1]);
}

export function symbolOf(rank: number): string {
  return rank === TETHER ? 'USDT' : `C${rank}`;
}

/** Whether the coin with this rank is a token that another source prices. */
export function isToken(rank: number): boolean {
  return (rank * 37) % 100 < TOKENS_PERCENT;
}

const limits = [30, 30, 30, 30, 30, 30, 30, 7, 90, 365];

/** 60 % tickers, 35 % candles (a fifth of them hourly), 5 % ids that do not exist. */
export function mix(pick: () => number, random: () => number): (now: number) => Request {
  return (now) => {
    const kind = random();
    if (kind < 0.05) return { kind: 'unknown', id: `no-coin-${Math.floor(random() * 1e6)}` };
    const coin = pick();
    const id = coinId(coin);
    if (kind < 0.65) return { kind: 'ticker', coin, id };
    const isHourly = random() < 0.2;
    const limit = isHourly ? 24 : (limits[Math.floor(random() * limits.length)] ?? 30);
    const window = windowOf({ interval: isHourly ? '1h' : '24h', limit }, now);
    return { kind: 'ohlcv', coin, id, query: { id, quote: 'usd', window } };
  };
}

/** When the next request comes: a Poisson process with twice as many at noon as on average, and none at midnight. */
export function nextArrival(now: number, perDay: number, random: () => number): number {
  const peak = (2 * perDay) / DAY_MS;
  let time = now;
  for (;;) {
    time -= Math.log(1 - random()) / peak;
    const load = (1 - Math.cos((2 * Math.PI * (time % DAY_MS)) / DAY_MS)) / 2;
    if (random() < load) return time;
  }
}
