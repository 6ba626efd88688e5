/** Tokens, which are identified by their contracts. */

/** A coin's contract on a chain, in the notation of the provider that lists coins. */
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
  /** The time of the price, in milliseconds since the epoch. */
  readonly at: number;
  /** 0 to 1, as estimated by the source. */
  readonly confidence: number;
}

export interface TokenHistory {
  readonly token: string;
  readonly confidence: number;
  /** Ascending; times in milliseconds since the epoch, prices in USD. */
  readonly prices: readonly { readonly at: number; readonly price: number }[];
}

/**
 * A key that is equal for two spellings of one token. Addresses of EVM chains ignore case, which is only a checksum there
 * (EIP-55); others do not: on Solana another case is another token.
 */
export function tokenKey(token: string): string {
  const [chain = '', ...address] = token.split(':');
  const written = address.join(':');
  return `${chain.toLowerCase()}:${/^0x[\da-f]+$/i.test(written) ? written.toLowerCase() : written}`;
}

/** Groups as many coins as fit in a request; all tokens of a coin are in the same group, up to the limit. */
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
