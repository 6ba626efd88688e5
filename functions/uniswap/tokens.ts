/** Reads and calls of an ERC-20 token (eips.ethereum.org/EIPS/eip-20). */
import type { Hex } from 'viem';
import { decodeAbiParameters, encodeFunctionData, hexToBytes } from 'viem/utils';
import type { Address } from '../../shared/evm/values.ts';
import { cleanText } from '../../shared/platform/clean-text.ts';
import { abiFunction, type Read, word } from './multicall.ts';

const tokenAbi = [
  abiFunction('approve', 'address', 'uint256'),
  abiFunction('allowance', 'address', 'address'),
  abiFunction('balanceOf', 'address'),
] as const;

/** Calldata of a token. */
export const tokenCalls = {
  approve: (spender: Address, value: bigint): Hex =>
    encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args: [spender, value] }),
  allowance: (owner: Address, spender: Address): Hex =>
    encodeFunctionData({ abi: tokenAbi, functionName: 'allowance', args: [owner, spender] }),
  balanceOf: (owner: Address): Hex =>
    encodeFunctionData({ abi: tokenAbi, functionName: 'balanceOf', args: [owner] }),
};

/** A token's own description. */
export interface TokenInfo {
  readonly address: Address;
  /** Untrusted text, without control and direction characters, at most 32 characters long. */
  readonly symbol: string | null;
  readonly decimals: number | null;
}

const SYMBOL = '0x95d89b41'; // symbol()
const DECIMALS = '0x313ce567'; // decimals()
const MAX_SYMBOL = 32;

/** The reads of a token for `tokenInfo`. */
export function tokenReads(token: Address): readonly [Read, Read] {
  return [
    { to: token, data: SYMBOL },
    { to: token, data: DECIMALS },
  ];
}

export function tokenInfo(address: Address, [symbol, decimals]: readonly (Hex | undefined)[]): TokenInfo {
  const digits = decimals ? word(decimals, 0) : 256n;
  return {
    address,
    symbol: symbol ? symbolOf(symbol) : null,
    decimals: digits < 256n ? Number(digits) : null,
  };
}

/** The symbol in a result: a string (EIP-20), or 32 bytes as in early tokens such as MKR. */
function symbolOf(answer: Hex): string | null {
  const text = answer.length === 66 ? new TextDecoder().decode(hexToBytes(answer)) : stringIn(answer);
  const start = [...cleanText(text).trim()].slice(0, MAX_SYMBOL).join('');
  return cleanText(start).trim() || null; // the cut may leave half an emoji
}

function stringIn(answer: Hex): string {
  try {
    return decodeAbiParameters([{ type: 'string' }], answer)[0];
  } catch {
    return '';
  }
}
