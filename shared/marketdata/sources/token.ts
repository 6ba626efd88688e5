/** What is known of tokens by their contracts. */

/** A coin's contract on a chain, as who lists coins names it. */
export interface Contract {
  readonly coinId: string;
  readonly address: string;
  readonly isActive: boolean;
}

export interface TokenPrice {
  /** As it was asked for, `chain:address`. */
  readonly token: string;
  /** In USD. */
  readonly price: number;
  /** When that was the price, in milliseconds since the epoch. */
  readonly at: number;
  /** 0 to 1, as the source sees it. */
  readonly confidence: number;
}

export interface TokenHistory {
  readonly token: string;
  readonly confidence: number;
  /** Ascending; times in milliseconds since the epoch, prices in USD. */
  readonly prices: readonly { readonly at: number; readonly price: number }[];
}
