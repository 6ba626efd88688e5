import type { Hex } from 'viem';
import { encodeFunctionData } from 'viem/utils';
import type { Address } from '../../../shared/evm/values.ts';
import { field, nonpayable } from './abi.ts';

const owner = field('owner', 'address');
const spender = field('spender', 'address');
const shared = { ...nonpayable, outputs: [] } as const;

const tokenAbi = [
  { ...shared, name: 'approve', inputs: [spender, field('amount', 'uint256')] },
  { ...shared, name: 'allowance', inputs: [owner, spender] },
  { ...shared, name: 'balanceOf', inputs: [owner] },
] as const;

/** Calldata of an ERC-20 token (eips.ethereum.org/EIPS/eip-20). */
export const tokenCalls = {
  approve: (spender: Address, value: bigint): Hex =>
    encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args: [spender, value] }),
  allowance: (owner: Address, spender: Address): Hex =>
    encodeFunctionData({ abi: tokenAbi, functionName: 'allowance', args: [owner, spender] }),
  balanceOf: (owner: Address): Hex =>
    encodeFunctionData({ abi: tokenAbi, functionName: 'balanceOf', args: [owner] }),
};
