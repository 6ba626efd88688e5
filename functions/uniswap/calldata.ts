/** Calls of Uniswap's own routers and of the wrapped native token. */
import type { Hex } from 'viem';
import { decodeAbiParameters, encodeFunctionData } from 'viem/utils';
import { type Address, MAX_UINT256 } from '../../shared/evm/values.ts';
import { routerAddress, type UniswapChain } from './deployments.ts';
import { abiFunction, types } from './multicall.ts';
import { encodeV3Path, type Hop, type Path, tokensOf } from './pools.ts';
import type { Quote } from './quote.ts';

interface SwapTerms {
  /** The signer; matters only for a wrap or unwrap, where the recipient may be the sender. */
  readonly sender?: Address;
  readonly recipient: Address;
  /** In base units of the output; the router reverts below it. */
  readonly minAmountOut: bigint;
  /** Unix time in seconds; the router reverts after it. */
  readonly deadline: bigint;
  /** The output was not confirmed by a trial. */
  readonly isUntried?: boolean;
}

/** The call that makes a swap, and the contract that needs an allowance for the input. */
export interface SwapCall {
  readonly to: Address;
  readonly data: Hex;
  /** In wei. */
  readonly value: bigint;
  readonly spender: Address | null;
}

/** SwapRouter02 reads this address as itself. */
const ROUTER_ITSELF: Address = '0x0000000000000000000000000000000000000002';
/** As an input amount, SwapRouter02 reads this as its whole balance of the token. */
const ROUTERS_BALANCE = 0n;

/** The router's call for a quoted route; the router wraps and unwraps the native currency. */
export function swapCall(chain: UniswapChain, quote: Quote, terms: SwapTerms): SwapCall {
  const { kind, router, trade } = quote;
  const value = trade.tokenIn.isNative ? trade.amountIn : 0n;
  if (kind !== 'pools' && terms.recipient === terms.sender) {
    return { to: chain.wrappedNative, data: ownWrapData(quote), value, spender: null };
  }
  const to = routerAddress(chain, kind === 'pools' ? router : 'SwapRouter02');
  return { to, data: routerData(quote, terms), value, spender: trade.tokenIn.isNative ? null : to };
}

function routerData(quote: Quote, terms: SwapTerms): Hex {
  if (quote.kind !== 'pools') return wrapData(quote, terms);
  return quote.router === 'SwapRouter02' ? swapRouter02Data(quote, terms) : v2Router02Data(quote, terms);
}

/** Calls the wrapped token's own contract, which pays its caller. */
function ownWrapData({ kind, trade }: Quote): Hex {
  const abi = wrappedNativeAbi;
  return kind === 'wrap'
    ? encodeFunctionData({ abi, functionName: 'deposit' })
    : encodeFunctionData({ abi, functionName: 'withdraw', args: [trade.amountIn] });
}

/** Calls the router, which can pay another account. */
function wrapData({ kind, trade }: Quote, { recipient, minAmountOut, deadline }: SwapTerms): Hex {
  const abi = swapRouter02Abi;
  const { amountIn } = trade;
  const weth = trade.tokenIn.address;
  const calls =
    kind === 'wrap'
      ? [
          encodeFunctionData({ abi, functionName: 'wrapETH', args: [amountIn] }),
          encodeFunctionData({ abi, functionName: 'sweepToken', args: [weth, minAmountOut, recipient] }),
        ]
      : [
          encodeFunctionData({ abi, functionName: 'pull', args: [weth, amountIn] }),
          encodeFunctionData({ abi, functionName: 'unwrapWETH9', args: [minAmountOut, recipient] }),
        ];
  return encodeFunctionData({ abi, functionName: 'multicall', args: [deadline, calls] });
}

/** The calls that check the minimum against the amount that arrives, even if a token takes a transfer fee. */
function v2Router02Data({ hops, trade }: Quote, { recipient, minAmountOut, deadline }: SwapTerms): Hex {
  const { tokenIn, tokenOut, amountIn } = trade;
  const path = tokensOf(hops);
  const abi = v2Router02Abi;
  if (tokenIn.isNative) {
    const functionName = 'swapExactETHForTokensSupportingFeeOnTransferTokens';
    return encodeFunctionData({ abi, functionName, args: [minAmountOut, path, recipient, deadline] });
  }
  const functionName = tokenOut.isNative
    ? 'swapExactTokensForETHSupportingFeeOnTransferTokens'
    : 'swapExactTokensForTokensSupportingFeeOnTransferTokens';
  return encodeFunctionData({ abi, functionName, args: [amountIn, minAmountOut, path, recipient, deadline] });
}

