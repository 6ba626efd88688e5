/** The contracts of the simulated tokens, and their reported prices. */
import { type Asset, HOUR_MS, type Market, MINUTE_MS, priceAt, type SimulatedCoin } from './market.ts';
import { seedOf, uniform } from './walk.ts';

interface Platform {
  /** The platform's id as the provider names it, with the type of its contracts. */
  readonly id: string;
  readonly type: string;
  /** DefiLlama's name, if it prices the platform's tokens. */
  readonly chain?: string;
  /** The part of tokens that have a contract on it. */
  readonly share: number;
  /** Addresses that are no EVM ones: their length in base 58, and what they begin with. */
  readonly base58?: readonly [prefix: string, length: number];
}

/** The most used first. */
export const platforms: readonly Platform[] = [
  { id: 'eth-ethereum', type: 'ERC20', chain: 'ethereum', share: 0.5 },
  { id: 'bnb-binance-coin', type: 'BEP20', chain: 'bsc', share: 0.35 },
  { id: 'sol-solana', type: 'Other', chain: 'solana', share: 0.25, base58: ['', 44] },
  { id: 'base-base', type: 'Other', chain: 'base', share: 0.08 },
  { id: 'matic-polygon', type: 'Other', chain: 'polygon', share: 0.06 },
  { id: 'arb-arbitrum', type: 'Other', chain: 'arbitrum', share: 0.05 },
  { id: 'avax-avalanche', type: 'Other', chain: 'avax', share: 0.03 },
  { id: 'op-optimism', type: 'Other', chain: 'optimism', share: 0.02 },
  { id: 'trx-tron', type: 'TRC20', chain: 'tron', share: 0.02, base58: ['T', 33] },
  { id: 'xlm-stellar', type: 'Stellar Asset', share: 0.01, base58: ['G', 55] },
];

/** A contract of a coin, as the provider lists it. */
export interface ListedContract {
  readonly address: string;
  readonly id: string;
  readonly type: string;
  readonly active: boolean;
}

/** Real addresses on Ethereum, of tokens that examples are about. */
const wellKnown: Readonly<Record<string, string>> = {
  'usdt-tether': '0xdAC17F958D2ee523a2206206994597C13D831ec7',
  'usdc-usd-coin': '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
  'link-chainlink': '0x514910771AF9Ca656af840dff83E8264EcF986CA',
};

const EVM_WORDS = 5; // of eight digits each
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** The contracts of a platform; undefined if there is no such platform. */
export function contractsOf({ coins, seed }: Market, platformId: string): ListedContract[] | undefined {
  const platform = platforms.find(({ id }) => id === platformId);
  if (!platform) return undefined;
  return coins.flatMap((coin) => {
    const coinSeed = seedOf(`${seed}:contracts:${coin.id}`);
    const known = platformId === 'eth-ethereum' ? wellKnown[coin.id] : undefined;
    if (known === undefined && !isOn(coin, coinSeed, platform)) return [];
    const address = known ?? addressOf(platform, seedOf(`${coinSeed}:${platform.id}`));
    return [{ address, id: coin.id, type: platform.type, active: coin.is_active !== false }];
  });
}

/** One in ten tokens has no known contract; most have one, and some have contracts on several platforms. */
function isOn({ type }: SimulatedCoin, seed: number, platform: Platform): boolean {
  if (type !== 'token' || uniform(seed, 0) < 0.1) return false;
  const place = platforms.indexOf(platform);
  const home = platforms.findIndex(({ share }, index) => uniform(seed, 1 + index) < share);
  return place === Math.max(home, 0) || uniform(seed, 21 + place) < platform.share / 5;
}

/** EVM addresses are written in lower case, or with the capitals of a checksum (here of no meaning). */
function addressOf({ base58 }: Platform, seed: number): string {
  if (base58) {
    const letter = (_: unknown, index: number) => BASE58.charAt(Math.floor(uniform(seed, index + 1) * 58));
    return base58[0] + Array.from({ length: base58[1] }, letter).join('');
  }
  const bits = (index: number) => Math.floor(uniform(seed, index) * 2 ** 32);
  const word = (_: unknown, index: number) => bits(index).toString(16).padStart(8, '0');
  const digits = Array.from({ length: EVM_WORDS }, word).join('');
  const capitals = uniform(seed, -1) < 0.5 ? bits(-2) : 0;
  return `0x${digits.replace(/[a-f]/g, (digit, at: number) => ((capitals >>> (at % 32)) & 1 ? digit.toUpperCase() : digit))}`;
}

/** The traps among the prices of tokens, with the part of all contracts that each affects. */
export const tokenTraps = {
  unknown: { part: 0.08, text: 'no price at all' },
  doubtful: { part: 0.03, text: 'a confidence between 0.3 and 0.85, and a price up to twofold off' },
  old: { part: 0.03, text: 'a price of 7 to 60 hours ago, regardless of searchWidth' },
  elsewhere: { part: 0.03, text: 'on this chain a price that is 8 to 40 % off the others' },
  impostor: { part: 0.02, text: 'a foreign contract: ten times off, with full confidence' },
} as const satisfies Record<string, { readonly part: number; readonly text: string }>;

export type TokenTrapName = keyof typeof tokenTraps;

export interface SimulatedToken {
  /** `chain:address`, as DefiLlama names it; the address as the provider lists it. */
  readonly name: string;
  readonly coinId: string;
  readonly trap: TokenTrapName | null;
}

/** Few inactive coins are still traded. */
const INACTIVE_PART = 0.05;

/** The tokens of a market by `tokenKey`. */
export function tokensOf(market: Market, hasTraps: boolean): ReadonlyMap<string, SimulatedToken> {
  const tokens = new Map<string, SimulatedToken>();
  for (const { id, chain } of platforms) {
    if (chain === undefined) continue;
    for (const { address, id: coinId, active } of contractsOf(market, id) ?? []) {
      const name = `${chain}:${address}`;
      const seed = seedOf(name);
      if (!active && uniform(seed, 1) > INACTIVE_PART) continue;
      tokens.set(tokenKey(name), { name, coinId, trap: hasTraps ? trapOf(seed) : null });
    }
  }
  return tokens;
}

/** Addresses that begin with 0x are the same in capitals, others are not. */
export function tokenKey(name: string): string {
  const at = name.indexOf(':');
  const chain = name.slice(0, at).toLowerCase();
  const address = name.slice(at + 1);
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

/** The reported price of a token at an instant, where `at` is its time; undefined if there is none. */
export function tokenPrice(asset: Asset, { name, trap }: SimulatedToken, ms: number) {
  if (trap === 'unknown') return undefined;
  const seed = seedOf(name);
  const random = (salt: number) => uniform(seed, salt);
  const age = trap === 'old' ? (7 + 53 * random(3)) * HOUR_MS : random(4) * 15 * MINUTE_MS;
  const at = Math.floor((ms - age) / 1000) * 1000;
  if (at < asset.firstMs) return undefined;
  const far = 1.08 + 0.32 * random(8);
  const factors = {
    doubtful: 0.5 + 1.5 * random(6),
    elsewhere: random(7) < 0.5 ? far : 1 / far,
    impostor: random(9) < 0.5 ? 10 : 0.1,
  };
  const factor = trap === null || trap === 'old' ? 1 : factors[trap];
  const confidence = trap === 'doubtful' ? 0.3 + 0.55 * random(10) : 0.95 + 0.04 * random(11);
  return {
    price: Number((priceAt(asset, at) * (1 + 0.004 * (random(5) - 0.5)) * factor).toPrecision(12)),
    at,
    confidence: Math.round(confidence * 100) / 100,
  };
}
