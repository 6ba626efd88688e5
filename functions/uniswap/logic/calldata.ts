import type { Hex } from 'viem';
import { encodeFunctionData } from 'viem/utils';
import { type Address, ZERO_ADDRESS } from '../../../shared/evm/address.ts';
import type { UniswapChain } from '../deployments.ts';
import { encodeV3Path } from './pools.ts';
import type { Quote } from './quote.ts';
import { swapRouter02Abi, swapRouterAbi, v2RouterAbi } from './router-abi.ts';

interface SwapTerms {
  readonly recipient: Address;
  /** In base units of the output; the router reverts below it. */
  readonly minAmountOut: bigint;
  /** Unix time in seconds; the router reverts after it. */
  readonly deadline: bigint;
}

interface UnsignedCall {
  readonly to: Address;
  readonly data: Hex;
  /** In wei. */
  readonly value: bigint;
}

/** SwapRouter02 takes this address for itself; the first router takes the zero address. */
const ROUTER_ITSELF_02: Address = '0x0000000000000000000000000000000000000002';

/** The router that a swap of this kind calls, and that must be allowed to take the input. */
export function routerOf({ uniswap }: UniswapChain, type: Quote['type']): Address {
  return type === 'v2' ? uniswap.v2.router : uniswap.v3.router.address;
}

/** The call of the real router for a quoted route; native in and out are wrapped and unwrapped by the router. */
export function swapCall(chain: UniswapChain, quote: Quote, terms: SwapTerms): UnsignedCall {
  const { tokenIn, amountIn } = quote.trade;
  const data = quote.type === 'v2' ? v2Data(quote, terms) : v3Data(chain, quote, terms);
  return { to: routerOf(chain, quote.type), data, value: tokenIn.isNative ? amountIn : 0n };
}

function v2Data({ hops, trade }: Quote, { recipient, minAmountOut, deadline }: SwapTerms): Hex {
  const { tokenIn, tokenOut, amountIn } = trade;
  const path = [tokenIn.address, ...hops.map((hop) => hop.tokenOut)];
  const abi = v2RouterAbi;
  if (tokenIn.isNative) {
    const args = [minAmountOut, path, recipient, deadline] as const;
    return encodeFunctionData({ abi, functionName: 'swapExactETHForTokens', args });
  }
  const functionName = tokenOut.isNative ? 'swapExactTokensForETH' : 'swapExactTokensForTokens';
  return encodeFunctionData({ abi, functionName, args: [amountIn, minAmountOut, path, recipient, deadline] });
}

function v3Data(chain: UniswapChain, { hops, trade }: Quote, terms: SwapTerms): Hex {
  const { tokenIn, tokenOut, amountIn } = trade;
  const is02 = chain.uniswap.v3.router.kind === 'SwapRouter02';
  const itself = is02 ? ROUTER_ITSELF_02 : ZERO_ADDRESS;
  const swap = {
    path: encodeV3Path(hops),
    recipient: tokenOut.isNative ? itself : terms.recipient,
    deadline: terms.deadline,
    amountIn,
    amountOutMinimum: terms.minAmountOut,
  };
  const calls: Hex[] = [
    is02
      ? encodeFunctionData({ abi: swapRouter02Abi, functionName: 'exactInput', args: [swap] })
      : encodeFunctionData({ abi: swapRouterAbi, functionName: 'exactInput', args: [swap] }),
  ];
  const abi = swapRouterAbi; // the two below are the same in both routers
  if (tokenOut.isNative) {
    const args = [terms.minAmountOut, terms.recipient] as const;
    calls.push(encodeFunctionData({ abi, functionName: 'unwrapWETH9', args }));
  }
  // Anybody may fetch from the router the part that a pool did not take.
  if (tokenIn.isNative) calls.push(encodeFunctionData({ abi, functionName: 'refundETH' }));
  if (is02) {
    const args = [terms.deadline, calls] as const;
    return encodeFunctionData({ abi: swapRouter02Abi, functionName: 'multicall', args });
  }
  const [only] = calls;
  if (only && calls.length === 1) return only;
  return encodeFunctionData({ abi, functionName: 'multicall', args: [calls] });
}
