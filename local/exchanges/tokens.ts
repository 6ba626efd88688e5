import { HOUR_MS } from '../../shared/platform/time.ts';
import { contractsOf, platforms } from '../provider/contracts.ts';
import { seedOf, uniform } from '../provider/hash.ts';
import { type Asset, type Market, priceAt } from '../provider/market.ts';

/** The traps among the prices of tokens, with the part of all contracts that each befalls. */
export const tokenTraps = {
  unknown: { part: 0.08, text: 'no price at all' },
  doubtful: { part: 0.03, text: 'a confidence between 0.3 and 0.85, and a price up to twofold off' },
  old: { part: 0.03, text: 'a price of 7 to 60 hours ago, told whatever searchWidth says' },
  elsewhere: { part: 0.03, text: 'on this chain a price that is 8 to 40 % off the others' },
  impostor: { part: 0.02, text: 'a contract of somebody else: ten times off, with full confidence' },
} as const satisfies Record<string, { readonly part: number; readonly text: string }>;

export type TokenTrapName = keyof typeof tokenTraps;

export interface SimulatedToken {
  /** `chain:address`, as DefiLlama names it; the address as the provider lists it. */
  readonly name: string;
  readonly coinId: string;
  readonly trap: TokenTrapName | null;
}

export interface TokenPriceAt {
  readonly price: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly confidence: number;
}

/** DefiLlama's names of the chains whose tokens it prices. */
const chains: Readonly<Record<string, string>> = {
  'eth-ethereum': 'ethereum',
  'bnb-binance-coin': 'bsc',
  'sol-solana': 'solana',
  'base-base': 'base',
  'matic-polygon': 'polygon',
  'arb-arbitrum': 'arbitrum',
  'avax-avalanche': 'avax',
  'op-optimism': 'optimism',
  'trx-tron': 'tron',
};

const FRESH_MS = 15 * 60_000;
/** Only few of the coins that are no longer active are traded anywhere. */
const INACTIVE_PART = 0.05;

/** The tokens of a market, by what a request names them; addresses of EVM chains in lower case. */
export function tokensOf(market: Market, hasTraps: boolean): ReadonlyMap<string, SimulatedToken> {
  const tokens = new Map<string, SimulatedToken>();
  for (const { id } of platforms) {
    const chain = chains[id];
    if (chain === undefined) continue;
    for (const { address, id: coinId, active } of contractsOf(market, id) ?? []) {
      const name = `${chain}:${address}`;
      const seed = seedOf(name);
      if (!active && uniform(seed, 1) > INACTIVE_PART) continue;
      tokens.set(keyOf(name), { name, coinId, trap: hasTraps ? trapOf(seed) : null });
    }
  }
  return tokens;
}

/** Addresses that begin with 0x are the same in capitals, others are not. */
export function keyOf(name: string): string {
  const at = name.indexOf(':');
  const [chain, address] = [name.slice(0, at).toLowerCase(), name.slice(at + 1)];
  return `${chain}:${/^0x/i.test(address) ? address.toLowerCase() : address}`;
}

function trapOf(seed: number): TokenTrapName | null {
  let left = uniform(seed, 2);
  for (const name of Object.keys(tokenTraps) as TokenTrapName[]) {
    // its own keys
    const { part } = tokenTraps[name];
    if (left < part) return name;
    left -= part;
  }
  return null;
}

/** What is told of a token at an instant; undefined if nothing is. */
export function tokenPrice(
  asset: Asset,
  { name, trap }: SimulatedToken,
  ms: number,
): TokenPriceAt | undefined {
  if (trap === 'unknown') return undefined;
  const seed = seedOf(name);
  const random = (salt: number) => uniform(seed, salt);
  const age = trap === 'old' ? (7 + 53 * random(3)) * HOUR_MS : random(4) * FRESH_MS;
  const at = Math.floor((ms - age) / 1000) * 1000;
  if (at < asset.firstMs) return undefined;
  const offset = 1 + 0.004 * (random(5) - 0.5);
  const factors = {
    doubtful: 0.5 + 1.5 * random(6),
    elsewhere: random(7) < 0.5 ? 1.08 + 0.32 * random(8) : 1 / (1.08 + 0.32 * random(8)),
    impostor: random(9) < 0.5 ? 10 : 0.1,
  };
  const factor = trap === null || trap === 'old' ? 1 : factors[trap];
  const confidence = trap === 'doubtful' ? 0.3 + 0.55 * random(10) : 0.95 + 0.04 * random(11);
  return {
    price: Number((priceAt(asset, at) * offset * factor).toPrecision(12)),
    at,
    confidence: Math.round(confidence * 100) / 100,
  };
}
