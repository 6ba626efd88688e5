import { field } from './abi.ts';

/** The functions that swaps call, of Uniswap's routers (v2-periphery, swap-router-contracts). */

const uint = <Name extends string>(name: Name) => field(name, 'uint256');
const account = <Name extends string>(name: Name) => field(name, 'address');
const tokenPath = field('path', 'address[]');

function abiFunction<Name extends string, const Inputs extends readonly unknown[]>(
  name: Name,
  inputs: Inputs,
) {
  return { type: 'function', name, stateMutability: 'payable', inputs, outputs: [] } as const;
}

const tail = [tokenPath, account('to'), uint('deadline')] as const;

export const v2Router02Abi = [
  abiFunction('swapExactTokensForTokensSupportingFeeOnTransferTokens', [
    uint('amountIn'),
    uint('amountOutMin'),
    ...tail,
  ]),
  abiFunction('swapExactTokensForETHSupportingFeeOnTransferTokens', [
    uint('amountIn'),
    uint('amountOutMin'),
    ...tail,
  ]),
  abiFunction('swapExactETHForTokensSupportingFeeOnTransferTokens', [uint('amountOutMin'), ...tail]),
] as const;

const exactInput = [
  field('path', 'bytes'),
  account('recipient'),
  uint('amountIn'),
  uint('amountOutMinimum'),
] as const;

/** One deadline for a whole multicall. Its V2 swap holds the minimum against what arrives. */
export const swapRouter02Abi = [
  abiFunction('swapExactTokensForTokens', [uint('amountIn'), uint('amountOutMin'), tokenPath, account('to')]),
  abiFunction('exactInput', [{ ...field('params', 'tuple'), components: exactInput }]),
  abiFunction('unwrapWETH9', [uint('amountMinimum'), account('recipient')]),
  abiFunction('refundETH', []),
  abiFunction('wrapETH', [uint('value')]),
  abiFunction('sweepToken', [account('token'), uint('amountMinimum'), account('recipient')]),
  abiFunction('pull', [account('token'), uint('value')]),
  abiFunction('multicall', [uint('deadline'), field('data', 'bytes[]')]),
] as const;

/** WETH9 (github.com/gnosis/canonical-weth). */
export const wrappedNativeAbi = [abiFunction('deposit', []), abiFunction('withdraw', [uint('wad')])] as const;
