import type { Hex } from 'viem';
import { encodeAbiParameters, encodePacked, getCreate2Address, keccak256 } from 'viem/utils';
import type { Address } from '../../../shared/evm/values.ts';
import { putBounded } from '../../../shared/platform/bounded-map.ts';
import type { UniswapContracts } from '../deployments.ts';

/** A pool in the direction in which a trade goes through it. */
export interface Hop {
  readonly type: 'v2' | 'v3';
  readonly pool: Address;
  /** The part of the input that the pool keeps, in millionths: 3000 is 0.3 %. */
  readonly feeTier: number;
  readonly tokenIn: Address;
  readonly tokenOut: Address;
}

export const V2_FEE = 3000;

// keccak256 of the pools' creation code, the same on every chain (v2-periphery UniswapV2Library, v3-periphery
// PoolAddress); a test computes both from the npm artifacts.
const V2_INIT_CODE_HASH = '0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f';
const V3_INIT_CODE_HASH = '0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54';

/** The pair of two tokens, whether or not it has been created. */
export function v2Hop({ v2 }: UniswapContracts, tokenIn: Address, tokenOut: Address): Hop {
  const pool = poolAddress(v2.factory, tokenIn, tokenOut);
  return { type: 'v2', pool, feeTier: V2_FEE, tokenIn, tokenOut };
}

/** The pool of two tokens and a fee tier, whether or not it has been created. */
export function v3Hop({ v3 }: UniswapContracts, tokenIn: Address, tokenOut: Address, feeTier: number): Hop {
  const pool = poolAddress(v3.factory, tokenIn, tokenOut, feeTier);
  return { type: 'v3', pool, feeTier, tokenIn, tokenOut };
}

/** Hashes that never change: a trade has some sixty of them, milliseconds of a whole core, and a swap asks twice. */
const addresses = new Map<string, Address>();
const MAX_ADDRESSES = 5_000;

/** Where the factory creates the pool of two tokens; a factory of V3 has one for each fee tier. */
function poolAddress(factory: Address, tokenA: Address, tokenB: Address, feeTier?: number): Address {
  const tokens = sorted(tokenA, tokenB);
  const key = `${factory} ${tokens.join(' ')} ${feeTier}`;
  let address = addresses.get(key);
  if (!address) {
    const isV2 = feeTier === undefined;
    const packed = isV2
      ? encodePacked(['address', 'address'], tokens)
      : encodeAbiParameters(poolKey, [...tokens, feeTier]);
    const bytecodeHash = isV2 ? V2_INIT_CODE_HASH : V3_INIT_CODE_HASH;
    address = getCreate2Address({ from: factory, salt: keccak256(packed), bytecodeHash });
    putBounded(addresses, key, address, MAX_ADDRESSES);
  }
  return address;
}

const poolKey = [{ type: 'address' }, { type: 'address' }, { type: 'uint24' }] as const;

/** Pools order their tokens by address; true if the trade sells the first of them. */
export function sellsToken0({ tokenIn, tokenOut }: Pick<Hop, 'tokenIn' | 'tokenOut'>): boolean {
  return BigInt(tokenIn) < BigInt(tokenOut);
}

function sorted(a: Address, b: Address): readonly [Address, Address] {
  return BigInt(a) < BigInt(b) ? [a, b] : [b, a];
}

/** The tokens of a route, in order. */
export function tokensOf(hops: readonly Hop[]): Address[] {
  return hops.flatMap(({ tokenIn, tokenOut }, index) => (index === 0 ? [tokenIn, tokenOut] : [tokenOut]));
}

/** A V3 path as router and quoter take it: token, fee tier (3 bytes), token, … */
export function encodeV3Path(hops: readonly Hop[]): Hex {
  const tail = hops.map(({ feeTier, tokenOut }) => feeTier.toString(16).padStart(6, '0') + tokenOut.slice(2));
  return `${hops[0]?.tokenIn ?? '0x'}${tail.join('')}`.toLowerCase() as Hex; // addresses and digits
}
