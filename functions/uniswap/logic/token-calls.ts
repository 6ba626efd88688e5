import type { Hex } from 'viem';
import { encodeFunctionData } from 'viem/utils';
import type { Address } from '../../../shared/evm/address.ts';

const account = (name: string) => ({ name, type: 'address' }) as const;
const amount = { name: 'amount', type: 'uint256' } as const;
const shared = { type: 'function', stateMutability: 'nonpayable', outputs: [] } as const;

const tokenAbi = [
  { ...shared, name: 'approve', inputs: [account('spender'), amount] },
  { ...shared, name: 'allowance', inputs: [account('owner'), account('spender')] },
  { ...shared, name: 'balanceOf', inputs: [account('owner')] },
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
