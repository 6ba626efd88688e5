/** Callers' requests: coins by Zipf's law, tickers and charts, more by day than by night; and their outcomes. */
import { route as ohlcv } from '../../functions/marketdata/ohlcv/route.ts';
import { route as ticker } from '../../functions/marketdata/ticker/route.ts';
import { eventOf } from '../cold/events.ts';

const DAY_MS = 86_400_000;
const routes = { ticker, ohlcv };
/** Callers, each at an address of its own. */
const CLIENTS = 5_000;
const SHARES = { unknown: 0.05, ticker: 0.6, hourly: 0.2 };
const limits = [30, 30, 30, 30, 30, 30, 30, 7, 90, 365];
/** How long a fresh response may replace a newer one (`x-data-quality: stale`). */
const KEPT_MS = { ticker: DAY_MS / 2, ohlcv: 7 * DAY_MS };

export type Kind = 'snapshot' | 'tail' | 'inactive' | 'unknown';

export interface Request {
  readonly route: keyof typeof routes;
  readonly kind: Kind;
  readonly parameters: { readonly id: string; readonly interval?: string; readonly limit?: number };
}

/** Random numbers from 0 to 1, the same in every run (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Picks requests: 60 % tickers, 35 % charts, 5 % unknown ids; earlier coins more often. */
export function requestsOf(coins: readonly { id: string; kind: Kind }[], random: () => number) {
  const sums: number[] = [];
  for (const rank of coins.keys()) sums.push((sums.at(-1) ?? 0) + 1 / (rank + 1));
  return (): Request => {
    const what = random();
    if (what < SHARES.unknown)
      return {
        route: 'ticker',
        kind: 'unknown',
        parameters: { id: `no-coin-${Math.floor(random() * 1e6)}` },
      };
    const wanted = random() * (sums.at(-1) ?? 0);
    let low = 0;
    let high = sums.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] ?? 0) < wanted) low = middle + 1;
      else high = middle;
    }
    const { id, kind } = coins[low] ?? { id: '', kind: 'unknown' };
    if (what < SHARES.unknown + SHARES.ticker) return { route: 'ticker', kind, parameters: { id } };
    const isHourly = random() < SHARES.hourly;
    const limit = isHourly ? 24 : limits[Math.floor(random() * limits.length)];
    return { route: 'ohlcv', kind, parameters: { id, interval: isHourly ? '1h' : '24h', limit } };
  };
}

/** The time of the next request: a Poisson process with twice the average rate at noon, and none at midnight. */
export function nextArrival(now: number, perDay: number, random: () => number): number {
  const peak = (2 * perDay) / DAY_MS;
  for (let time = now; ; ) {
    time -= Math.log(1 - random()) / peak;
    const load = (1 - Math.cos((2 * Math.PI * (time % DAY_MS)) / DAY_MS)) / 2;
    if (random() < load) return time;
  }
}

/** The event of a request from a random caller. */
export function eventFor({ route, parameters }: Request, random: () => number) {
  const client = Math.floor(random() * CLIENTS);
  const event = eventOf(routes[route], parameters);
  event.requestContext.http.sourceIp = `10.0.${client >> 8}.${client & 255}`;
  return event;
}

export interface Tally {
  fresh: number;
  stale: number;
  /** 404, 429, and 5xx. */
  unknown: number;
  refused: number;
  failed: number;
  /** Failed requests with an earlier response, while that may still be served. */
  gone: number;
}

/** Callers' responses, by kind of coin and route. */
export class Answers {
  byKind = new Map<string, Tally>();
  readonly #answered = new Map<string, number>();

  add({ route, kind, parameters }: Request, answer: unknown, now: number): void {
    const { statusCode, headers } = answer as { statusCode: number; headers: Record<string, string> };
    const name = `${kind} ${route === 'ticker' ? 'tickers' : 'charts'}`;
    const tally = this.byKind.get(name) ?? { fresh: 0, stale: 0, unknown: 0, refused: 0, failed: 0, gone: 0 };
    this.byKind.set(name, tally);
    const key = `${route} ${Object.values(parameters)}`;
    const isFresh = headers['x-data-quality'] !== 'stale';
    if (statusCode === 200) tally[isFresh ? 'fresh' : 'stale'] += 1;
    else if (statusCode === 404) tally.unknown += 1;
    else {
      tally[statusCode === 429 ? 'refused' : 'failed'] += 1;
      if (now - (this.#answered.get(key) ?? Number.NEGATIVE_INFINITY) < KEPT_MS[route]) tally.gone += 1;
    }
    if (statusCode === 200 && isFresh) this.#answered.set(key, now);
  }
}
