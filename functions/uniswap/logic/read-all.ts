import type { Hex } from 'viem';
import { decodeFunctionResult, encodeFunctionData } from 'viem/utils';
import type { Node, StateOverrides } from '../../../shared/evm/node.ts';
import { NodeError, unusableAnswer } from '../../../shared/evm/node-error.ts';
import type { Address } from '../../../shared/evm/values.ts';
import type { UniswapNode } from '../deployments.ts';
import { field, nonpayable } from './abi.ts';

export interface Read {
  readonly to: Address;
  readonly data: Hex;
  /** The most that it may use; enough for a look at a token's or a pool's state unless told. */
  readonly gas?: bigint;
}

/** UniswapInterfaceMulticall (github.com/Uniswap/v3-periphery, contracts/lens). */
const multicallAbi = [
  {
    ...nonpayable,
    name: 'multicall',
    inputs: [
      {
        ...field('calls', 'tuple[]'),
        components: [field('target', 'address'), field('gasLimit', 'uint256'), field('callData', 'bytes')],
      },
    ],
    outputs: [
      field('blockNumber', 'uint256'),
      {
        ...field('returnData', 'tuple[]'),
        components: [field('success', 'bool'), field('gasUsed', 'uint256'), field('returnData', 'bytes')],
      },
    ],
  },
] as const;

/** A token behind two proxies needs a third of it. */
const STATE_GAS = 200_000n;
/** A read takes 200 bytes of a request at least, and as many of its answer. */
const MAX_READS = 250;

/**
 * The answers at one block, in the order of the reads; undefined for a call that reverts or finds no contract. The reads
 * go out in chunks, side by side, each within the gas that the chain's nodes allow one call; a chunk that is too heavy
 * all the same is tried once more in halves.
 */
export async function readAll(
  node: UniswapNode,
  multicall: Address | undefined,
  reads: readonly Read[],
  block: bigint,
  deadline: number,
  overrides?: StateOverrides,
): Promise<(Hex | undefined)[]> {
  const readChunk = async (chunk: readonly Read[]): Promise<(Hex | undefined)[]> => {
    if (!multicall) return Promise.all(chunk.map((read) => readOne(node, read, block, deadline, overrides)));
    return readInOne(node, multicall, chunk, block, deadline, overrides);
  };
  const readOnceMore = async (chunk: readonly Read[]) => {
    try {
      return await readChunk(chunk);
    } catch (error) {
      if (chunk.length === 1 || !isTooHeavy(error)) throw error;
      const middle = Math.ceil(chunk.length / 2);
      const halves = await Promise.all([readChunk(chunk.slice(0, middle)), readChunk(chunk.slice(middle))]);
      return halves.flat();
    }
  };
  const answers = await Promise.all(chunksOf(reads, node.chain.uniswap.callGas).map(readOnceMore));
  return answers.flat().map((answer) => (answer === '0x' ? undefined : answer));
}

/** The multicall itself reverts for want of gas alone, and not every node says so. */
function isTooHeavy(error: unknown): boolean {
  return error instanceof NodeError && (error.isTooHeavy || error.kind === 'reverted');
}

/** The reads in order, in chunks that together need no more than the gas. */
function chunksOf(reads: readonly Read[], callGas: bigint): Read[][] {
  const chunks: Read[][] = [];
  let left = 0n;
  for (const read of reads) {
    const chunk = chunks.at(-1);
    const { gas = STATE_GAS } = read;
    if (chunk && gas <= left && chunk.length < MAX_READS) chunk.push(read);
    else {
      chunks.push([read]);
      left = callGas;
    }
    left -= gas;
  }
  return chunks;
}

async function readInOne(
  node: UniswapNode,
  multicall: Address,
  reads: readonly Read[],
  block: bigint,
  deadline: number,
  overrides: StateOverrides | undefined,
): Promise<(Hex | undefined)[]> {
  const calls = reads.map(({ to, data, gas = STATE_GAS }) => ({ target: to, gasLimit: gas, callData: data }));
  const request = { to: multicall, data: encodeFunctionData({ abi: multicallAbi, args: [calls] }) };
  const results = resultsIn(await node.call(request, block, deadline, overrides));
  if (results?.length !== reads.length) throw unusableAnswer(node.chain.name, 'not that of a multicall');
  return results.map(({ success, returnData }) => (success ? returnData : undefined));
}

function resultsIn(answer: Hex) {
  try {
    return decodeFunctionResult({ abi: multicallAbi, data: answer })[1];
  } catch {
    return undefined; // there is no multicall at the block, or the node made it up
  }
}

/** The answer to a call by itself; undefined if it reverts. Throws node failures. */
export async function readOne(
  node: Node,
  { to, data }: Read,
  block: bigint | 'latest',
  deadline: number,
  overrides?: StateOverrides,
): Promise<Hex | undefined> {
  try {
    return await node.call({ to, data }, block, deadline, overrides);
  } catch (error) {
    // Alone, a call is cut off by nothing but the node's own cap.
    if (error instanceof NodeError && /^(reverted|out-of-gas)$/.test(error.kind)) return undefined;
    throw error;
  }
}

/** The 32-byte word of an ABI-encoded answer as a number; 0 beyond its end. */
export function word(data: Hex, index: number): bigint {
  const digits = data.slice(2 + index * 64, 2 + (index + 1) * 64);
  return digits.length === 64 ? BigInt(`0x${digits}`) : 0n;
}
