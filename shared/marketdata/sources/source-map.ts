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
  /** When that was the price, in milliseconds since the epoch; null if the exchange does not say. */
  readonly at: number | null;
}

export interface CoinQuotes {
  /** When exchanges were asked, in milliseconds since the epoch. */
  readonly takenAt: number;
  /** By coin id, in the order of the map; markets that said nothing are missing. */
  readonly coins: ReadonlyMap<string, readonly CoinQuote[]>;
}

/** How a coin's ticker compared with a market the last time. */
export type Verdict =
  /** Within 2 %, and the coin's volume is not smaller than the market's. */
  | 'agrees'
  /** Within 2 %, but the market would trade more of the coin than everybody does. */
  | 'volume'
  /** More than 2 % off. */
  | 'differs'
  /** More than 5 % off. */
  | 'far'
  /** Nothing to compare: no price, no volume, not of this snapshot, or not active. */
  | 'unknown';

/**
 * A coin with a market's symbol. The counts are of snapshots in a row, up to the most that matters; one that gives
 * nothing to compare ends `agreed` and `ahead`, and leaves `far` as it is.
 */
export interface Candidate {
  readonly coin: string;
  readonly agreed: number;
  /** Of a market's own coin only those in which no other exchange has backed it. */
  readonly far: number;
  /** Of those that it agreed in, the last in a row in which it also was ranked better than the market's coin. */
  readonly ahead: number;
  /** Since it last agreed, whatever the reason. */
  readonly unconfirmed: number;
  readonly verdict: Verdict;
  /** Since when that is the verdict, in milliseconds since the epoch. */
  readonly since: number;
}

/** Why a market has lost its coin. */
export type Loss = 'far' | 'unconfirmed' | 'closed' | 'inactive' | 'moved';

/** All that is known of a market with a quote that can be told in USD. */
export interface MarketState {
  readonly market: string;
  readonly base: string;
  readonly quote: MappedMarket['quote'];
  readonly isOpen: boolean;
  /** What it said last, in USD: the price, and what was traded in 24 hours; null: nothing that counts. */
  readonly said: { readonly price: number; readonly volume: number } | null;
  /** The coin that it trades; null: none that is known. */
  readonly mapped: { readonly coin: string; readonly since: number } | null;
  /** The coin that it was taken from last. */
  readonly lost: { readonly coin: string; readonly at: number; readonly why: Loss } | null;
  /** By id. */
  readonly candidates: readonly Candidate[];
}

/** An exchange's markets. */
export interface ExchangeState {
  readonly exchange: string;
  /** When its list of markets was told last, in milliseconds since the epoch. */
  readonly listedAt: number;
  /** How many markets of all quotes that list had. */
  readonly listed: number;
  readonly markets: readonly MarketState[];
}

/** What one run of the job leaves to the next. */
export interface SourceState {
  /** When the last snapshot that counted was taken, in milliseconds since the epoch; null: none yet. */
  readonly takenAt: number | null;
  /** The preferred one first. */
  readonly exchanges: readonly ExchangeState[];
}
