/** The functions that swaps call, of Uniswap's routers (v2-periphery, v3-periphery, swap-router-contracts). */

const uint = (name: string) => ({ name, type: 'uint256' }) as const;
const account = (name: string) => ({ name, type: 'address' }) as const;
const path = { name: 'path', type: 'address[]' } as const;
const encodedPath = { name: 'path', type: 'bytes' } as const;

function abiFunction<Name extends string, const Inputs extends readonly unknown[]>(
  name: Name,
  inputs: Inputs,
) {
  return { type: 'function', name, stateMutability: 'payable', inputs, outputs: [] } as const;
}

const tail = [path, account('to'), uint('deadline')] as const;

export const v2RouterAbi = [
  abiFunction('swapExactTokensForTokens', [uint('amountIn'), uint('amountOutMin'), ...tail]),
  abiFunction('swapExactTokensForETH', [uint('amountIn'), uint('amountOutMin'), ...tail]),
  abiFunction('swapExactETHForTokens', [uint('amountOutMin'), ...tail]),
] as const;

const afterSwap = [
  abiFunction('unwrapWETH9', [uint('amountMinimum'), account('recipient')]),
  abiFunction('refundETH', []),
] as const;
const amounts = [uint('amountIn'), uint('amountOutMinimum')] as const;

/** The first V3 router: a deadline in every swap. */
export const swapRouterAbi = [
  abiFunction('exactInput', [
    {
      name: 'params',
      type: 'tuple',
      components: [encodedPath, account('recipient'), uint('deadline'), ...amounts],
    },
  ]),
  abiFunction('multicall', [{ name: 'data', type: 'bytes[]' }]),
  ...afterSwap,
] as const;

/** SwapRouter02: one deadline for a whole multicall. */
export const swapRouter02Abi = [
  abiFunction('exactInput', [
    { name: 'params', type: 'tuple', components: [encodedPath, account('recipient'), ...amounts] },
  ]),
  abiFunction('multicall', [uint('deadline'), { name: 'data', type: 'bytes[]' }]),
  ...afterSwap,
] as const;
