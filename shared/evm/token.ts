import { type Address, parseAddress, ZERO_ADDRESS } from './address.ts';
import type { Chain } from './chain.ts';

/** One side of a trade: a token, or the chain's native currency, which pools know as its wrapped token. */
export interface Token {
  /** The wrapped token's if it is native. */
  readonly address: Address;
  readonly isNative: boolean;
}

/** By which aggregators and wallets mean a chain's native currency; no contract is there. */
export const NATIVE_ALIAS: Address = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE';

/** Throws the 400 that names the parameter. The native symbol, its alias and the zero address are taken in any case. */
export function parseToken(chain: Chain, name: string, text: string): Token {
  const names = [chain.nativeSymbol, NATIVE_ALIAS, ZERO_ADDRESS];
  const isNative = names.some((name) => name.toLowerCase() === text.toLowerCase());
  if (isNative) return { address: chain.wrappedNative, isNative };
  return { address: parseAddress(name, text), isNative: false };
}

/** The token's name for the caller: its checksummed address, or the native symbol. */
export function shown(chain: Chain, { address, isNative }: Token): string {
  return isNative ? chain.nativeSymbol : address;
}
