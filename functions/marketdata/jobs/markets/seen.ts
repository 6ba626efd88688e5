import type { Market, MarketQuote } from '../../../../shared/marketdata/sources/market.ts';

/** A coin of the snapshot, as markets are compared with it. */
export interface SeenCoin {
  readonly id: string;
  /** As the provider writes it. */
  readonly symbol: string;
  /** 1 is the best; null: none. */
  readonly rank: number | null;
  readonly isActive: boolean;
  /** In USD, if it was made for this snapshot and not long before it; null: nothing that counts. */
  readonly price: number | null;
  /** Traded everywhere in the last 24 hours, in USD; null: nothing that counts. */
  readonly volume: number | null;
}

export interface SeenSnapshot {
  /** Milliseconds since the epoch. */
  readonly takenAt: number;
  readonly coins: readonly SeenCoin[];
}

/** What one exchange told in a run. */
export interface Told {
  readonly exchange: string;
  /** All its markets; undefined: it was not asked for them, or did not tell. */
  readonly markets: readonly Market[] | undefined;
  /** Undefined: it told none. */
  readonly quotes: readonly MarketQuote[] | undefined;
}
