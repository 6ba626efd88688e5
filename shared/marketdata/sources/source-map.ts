/** Which markets trade which coin, as the job of the sources has found out, and what they said last. */

/** A market that is known to trade a coin. */
export interface MappedMarket {
  /** The exchange's name, as `x-data-source` tells it. */
  readonly exchange: string;
  /** The market's id there. */
  readonly market: string;
  /** What its prices are in: USD, or a stable coin that they are converted from. */
  readonly quote: 'USD' | 'USDC' | 'USDT';
  /** Milliseconds since the epoch. */
  readonly since: number;
}

export interface SourceMap {
  /** By coin id; for each exchange at most one market, in the order in which exchanges are preferred. */
  readonly coins: ReadonlyMap<string, readonly MappedMarket[]>;
}

/** What a mapped market said last. */
export interface CoinQuote {
  readonly exchange: string;
  readonly market: string;
  /** In USD. */
  readonly price: number;
  /** Percent in the last 24 hours; null if the exchange does not say. */
  readonly change: number | null;
}

export interface CoinQuotes {
  /** When exchanges were asked, in milliseconds since the epoch. */
  readonly takenAt: number;
  /** By coin id, in the order of the map; markets that said nothing are missing. */
  readonly coins: ReadonlyMap<string, readonly CoinQuote[]>;
}
