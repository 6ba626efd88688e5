import type { Hex } from 'viem';
import { encodeAbiParameters, encodePacked, getCreate2Address, keccak256 } from 'viem/utils';
import type { Address } from '../../../shared/evm/address.ts';
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
  const salt = keccak256(encodePacked(['address', 'address'], sorted(tokenIn, tokenOut)));
  const pool = getCreate2Address({ from: v2.factory, salt, bytecodeHash: V2_INIT_CODE_HASH });
  return { type: 'v2', pool, feeTier: V2_FEE, tokenIn, tokenOut };
}

/** The pool of two tokens and a fee tier, whether or not it has been created. */
export function v3Hop({ v3 }: UniswapContracts, tokenIn: Address, tokenOut: Address, feeTier: number): Hop {
  const key = [...sorted(tokenIn, tokenOut), feeTier] as const;
  const salt = keccak256(encodeAbiParameters(poolKey, key));
  const pool = getCreate2Address({ from: v3.factory, salt, bytecodeHash: V3_INIT_CODE_HASH });
  return { type: 'v3', pool, feeTier, tokenIn, tokenOut };
}

const poolKey = [{ type: 'address' }, { type: 'address' }, { type: 'uint24' }] as const;

/** Pools order their tokens by address; true if the trade sells the first of them. */
export function sellsToken0({ tokenIn, tokenOut }: Pick<Hop, 'tokenIn' | 'tokenOut'>): boolean {
  return BigInt(tokenIn) < BigInt(tokenOut);
}

function sorted(a: Address, b: Address): readonly [Address, Address] {
  return BigInt(a) < BigInt(b) ? [a, b] : [b, a];
}

/** A V3 path as router and quoter take it: token, fee tier (3 bytes), token, … */
export function encodeV3Path(hops: readonly Hop[]): Hex {
  const tail = hops.map(({ feeTier, tokenOut }) => feeTier.toString(16).padStart(6, '0') + tokenOut.slice(2));
  return `${hops[0]?.tokenIn ?? '0x'}${tail.join('')}`.toLowerCase() as Hex; // addresses and digits
}
