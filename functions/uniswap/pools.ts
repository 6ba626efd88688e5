/** V2 and V3 pools, whose addresses are derived from their tokens, and the paths through them. */
import type { Hex } from 'viem';
import { encodeAbiParameters, encodePacked, getCreate2Address, keccak256 } from 'viem/utils';
import { meetNodes, servedChains } from '../../shared/evm/nodes.ts';
import type { Address } from '../../shared/evm/values.ts';
import { putBounded } from '../../shared/platform/caches.ts';
import { FEE_TIERS, type UniswapChain, type UniswapContracts, uniswapChain } from './deployments.ts';

/** A pool in the direction of a trade. */
export interface Hop {
  readonly type: 'v2' | 'v3';
  readonly pool: Address;
  /** The pool's fee on the input, in millionths: 3000 is 0.3 %. */
  readonly feeTier: number;
  readonly tokenIn: Address;
  readonly tokenOut: Address;
}

const V2_FEE = 3000;

// keccak256 of the pools' creation code, the same on every chain (v2-periphery UniswapV2Library, v3-periphery
// PoolAddress); a test computes both from the npm artifacts.
const V2_INIT_CODE_HASH = '0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f';
const V3_INIT_CODE_HASH = '0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54';

/** The pair of two tokens, whether or not it has been created. */
export function v2Hop({ v2Factory }: UniswapContracts, tokenIn: Address, tokenOut: Address): Hop {
  const pool = poolAddress(v2Factory, tokenIn, tokenOut);
  return { type: 'v2', pool, feeTier: V2_FEE, tokenIn, tokenOut };
}

/** The pool of two tokens and a fee tier, whether or not it has been created. */
export function v3Hop(
  { v3Factory }: UniswapContracts,
  tokenIn: Address,
  tokenOut: Address,
  feeTier: number,
): Hop {
  const pool = poolAddress(v3Factory, tokenIn, tokenOut, feeTier);
  return { type: 'v3', pool, feeTier, tokenIn, tokenOut };
}

/** Caches hashes, which never change: a trade needs about sixty, milliseconds of a whole core, and a swap needs them twice. */
const addresses = new Map<string, Address>();
const MAX_ADDRESSES = 5_000;
const v3Salt = [{ type: 'address' }, { type: 'address' }, { type: 'uint24' }] as const;

/** The address at which the factory creates the pool of two tokens; V3 has one for each fee tier. */
function poolAddress(factory: Address, tokenA: Address, tokenB: Address, feeTier?: number): Address {
  const isSorted = sellsToken0({ tokenIn: tokenA, tokenOut: tokenB });
  const tokens = isSorted ? ([tokenA, tokenB] as const) : ([tokenB, tokenA] as const);
  const key = `${factory} ${tokens.join(' ')} ${feeTier}`;
  let address = addresses.get(key);
  if (!address) {
    const isV2 = feeTier === undefined;
    const packed = isV2
      ? encodePacked(['address', 'address'], tokens)
      : encodeAbiParameters(v3Salt, [...tokens, feeTier]);
    const bytecodeHash = isV2 ? V2_INIT_CODE_HASH : V3_INIT_CODE_HASH;
    address = getCreate2Address({ from: factory, salt: keccak256(packed), bytecodeHash });
    putBounded(addresses, key, address, MAX_ADDRESSES);
  }
  return address;
}

/** Pools order their tokens by address; true if the trade sells the first of them. */
export function sellsToken0({ tokenIn, tokenOut }: Pick<Hop, 'tokenIn' | 'tokenOut'>): boolean {
  return BigInt(tokenIn) < BigInt(tokenOut);
}

/** A path from one token to another. */
export type Path = readonly Hop[];

/** Every path worth considering, in any mix of versions: direct first, then through one intermediate token. */
export function candidatePaths(chain: UniswapChain, tokenIn: Address, tokenOut: Address): Path[] {
  const middles = chain.tokens.map(({ address }) => address);
  const direct = poolsOf(chain, tokenIn, tokenOut).map((hop): Path => [hop]);
  const indirect = middles
    .filter((token) => token !== tokenIn && token !== tokenOut)
    .flatMap((middle) => {
      const seconds = poolsOf(chain, middle, tokenOut);
      return poolsOf(chain, tokenIn, middle).flatMap((first) => seconds.map((second) => [first, second]));
    });
  return [...direct, ...indirect];
}

function poolsOf({ uniswap }: UniswapChain, tokenIn: Address, tokenOut: Address): Hop[] {
  const { feeTiers = FEE_TIERS } = uniswap;
  return [
    v2Hop(uniswap, tokenIn, tokenOut),
    ...feeTiers.map((tier) => v3Hop(uniswap, tokenIn, tokenOut, tier)),
  ];
}

/** The tokens of a route, in order. */
export function tokensOf(hops: Path): Address[] {
  return hops.flatMap(({ tokenIn, tokenOut }, index) => (index === 0 ? [tokenIn, tokenOut] : [tokenOut]));
}

/** A V3 path as router and quoter expect it: token, fee tier (3 bytes), token, … */
export function encodeV3Path(hops: Path): Hex {
  const tail = hops.map(({ feeTier, tokenOut }) => feeTier.toString(16).padStart(6, '0') + tokenOut.slice(2));
  return `${hops[0]?.tokenIn ?? '0x'}${tail.join('')}`.toLowerCase() as Hex; // addresses and digits
}

/**
 * Prepares quotes before the first request: the nodes, and the pools between each chain's common tokens. Hashing them
 * for the first time takes 30 ms of a whole core, and 200 ms on the share of 256 MB. Never throws.
 */
export async function prepare(): Promise<void> {
  const met = meetNodes();
  for (const name of servedChains()) {
    const chain = uniswapChain(name);
    const [wrapped, other] = chain.tokens;
    if (other) candidatePaths(chain, wrapped.address, other.address);
  }
  await met;
}
