import type { Config } from '../config/config.ts';

/** Adds a coin at the end, or at a place, unless it is on the list already. */
export function withCoin(config: Config, id: string, index = Number.POSITIVE_INFINITY): Config {
  const { watchlist = [] } = config;
  return watchlist.includes(id) ? config : { ...config, watchlist: watchlist.toSpliced(index, 0, id) };
}

export function withoutCoin(config: Config, id: string): Config {
  const { watchlist = [] } = config;
  return { ...config, watchlist: watchlist.filter((other) => other !== id) };
}
