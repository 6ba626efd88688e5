import type { ProviderCoin } from './coins.ts';
import { seedOf, uniform } from './hash.ts';
import type { Market } from './market.ts';

/** A contract of a coin, as `/contracts/{platform}` answers it. */
export interface ListedContract {
  readonly address: string;
  readonly id: string;
  readonly type: string;
  readonly active: boolean;
}

interface Platform {
  readonly id: string;
  readonly type: string;
  /** The part of tokens that have a contract on it. */
  readonly share: number;
  readonly addressOf: (seed: number) => string;
}

/** Of eight digits each. */
const EVM_WORDS = 5;
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** The platforms that contracts are listed of, the most used first. */
export const platforms: readonly Platform[] = [
  { id: 'eth-ethereum', type: 'ERC20', share: 0.5, addressOf: evmAddress },
  { id: 'bnb-binance-coin', type: 'BEP20', share: 0.35, addressOf: evmAddress },
  { id: 'sol-solana', type: 'Other', share: 0.25, addressOf: (seed) => base58(seed, 44) },
  { id: 'base-base', type: 'Other', share: 0.08, addressOf: evmAddress },
  { id: 'matic-polygon', type: 'Other', share: 0.06, addressOf: evmAddress },
  { id: 'arb-arbitrum', type: 'Other', share: 0.05, addressOf: evmAddress },
  { id: 'avax-avalanche', type: 'Other', share: 0.03, addressOf: evmAddress },
  { id: 'op-optimism', type: 'Other', share: 0.02, addressOf: evmAddress },
  { id: 'trx-tron', type: 'TRC20', share: 0.02, addressOf: (seed) => `T${base58(seed, 33)}` },
  { id: 'xlm-stellar', type: 'Stellar Asset', share: 0.01, addressOf: (seed) => `G${base58(seed, 55)}` },
];

/** The contracts of a platform; undefined if there is no such platform. Made once for each market. */
export function contractsOf(market: Market, platformId: string): readonly ListedContract[] | undefined {
  const platform = platforms.find(({ id }) => id === platformId);
  if (!platform) return undefined;
  const made = listsOf.get(market) ?? new Map<string, readonly ListedContract[]>();
  listsOf.set(market, made);
  const list = made.get(platformId) ?? listOf(market, platform);
  made.set(platformId, list);
  return list;
}

const listsOf = new WeakMap<Market, Map<string, readonly ListedContract[]>>();

function listOf({ coins, seed }: Market, platform: Platform): ListedContract[] {
  return coins.flatMap((coin) => {
    const coinSeed = seedOf(`${seed}:contracts:${coin.id}`);
    if (!isOn(coin, coinSeed, platform)) return [];
    const address = platform.addressOf(seedOf(`${coinSeed}:${platform.id}`));
    return [{ address, id: coin.id, type: platform.type, active: coin.is_active !== false }];
  });
}

/** One in ten tokens has no contract that anybody knows of; most have one, and some have it on several platforms. */
function isOn({ type }: ProviderCoin, seed: number, platform: Platform): boolean {
  if (type !== 'token' || uniform(seed, 0) < 0.1) return false;
  const place = platforms.indexOf(platform);
  const home = platforms.findIndex(({ share }, index) => uniform(seed, 1 + index) < share);
  return place === Math.max(home, 0) || uniform(seed, 21 + place) < platform.share / 5;
}

/** As contracts are written: in lower case, or with the capitals of a checksum (here of no meaning). */
function evmAddress(seed: number): string {
  const digits = Array.from({ length: EVM_WORDS }, (_, word) => hexWord(seed, word)).join('');
  const capitals = uniform(seed, -1) < 0.5 ? Math.floor(uniform(seed, -2) * 2 ** 32) : 0;
  return `0x${digits.replace(/[a-f]/g, (digit, at: number) => ((capitals >>> (at % 32)) & 1 ? digit.toUpperCase() : digit))}`;
}

function hexWord(seed: number, word: number): string {
  return (uniform(seed, word) * 2 ** 32).toString(16).padStart(8, '0');
}

function base58(seed: number, length: number): string {
  const letter = (index: number) => BASE58.charAt(Math.floor(uniform(seed, index + 1) * BASE58.length));
  return Array.from({ length }, (_, index) => letter(index)).join('');
}
