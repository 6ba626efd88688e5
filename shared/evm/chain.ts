import type { Address } from './address.ts';

export interface Chain {
  readonly name: string;
  readonly chainId: number;
  /** Its native token is worth nothing: the only kind of chain on which this service may sign. */
  readonly testnet: boolean;
  readonly nativeSymbol: string;
  readonly wrappedNative: Address;
  /** The variable that holds the node's URL: a secret, because it carries the provider's key. */
  readonly rpcUrlSecret: string;
}
