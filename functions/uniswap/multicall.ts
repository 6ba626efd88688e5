/** Many contract reads in one call to the node. */
import type { Hex } from 'viem';
import { decodeFunctionResult, encodeFunctionData } from 'viem/utils';
import { unusableAnswer } from '../../shared/evm/node-error.ts';
import type { Address } from '../../shared/evm/values.ts';
import type { UniswapNode } from './deployments.ts';

export interface Read {
  readonly to: Address;
  readonly data: Hex;
  /** The gas limit; the default is enough for the state of a token or a pool. */
  readonly gas?: bigint;
}

/** Parameters of an ABI, typed as viem reads them. Encoding needs no names. */
export function types<const Types extends readonly string[]>(...names: Types) {
  return names.map((type) => ({ type })) as { readonly [I in keyof Types]: { readonly type: Types[I] } };
}

/** A function of an ABI, without its results. */
export function abiFunction<Name extends string, const Types extends readonly string[]>(
  name: Name,
  ...inputs: Types
) {
  return {
    type: 'function',
    name,
    stateMutability: 'payable',
    inputs: types(...inputs),
    outputs: [],
  } as const;
}

/** UniswapInterfaceMulticall (github.com/Uniswap/v3-periphery, contracts/lens). */
const multicallAbi = [
  {
    ...abiFunction('multicall'),
    // The contract, the gas limit and the calldata of each call.
    inputs: [{ type: 'tuple[]', components: types('address', 'uint256', 'bytes') }],
    // The block, and of each call whether it succeeded, the gas that it used, and its result.
    outputs: [{ type: 'uint256' }, { type: 'tuple[]', components: types('bool', 'uint256', 'bytes') }],
  },
] as const;

/** A token behind two proxies needs a third of it. */
const READ_GAS = 200_000n;
/** The most gas that one call may need: well below what nodes cap it at (geth, reth, nitro: 50 million). */
const CALL_GAS = 25_000_000n;
/** A read takes at least 200 bytes of a request and as many of its response. */
const MAX_READS = 250;

/**
 * The results at one block, in the order of the reads; undefined for a call that reverts or finds no contract. The
 * reads are sent in parallel chunks, each within the gas that nodes allow one call. Throws node failures.
 */
export async function readAll(
  node: UniswapNode,
  reads: readonly Read[],
  block: bigint | 'latest',
  deadline: number,
): Promise<(Hex | undefined)[]> {
  const answers = await Promise.all(chunksOf(reads).map((chunk) => readInOne(node, chunk, block, deadline)));
  return answers.flat();
}

/** Splits the reads, in order, into chunks that fit the gas limit. */
function chunksOf(reads: readonly Read[]): Read[][] {
  const chunks: Read[][] = [];
  let left = 0n;
  for (const read of reads) {
    const chunk = chunks.at(-1);
    const { gas = READ_GAS } = read;
    if (chunk && gas <= left && chunk.length < MAX_READS) chunk.push(read);
    else {
      chunks.push([read]);
      left = CALL_GAS;
    }
    left -= gas;
  }
  return chunks;
}

async function readInOne(
  node: UniswapNode,
  reads: readonly Read[],
  block: bigint | 'latest',
  deadline: number,
): Promise<(Hex | undefined)[]> {
  const calls = reads.map(({ to, data, gas = READ_GAS }) => [to, gas, data] as const);
  const data = encodeFunctionData({ abi: multicallAbi, args: [calls] });
  const results = resultsIn(await node.call({ to: node.chain.uniswap.multicall, data }, block, deadline));
  if (results?.length !== reads.length) throw unusableAnswer(node.chain.name, 'not that of a multicall');
  return results.map(([succeeded, , result]) => (succeeded && result !== '0x' ? result : undefined));
}

function resultsIn(answer: Hex) {
  try {
    return decodeFunctionResult({ abi: multicallAbi, data: answer })[1];
  } catch {
    return undefined; // there is no multicall contract at the block, or the node's data is invalid
  }
}

/** The 32-byte word of an ABI-encoded result as a number; 0 beyond its end. */
export function word(data: Hex, index: number): bigint {
  const digits = data.slice(2 + index * 64, 2 + (index + 1) * 64);
  return digits.length === 64 ? BigInt(`0x${digits}`) : 0n;
}
