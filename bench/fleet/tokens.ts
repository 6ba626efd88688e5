/** The contracts of the simulation: one for each coin that is a token. */
import { coinId, isToken } from './workload.ts';

export interface Token {
  readonly coinId: string;
  /** As the provider names the chain, and as sources of token prices do. */
  readonly platform: string;
  readonly chain: string;
  readonly address: string;
}

const chains = [
  { platform: 'eth-ethereum', chain: 'ethereum' },
  { platform: 'bnb-binance-coin', chain: 'bsc' },
  { platform: 'base-base', chain: 'base' },
] as const;
export const platforms: readonly string[] = chains.map(({ platform }) => platform);

const ADDRESS_DIGITS = 40;

/** Of the coin with a rank from 0; undefined if it is none. */
export function tokenOf(coin: number): Token | undefined {
  const on = chains[coin % chains.length];
  if (!on || !isToken(coin)) return undefined;
  return { ...on, coinId: coinId(coin), address: `0x${coin.toString(16).padStart(ADDRESS_DIGITS, '0')}` };
}

/** The rank from 0 of the coin of a token `chain:address`. */
export function coinOfToken(token: string): number {
  return Number.parseInt(token.slice(token.indexOf(':0x') + 3), 16);
}
