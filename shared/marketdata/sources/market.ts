/** What exchanges tell. They know symbols; which coin a market trades is for `source-map.ts` to say. */

/** A market of an exchange: what its base costs, in its quote. */
export interface Market {
  /** As the exchange names it in requests. */
  readonly id: string;
  /** Symbols in upper case, without the exchange's own aliases: `BTC`, `USD`. */
  readonly base: string;
  readonly quote: string;
  /** Only one that is open tells prices. */
  readonly isOpen: boolean;
}

export interface MarketQuote {
  /** The market's id. */
  readonly market: string;
  /** Of the last trade, in the market's quote. */
  readonly price: number;
  /** Traded in the last 24 hours, in units of the base. */
  readonly volume: number;
  /** Percent in the last 24 hours; null if the exchange does not say. */
  readonly change: number | null;
  /** When that was the price, in milliseconds since the epoch; null if the exchange does not say. */
  readonly at: number | null;
}
