/** For tests: a real chain with new tokens and pools, the wrapped handlers on it, and contract reads. */
import type { Address, Hex } from 'viem';
import { decodeFunctionResult, encodeFunctionData } from 'viem/utils';
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest';
import { ETHER, type LocalChain, startLocalChain } from '../../local/evm/index.ts';
import { DEPLOYER } from '../../local/evm/json-rpc.ts';
import { artifact, type ContractName } from '../../local/evm/uniswap/artifacts.ts';
import { contracts, createdBy, tokenCreation } from '../../local/evm/uniswap/deploy.ts';
import { approvals, call as contractCall, type Liquidity } from '../../local/evm/uniswap/liquidity.ts';
import type { ApprovalPayload } from '../../shared/evm/contract.ts';
import { createNode } from '../../shared/evm/node.ts';
import { compileResponse } from '../../shared/http/compile-schemas.ts';
import { soon } from '../../test/evm/node.ts';
import type { Receipt, Wallet } from '../../test/evm/wallet.ts';
import { type Answer, call } from '../../test/pipeline/event.ts';
import { route as approveRoute } from './approve/route.ts';
import { type UniswapNode, uniswapChain } from './deployments.ts';
import { route as quoteRoute } from './quote/route.ts';
import type { Quote, QuoteData, Trade } from './quote.ts';
import { rankedQuotes } from './quote.ts';
import { route as swapRoute } from './swap/route.ts';
import type { SwapData } from './swap.ts';

export const UNLIMITED = 2n ** 256n - 1n;

interface Answers {
  readonly quote: QuoteData;
  readonly swap: SwapData;
  readonly approve: ApprovalPayload;
}

type Name = keyof Answers;
export type Body = Readonly<Record<string, unknown>>;

export interface UniswapRoutes {
  post(name: Name, body: Body): Promise<Answer>;
  /** The data of a success; fails on anything else, and on an answer that its schema does not know. */
  ask<N extends Name>(name: N, body: Body): Promise<Answers[N]>;
}

const problems = {
  quote: compileResponse(quoteRoute.response),
  swap: compileResponse(swapRoute.response),
  approve: compileResponse(approveRoute.response),
};

/** The handlers with a memory of their own, on the node at a URL. Stubs the environment: unstub it afterwards. */
export async function uniswapRoutes(url: string): Promise<UniswapRoutes> {
  vi.stubEnv('NODE_ENV', 'test');
  vi.stubEnv('LOCAL_RPC_URL', url);
  vi.resetModules();
  const handlers = {
    quote: (await import('./quote/handler.ts')).handler,
    swap: (await import('./swap/handler.ts')).handler,
    approve: (await import('./approve/handler.ts')).handler,
  };
  let sent = 0;
  const post = (name: Name, body: Body) => {
    sent += 1;
    // As many clients, because each has a limit.
    const sourceIp = `198.51.${sent >> 8}.${sent & 255}`;
    return call(handlers[name], {
      method: 'POST',
      body: JSON.stringify({ chain: 'local', ...body }),
      sourceIp,
    });
  };
  return {
    post,
    async ask<N extends Name>(name: N, body: Body) {
      const answer = await post(name, body);
      expect(answer).toMatchObject({ status: 200 });
      const { data } = answer.body as { data: Answers[N] }; // checked right here
      expect(problems[name](data)).toEqual([]);
      return data;
    },
  };
}

/** Gives a test file a chain before its first test, and each of its tests handlers of their own on it. */
export function useRoutes(use: (opened: { chain: LocalChain; routes: UniswapRoutes }) => void): void {
  let chain: LocalChain;
  beforeAll(async () => {
    chain = await startLocalChain();
  });
  afterAll(() => chain.close());
  beforeEach(async () => use({ chain, routes: await uniswapRoutes(chain.url) }));
  afterEach(() => {
    vi.unstubAllEnvs();
  });
}

/** Sends an approval, after its reset if it has one. */
export async function sendApproval(
  wallet: Wallet,
  { reset, ...approval }: ApprovalPayload,
): Promise<Receipt> {
  if (reset) expect(await wallet.send(reset)).toMatchObject({ succeeded: true });
  return wallet.send(approval);
}

export function uniswapNodeAt(url: string, chain = uniswapChain('local')): UniswapNode {
  return createNode(chain, url, 10_000);
}

/** The best quote, as the pools pay it. */
export async function quote(node: UniswapNode, trade: Trade): Promise<Quote> {
  return (await rankedQuotes(node, trade, soon()))[0];
}

/** The trade of two tokens that are not native. */
export function tradeOf(tokenIn: Address, tokenOut: Address, amountIn = ETHER): Trade {
  return {
    tokenIn: { address: tokenIn, isNative: false },
    tokenOut: { address: tokenOut, isNative: false },
    amountIn,
  };
}

/** In whole tokens. */
export const pool = (a: Address, b: Address, amountA = 1_000n, amountB = 3_000n): Liquidity => ({
  tokens: [a, b],
  amounts: [amountA * ETHER, amountB * ETHER],
});

/** Test tokens that no other test knows, all of them the deployer's; pools and routers may take them. */
export async function newTokens<N extends 1 | 2 | 4>(
  chain: LocalChain,
  count: N,
): Promise<{ 1: [Address]; 2: [Address, Address]; 4: [Address, Address, Address, Address] }[N]> {
  const nonce = Number(await chain.rpc('eth_getTransactionCount', [DEPLOYER, 'latest']));
  const tokens = Array.from({ length: count }, (_, index) => createdBy(nonce + index));
  await chain.send(tokens.map(tokenCreation));
  await chain.send(
    tokens.flatMap((token) => [
      ...approvals(token),
      contractCall(token, 'token', 'approve', [contracts.router, UNLIMITED]),
    ]),
  );
  return tokens as Awaited<ReturnType<typeof newTokens<N>>>; // as many
}

export function give(chain: LocalChain, token: Address, to: Address, amount: bigint): Promise<void> {
  const name = token === contracts.weth ? 'weth' : 'token';
  return chain.send([contractCall(token, name, 'transfer', [to, amount])]);
}

/** The answer of a contract at the newest block. */
export async function read<T>(
  chain: LocalChain,
  to: Address,
  name: ContractName,
  functionName: string,
  args: readonly unknown[] = [],
): Promise<T> {
  const { abi } = artifact(name);
  const data = encodeFunctionData({ abi, functionName, args });
  const answer = (await chain.rpc('eth_call', [{ from: DEPLOYER, to, data }, 'latest'])) as Hex;
  return decodeFunctionResult({ abi, functionName, data: answer }) as T;
}

/** What V2's pairs pay for an amount. */
export async function paidByPairs(
  chain: LocalChain,
  amount: bigint,
  path: readonly Address[],
): Promise<bigint> {
  const { v2Router } = contracts;
  const paid = await read<readonly bigint[]>(chain, v2Router, 'v2Router', 'getAmountsOut', [amount, path]);
  return paid.at(-1) ?? 0n;
}

export async function balanceOf(
  chain: LocalChain,
  token: Address | 'native',
  account: Address,
): Promise<bigint> {
  if (token === 'native') return BigInt((await chain.rpc('eth_getBalance', [account, 'latest'])) as string);
  return read<bigint>(chain, token, 'token', 'balanceOf', [account]);
}
