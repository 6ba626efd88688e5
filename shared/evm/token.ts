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

/** True for the native symbol, its alias and the zero address, in any case. */
export function meansNative(chain: Chain, text: string): boolean {
  const names = [chain.nativeSymbol, NATIVE_ALIAS, ZERO_ADDRESS];
  return names.some((name) => name.toLowerCase() === text.toLowerCase());
}

/** Throws the 400 that names the parameter. */
export function parseToken(chain: Chain, name: string, text: string): Token {
  if (meansNative(chain, text)) return { address: chain.wrappedNative, isNative: true };
  return { address: parseAddress(name, text, `, or ${chain.nativeSymbol}`), isNative: false };
}

/** The token's name for the caller: its checksummed address, or the native symbol. */
export function shown(chain: Chain, { address, isNative }: Token): string {
  return isNative ? chain.nativeSymbol : address;
}
