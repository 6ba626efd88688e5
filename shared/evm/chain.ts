import type { Address } from './address.ts';

/** Which of Uniswap's two V3 routers: the first takes a deadline with each swap, `02` with the whole call. */
export type V3RouterKind = 'SwapRouter' | 'SwapRouter02';

export interface UniswapContracts {
  readonly v2: { readonly factory: Address; readonly router: Address };
  readonly v3: {
    readonly factory: Address;
    readonly quoter: Address;
    readonly router: { readonly kind: V3RouterKind; readonly address: Address };
    /** Hundredths of a basis point: 3000 is 0.3 %. */
    readonly feeTiers: readonly number[];
  };
  /** Tokens that a route may pass through. */
  readonly intermediates: readonly Address[];
  /** UniswapInterfaceMulticall, which limits the gas of each call in it; without one, calls are made one by one. */
  readonly multicall?: Address;
}

export interface Chain {
  readonly name: string;
  readonly chainId: number;
  /** Its native token is worth nothing: the only kind of chain that may have a faucet. */
  readonly testnet: boolean;
  readonly nativeSymbol: string;
  readonly wrappedNative: Address;
  /** The variable that holds the node's URL: a secret, because it carries the provider's key. */
  readonly rpcUrlSecret: string;
  readonly uniswap: UniswapContracts;
  readonly faucet?: {
    /** The variable that holds the private key. */
    readonly keySecret: string;
    /** What one grant gives, in wei. */
    readonly amount: bigint;
  };
}
