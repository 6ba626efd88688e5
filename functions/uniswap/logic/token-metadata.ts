import type { Hex } from 'viem';
import { decodeAbiParameters, hexToBytes } from 'viem/utils';
import type { Address } from '../../../shared/evm/values.ts';
import { putBounded } from '../../../shared/platform/bounded-map.ts';
import { oneLine } from '../../../shared/platform/json-fields.ts';
import type { UniswapNode } from '../deployments.ts';
import { perNode } from './per-node.ts';
import { type Read, word } from './read-all.ts';

export interface Metadata {
  /** A stranger's text, without control and direction characters, at most 32 characters long. */
  readonly symbol: string | null;
  readonly decimals: number | null;
}

const SYMBOL = '0x95d89b41'; // symbol()
const DECIMALS = '0x313ce567'; // decimals()
const MAX_SYMBOL = 32;
const MAX_ENTRIES = 2_000;

/** They do not change, so what a container has read it keeps. */
const knownAt = perNode(() => new Map<Address, Metadata>());

export function knownMetadata(node: UniswapNode, token: Address): Metadata | undefined {
  return knownAt(node).get(token);
}

/** What to read of a token, for `metadataOf`. */
export function metadataReads(token: Address): Read[] {
  return [SYMBOL, DECIMALS].map((data): Read => ({ to: token, data: data as Hex }));
}

/** Remembers it too, unless it is not all there. */
export function metadataOf(
  node: UniswapNode,
  token: Address,
  [symbol, decimals]: readonly (Hex | undefined)[],
): Metadata {
  const digits = decimals ? word(decimals, 0) : 256n;
  const metadata = {
    symbol: symbol ? symbolOf(symbol) : null,
    decimals: digits < 256n ? Number(digits) : null,
  };
  if (metadata.symbol !== null && metadata.decimals !== null) {
    putBounded(knownAt(node), token, metadata, MAX_ENTRIES);
  }
  return metadata;
}

/** The symbol in an answer: a string (EIP-20), or the 32 bytes that early tokens have, such as MKR. */
export function symbolOf(answer: Hex): string | null {
  return cleaned(answer.length === 66 ? textOf(answer) : stringIn(answer));
}

function stringIn(answer: Hex): string {
  try {
    return decodeAbiParameters([{ type: 'string' }], answer)[0];
  } catch {
    return '';
  }
}

const textOf = (bytes: Hex): string => new TextDecoder().decode(hexToBytes(bytes));

function cleaned(text: string): string | null {
  return [...oneLine(text)].slice(0, MAX_SYMBOL).join('').trim() || null;
}
