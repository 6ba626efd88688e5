/** For tests on a real chain: new tokens and pools, contract reads, and swaps tried on the pools. */
import type { Address, Hex } from 'viem';
import { decodeFunctionResult, encodeFunctionData } from 'viem/utils';
import type { LocalChain } from '../../local/evm/index.ts';
import { DEPLOYER } from '../../local/evm/json-rpc.ts';
import { artifact, type ContractName } from '../../local/evm/uniswap/artifacts.ts';
import { contracts, createdBy, tokenCreation } from '../../local/evm/uniswap/deploy.ts';
import { approvals, call } from '../../local/evm/uniswap/liquidity.ts';
import { createNode } from '../../shared/evm/node.ts';
import { type UniswapNode, uniswapChain } from './deployments.ts';
import { encodeV3Path, type Hop } from './logic/pools.ts';
import type { Quote, Trade } from './logic/quote.ts';

export const UNLIMITED = 2n ** 256n - 1n;
export const FOREVER = 2n ** 64n;

export function uniswapNodeAt(url: string, chain = uniswapChain('local')): UniswapNode {
  return createNode(chain, url, 10_000);
}

/** The trade of two tokens that are not native. */
export function tradeOf(tokenIn: Address, tokenOut: Address, amountIn: bigint): Trade {
  return {
    tokenIn: { address: tokenIn, isNative: false },
    tokenOut: { address: tokenOut, isNative: false },
    amountIn,
  };
}

/** Test tokens that no other test knows, all of them the deployer's; pools and routers may take them. */
export async function newTokens(chain: LocalChain, count: number): Promise<Address[]> {
  const nonce = Number(await chain.rpc('eth_getTransactionCount', [DEPLOYER, 'latest']));
  const tokens = Array.from({ length: count }, (_, index) => createdBy(nonce + index));
  await chain.send(tokens.map(tokenCreation));
  await chain.send(
    tokens.flatMap((token) => [
      ...approvals(token),
      call(token, 'token', 'approve', [contracts.router, UNLIMITED]),
    ]),
  );
  return tokens;
}

/** The answer of a contract at the newest block. */
export async function read<T>(
  chain: LocalChain,
  to: Address,
  name: ContractName,
  functionName: string,
  args: readonly unknown[] = [],
  from: Address = DEPLOYER,
): Promise<T> {
  const { abi } = artifact(name);
  const data = encodeFunctionData({ abi, functionName, args });
  const answer = (await chain.rpc('eth_call', [{ from, to, data }, 'latest'])) as Hex;
  return decodeFunctionResult({ abi, functionName, data: answer }) as T;
}

/** The amount that the real routers would pay the deployer for the route of a quote: the pools' own arithmetic. */
export async function paidByPools(chain: LocalChain, { hops, trade }: Quote): Promise<bigint> {
  let amount = trade.amountIn;
  for (const hop of hops) amount = await paidByPool(chain, hop, amount);
  return amount;
}

async function paidByPool(chain: LocalChain, hop: Hop, amountIn: bigint): Promise<bigint> {
  const { type, tokenIn, tokenOut } = hop;
  if (type === 'v3') {
    const swap = { path: encodeV3Path([hop]), recipient: DEPLOYER, amountIn, amountOutMinimum: 0n };
    return read<bigint>(chain, contracts.router, 'router', 'exactInput', [swap]);
  }
  const args = [amountIn, [tokenIn, tokenOut]];
  const amounts = await read<readonly bigint[]>(chain, contracts.v2Router, 'v2Router', 'getAmountsOut', args);
  return amounts.at(-1) ?? 0n;
}

export async function balanceOf(
  chain: LocalChain,
  token: Address | 'native',
  account: Address,
): Promise<bigint> {
  if (token === 'native') return BigInt((await chain.rpc('eth_getBalance', [account, 'latest'])) as string);
  return read<bigint>(chain, token, 'token', 'balanceOf', [account]);
}
