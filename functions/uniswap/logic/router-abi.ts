import { field } from './abi.ts';

/** The functions that swaps call, of Uniswap's routers (v2-periphery, v3-periphery, swap-router-contracts). */

const uint = <Name extends string>(name: Name) => field(name, 'uint256');
const account = <Name extends string>(name: Name) => field(name, 'address');
const encodedPath = field('path', 'bytes');

function abiFunction<Name extends string, const Inputs extends readonly unknown[]>(
  name: Name,
  inputs: Inputs,
) {
  return { type: 'function', name, stateMutability: 'payable', inputs, outputs: [] } as const;
}

const tail = [field('path', 'address[]'), account('to'), uint('deadline')] as const;

export const v2RouterAbi = [
  abiFunction('swapExactTokensForTokens', [uint('amountIn'), uint('amountOutMin'), ...tail]),
  abiFunction('swapExactTokensForETH', [uint('amountIn'), uint('amountOutMin'), ...tail]),
  abiFunction('swapExactETHForTokens', [uint('amountOutMin'), ...tail]),
] as const;

const afterSwap = [
  abiFunction('unwrapWETH9', [uint('amountMinimum'), account('recipient')]),
  abiFunction('refundETH', []),
] as const;
const params = field('params', 'tuple');
const amounts = [uint('amountIn'), uint('amountOutMinimum')] as const;

/** The first V3 router: a deadline in every swap. */
export const swapRouterAbi = [
  abiFunction('exactInput', [
    { ...params, components: [encodedPath, account('recipient'), uint('deadline'), ...amounts] },
  ]),
  abiFunction('multicall', [field('data', 'bytes[]')]),
  ...afterSwap,
] as const;

/** SwapRouter02: one deadline for a whole multicall. */
export const swapRouter02Abi = [
  abiFunction('exactInput', [{ ...params, components: [encodedPath, account('recipient'), ...amounts] }]),
  abiFunction('multicall', [uint('deadline'), field('data', 'bytes[]')]),
  ...afterSwap,
] as const;
