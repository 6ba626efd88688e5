/** Tokens, which are known by their contracts. */

/** A coin's contract on a chain, as the provider that lists coins names it. */
export interface Contract {
  readonly coinId: string;
  readonly address: string;
  readonly isActive: boolean;
}

/** A coin with its contracts, `chain:address`. */
export interface CoinTokens {
  readonly id: string;
  readonly tokens: readonly string[];
}

export interface TokenPrice {
  /** `chain:address`, as in the request. */
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

/**
 * Equal for two ways to write one token. Addresses of EVM chains compare without case, which is a checksum there
 * (EIP-55); all others with it: on Solana another case is another token.
 */
export function tokenKey(token: string): string {
  const [chain = '', ...address] = token.split(':');
  const written = address.join(':');
  return `${chain.toLowerCase()}:${/^0x[\da-f]+$/i.test(written) ? written.toLowerCase() : written}`;
}

/** As many coins together as a request takes; all tokens of a coin in the same one, as many as that takes. */
export function batchesOf<T extends CoinTokens>(coins: readonly T[], tokensARequest: number): T[][] {
  const batches: T[][] = [];
  let room = 0;
  for (const coin of coins) {
    const tokens = coin.tokens.slice(0, tokensARequest);
    if (tokens.length > room) {
      batches.push([]);
      room = tokensARequest;
    }
    batches.at(-1)?.push({ ...coin, tokens });
    room -= tokens.length;
  }
  return batches;
}
