import { type Address, parseAddress } from '../../../shared/evm/address.ts';
import type { Chain } from '../../../shared/evm/chain.ts';

/** One side of a trade: a token, or the chain's native currency, which pools know as its wrapped token. */
export interface Token {
  /** The wrapped token's if it is native. */
  readonly address: Address;
  readonly isNative: boolean;
}

/** Throws the 400 that names the parameter. The native symbol is taken in any case. */
export function parseToken(chain: Chain, name: string, text: string): Token {
  if (text.toUpperCase() === chain.nativeSymbol) return { address: chain.wrappedNative, isNative: true };
  return { address: parseAddress(name, text), isNative: false };
}

/** The token's name for the caller: its checksummed address, or the native symbol. */
export function shown(chain: Chain, { address, isNative }: Token): string {
  return isNative ? chain.nativeSymbol : address;
}
