/** The requests of a soak: the same ones in the same order at every run. */
import { defaultCoins } from '../../local/simulated/market.ts';
import { Random } from '../../registry-layer/simulated/names.ts';
import type { Quote } from '../../shared/marketdata/provider.ts';
import type { Interval } from '../../shared/marketdata/window.ts';
/** The requests of a soak: the same ones in the same order at every run. */

export interface Chart {
  readonly interval: Interval;
  readonly limit: number;
  readonly quote: Quote;
}

export interface Asked {
  readonly id: string;
  /** Undefined for a ticker. */
  readonly chart?: Chart | undefined;
}

const POPULAR = 20;
const NEW_SHARE = 1 / 40;
const UNKNOWN_SHARE = 1 / 80;
const CHART_SHARE = 0.4;

/** What people look at; two of them are made of the same days. */
const charts: readonly [Chart, ...Chart[]] = [
  { interval: '24h', limit: 30, quote: 'usd' },
  { interval: '1h', limit: 24, quote: 'usd' },
  { interval: '7d', limit: 8, quote: 'usd' },
];

const ids = defaultCoins.map(({ id }) => id);
/** Coins that somebody has asked for before anything goes wrong, the most popular one first. */
export const popular: readonly string[] = ids.slice(0, POPULAR);

export function exists({ id }: Asked): boolean {
  return ids.includes(id);
}

export function pathOf({ id, chart }: Asked): string {
  if (!chart) return `/api/marketdata/ticker/${encodeURIComponent(id)}`;
  const query = new URLSearchParams({ ...chart, limit: String(chart.limit) });
  return `/api/marketdata/ohlcv/${encodeURIComponent(id)}?${query}`;
}

export function everythingOf(coins: readonly string[]): Asked[] {
  return coins.flatMap((id) => [undefined, ...charts].map((chart) => ({ id, chart })));
}

/**
 * All popular coins in everything that is asked of them, then without an end random ones of them, the popular ones more
 * often; now and then a coin that nobody has asked for before, or one that there is not.
 */
export function* requests(seed: number): Generator<Asked, never> {
  const random = new Random(seed);
  const others = ids.slice(POPULAR);
  const weights = Object.fromEntries(popular.map((id, rank) => [id, 1 / (rank + 1)]));
  yield* everythingOf(popular);
  for (let count = 0; ; count += 1) {
    const chart = random.chance(CHART_SHARE) ? random.pick(charts) : undefined;
    if (random.chance(UNKNOWN_SHARE)) yield { id: `nobody-knows-${count}`, chart };
    else if (random.chance(NEW_SHARE)) yield { id: others.shift() ?? popular[0] ?? '', chart };
    else yield { id: random.weighted(weights), chart };
  }
}
