import type { Hex } from 'viem';
import { decodeFunctionResult, encodeFunctionData } from 'viem/utils';
import type { Address } from '../../../shared/evm/address.ts';
import type { Node } from '../../../shared/evm/node.ts';
import { NodeError } from '../../../shared/evm/node-error.ts';
import { field, nonpayable } from './abi.ts';

export interface Read {
  readonly to: Address;
  readonly data: Hex;
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

/** A swap through hundreds of ticks needs less; more, and one call could use up what a node allows for all. */
const GAS_PER_CALL = 3_000_000n;

/** The answers at one block, in the order of the reads; undefined for a call that reverts or finds no contract. */
export async function readAll(
  node: Node,
  multicall: Address | undefined,
  reads: readonly Read[],
  block: bigint,
  deadline: number,
): Promise<(Hex | undefined)[]> {
  const answers = multicall
    ? await readInOne(node, multicall, reads, block, deadline)
    : await Promise.all(reads.map((read) => readOne(node, read, block, deadline)));
  return answers.map((answer) => (answer === '0x' ? undefined : answer));
}

async function readInOne(
  node: Node,
  multicall: Address,
  reads: readonly Read[],
  block: bigint,
  deadline: number,
): Promise<(Hex | undefined)[]> {
  const calls = reads.map(({ to, data }) => ({ target: to, gasLimit: GAS_PER_CALL, callData: data }));
  const request = { to: multicall, data: encodeFunctionData({ abi: multicallAbi, args: [calls] }) };
  const [, results] = decodeFunctionResult({
    abi: multicallAbi,
    data: await node.call(request, block, deadline),
  });
  return results.map(({ success, returnData }) => (success ? returnData : undefined));
}

async function readOne(node: Node, read: Read, block: bigint, deadline: number): Promise<Hex | undefined> {
  try {
    return await node.call(read, block, deadline);
  } catch (error) {
    if (error instanceof NodeError && error.kind === 'reverted') return undefined;
    throw error;
  }
}

/** The 32-byte word of an ABI-encoded answer as a number; 0 beyond its end. */
export function word(data: Hex, index: number): bigint {
  const digits = data.slice(2 + index * 64, 2 + (index + 1) * 64);
  return digits.length === 64 ? BigInt(`0x${digits}`) : 0n;
}
