/** Addresses, amounts and tokens: from a caller's text to a checked value, and back. */
import type { Address } from 'viem';
import { getAddress } from 'viem/utils';
import type { Chain } from '../chains.ts';
import { invalidParameter } from '../http/middleware/input.ts';

export type { Address };

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
export const ZERO_ADDRESS: Address = '0x0000000000000000000000000000000000000000';

/**
 * The checksummed address; text in one case has no checksum (EIP-55). Throws 400 that names the parameter and the allowed
 * values, followed by `alternative`.
 */
export function parseAddress(name: string, text: string, alternative = ''): Address {
  if (!ADDRESS.test(text)) {
    throw invalidParameter(name, text, `an address: 0x and 40 hexadecimal digits${alternative}`);
  }
  const address = getAddress(text.toLowerCase() as Address); // its form was checked
  const digits = text.slice(2);
  const hasChecksum = digits !== digits.toLowerCase() && digits !== digits.toUpperCase();
  if (hasChecksum && text !== address) {
    // The error does not show the correct checksum: with a mistyped digit it would be that of a stranger's address.
    throw invalidParameter(name, text, 'an address with a correct checksum (EIP-55), or all in lower case');
  }
  return address;
}

/** An address as parseAddress returns it, but not the zero address: funds sent there are lost. */
export function parseAccount(name: string, text: string): Address {
  const address = parseAddress(name, text);
  if (address === ZERO_ADDRESS) throw invalidParameter(name, text, 'an address other than the zero address');
  return address;
}

export const MAX_UINT128 = 2n ** 128n - 1n;
export const MAX_UINT256 = 2n ** 256n - 1n;

/** The pattern of an amount in a schema; parseAmount checks the rest. */
export const amountPattern = '^[0-9]{1,78}$';

/** An amount in base units, such as wei. Throws the 400 that names the parameter if it is 0 or above `maximum`. */
export function parseAmount(name: string, text: string, maximum: bigint): bigint {
  const amount = BigInt(text);
  if (amount === 0n || amount > maximum) {
    const bits = maximum.toString(2).length;
    throw invalidParameter(name, text, `an integer of base units from 1 to 2^${bits} - 1`);
  }
  return amount;
}

/** A quantity in JSON-RPC's notation. */
export function toQuantity(value: bigint | number): `0x${string}` {
  return `0x${value.toString(16)}`;
}

/** One side of a trade: a token, or the chain's native currency, which pools represent by its wrapped token. */
export interface Token {
  /** The wrapped token's address if it is native. */
  readonly address: Address;
  readonly isNative: boolean;
}

/** The address that aggregators and wallets use for a chain's native currency; there is no contract. */
export const NATIVE_ALIAS: Address = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE';

/** True for the native symbol, its alias and the zero address, in any case. */
export function meansNative(chain: Chain, text: string): boolean {
  const names = [chain.nativeSymbol, NATIVE_ALIAS, ZERO_ADDRESS];
  return names.some((name) => name.toLowerCase() === text.toLowerCase());
}

/** Throws the 400 that names the parameter. */
function parseToken(chain: Chain, name: string, text: string): Token {
  if (meansNative(chain, text)) return { address: chain.wrappedNative, isNative: true };
  return { address: parseAddress(name, text, `, or ${chain.nativeSymbol}`), isNative: false };
}

/** The token's name for the caller: its checksummed address, or the native symbol. */
export function shown(chain: Chain, { address, isNative }: Token): string {
  return isNative ? chain.nativeSymbol : address;
}

/** An exact amount of one token for as much as possible of another. */
export interface Trade {
  readonly tokenIn: Token;
  readonly tokenOut: Token;
  /** In base units. */
  readonly amountIn: bigint;
}

/** Throws the 400 that names the parameter of an invalid token or amount, and for two equal tokens. */
export function parseTrade(
  chain: Chain,
  input: { readonly tokenIn: string; readonly tokenOut: string; readonly amount: string },
): Trade {
  const tokenIn = parseToken(chain, 'tokenIn', input.tokenIn);
  const tokenOut = parseToken(chain, 'tokenOut', input.tokenOut);
  if (isWrap({ tokenIn, tokenOut }) && tokenIn.isNative === tokenOut.isNative) {
    throw invalidParameter('tokenOut', shown(chain, tokenOut), 'a token other than tokenIn');
  }
  // No token has a larger supply, and pools count in fewer bits.
  return { tokenIn, tokenOut, amountIn: parseAmount('amount', input.amount, MAX_UINT128) };
}

/** True for the native currency and its wrapped token, which are one to one. */
export function isWrap({ tokenIn, tokenOut }: Pick<Trade, 'tokenIn' | 'tokenOut'>): boolean {
  return tokenIn.address === tokenOut.address;
}