function swapRouter02Data({ hops, trade }: Quote, terms: SwapTerms): Hex {
  const { recipient, minAmountOut, deadline, isUntried = false } = terms;
  const abi = swapRouter02Abi;
  const { address, isNative } = trade.tokenOut;
  // The router trusts a V3 pool's report of what it paid; it can check its own balance.
  const isSwept = isUntried && !isNative && hops.at(-1)?.type === 'v3';
  const parts = partsOf(hops);
  const calls = parts.map((part, index) => {
    const isLast = index === parts.length - 1;
    return partCall(part, {
      amountIn: index === 0 ? trade.amountIn : ROUTERS_BALANCE,
      amountOutMinimum: isLast ? minAmountOut : 0n,
      recipient: isLast && !isNative && !isSwept ? recipient : ROUTER_ITSELF,
    });
  });
  if (isNative) {
    calls.push(encodeFunctionData({ abi, functionName: 'unwrapWETH9', args: [minAmountOut, recipient] }));
  }
  if (isSwept) {
    calls.push(
      encodeFunctionData({ abi, functionName: 'sweepToken', args: [address, minAmountOut, recipient] }),
    );
  }
  // Otherwise anyone could withdraw the input that a pool did not take from the router.
  if (trade.tokenIn.isNative) calls.push(encodeFunctionData({ abi, functionName: 'refundETH' }));
  return encodeFunctionData({ abi, functionName: 'multicall', args: [deadline, calls] });
}

/**
 * The output reported by the last pool, from the result of a swap whose minimum the router checks against that report;
 * undefined if it is checked against the amount that arrived. The largest number if the result is not a router's.
 */
export function paidByLastPool({ hops, trade }: Quote, answer: Hex): bigint | undefined {
  if (hops.at(-1)?.type !== 'v3' || trade.tokenOut.isNative) return undefined;
  try {
    const [results] = decodeAbiParameters([{ type: 'bytes[]' }], answer);
    return decodeAbiParameters([{ type: 'uint256' }], results[partsOf(hops).length - 1] ?? '0x')[0];
  } catch {
    return MAX_UINT256;
  }
}

interface PartTerms {
  readonly amountIn: bigint;
  readonly amountOutMinimum: bigint;
  readonly recipient: Address;
}

function partCall(part: Path, { amountIn, amountOutMinimum, recipient }: PartTerms): Hex {
  const abi = swapRouter02Abi;
  if (part[0]?.type === 'v2') {
    const args = [amountIn, amountOutMinimum, tokensOf(part), recipient] as const;
    return encodeFunctionData({ abi, functionName: 'swapExactTokensForTokens', args });
  }
  const params = [encodeV3Path(part), recipient, amountIn, amountOutMinimum] as const;
  return encodeFunctionData({ abi, functionName: 'exactInput', args: [params] });
}

/** Splits the hops into runs of one version. */
function partsOf(hops: Path): Hop[][] {
  const parts: Hop[][] = [];
  for (const hop of hops) {
    const part = parts.at(-1);
    if (part?.[0]?.type === hop.type) part.push(hop);
    else parts.push([hop]);
  }
  return parts;
}

// The functions that swaps call (v2-periphery, swap-router-contracts).

/** The minimum, the path, the recipient and the deadline; before them the amount in, unless it is sent along. */
const v2Terms = ['uint256', 'address[]', 'address', 'uint256'] as const;

const v2Router02Abi = [
  abiFunction('swapExactTokensForTokensSupportingFeeOnTransferTokens', 'uint256', ...v2Terms),
  abiFunction('swapExactTokensForETHSupportingFeeOnTransferTokens', 'uint256', ...v2Terms),
  abiFunction('swapExactETHForTokensSupportingFeeOnTransferTokens', ...v2Terms),
] as const;

/** One deadline for a whole multicall. Its V2 swap checks the minimum against the amount that arrives. */
const swapRouter02Abi = [
  abiFunction('swapExactTokensForTokens', 'uint256', 'uint256', 'address[]', 'address'),
  {
    ...abiFunction('exactInput'),
    // A path, the recipient, the amount in and the minimum.
    inputs: [{ type: 'tuple', components: types('bytes', 'address', 'uint256', 'uint256') }],
  },
  abiFunction('unwrapWETH9', 'uint256', 'address'),
  abiFunction('refundETH'),
  abiFunction('wrapETH', 'uint256'),
  abiFunction('sweepToken', 'address', 'uint256', 'address'),
  abiFunction('pull', 'address', 'uint256'),
  abiFunction('multicall', 'uint256', 'bytes[]'),
] as const;

/** WETH9 (github.com/gnosis/canonical-weth). */
const wrappedNativeAbi = [abiFunction('deposit'), abiFunction('withdraw', 'uint256')] as const;
