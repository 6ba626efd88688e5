import type { Config } from '../config/config.ts';

/** A coin that was on the list, and where. */
export interface Removed {
  readonly id: string;
  readonly symbol: string;
  readonly index: number;
}

/** Adds a coin at the end, or at a place, unless it is on the list already. */
export function withCoin(config: Config, id: string, index = Number.POSITIVE_INFINITY): Config {
  const { watchlist = [] } = config;
  return watchlist.includes(id) ? config : { ...config, watchlist: watchlist.toSpliced(index, 0, id) };
}

export function withoutCoin(config: Config, id: string): Config {
  const { watchlist = [] } = config;
  return { ...config, watchlist: watchlist.filter((other) => other !== id) };
}
