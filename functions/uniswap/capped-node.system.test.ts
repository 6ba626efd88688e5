import { json } from 'node:stream/consumers';
import type { Address } from 'viem';
import { encodeFunctionData } from 'viem/utils';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ETHER, type LocalChain, startLocalChain } from '../../local/evm/index.ts';
import { artifact } from '../../local/evm/uniswap/artifacts.ts';
import { contracts } from '../../local/evm/uniswap/deploy.ts';
import { addV2, addV3, call } from '../../local/evm/uniswap/liquidity.ts';
import { type RpcCall, soon } from '../../test/evm/node.ts';
import { type Loopback, startLoopback } from '../../test/pipeline/loopback.ts';
import { uniswapChain } from './deployments.ts';
import { newTokens, paidByPools, tradeOf, uniswapNodeAt } from './fixtures/uniswap.ts';
import { v3Hop } from './logic/pools.ts';
import { quote } from './logic/quote.ts';

const { weth, alpha } = contracts;
const TIERS = [100, 500, 3000, 10_000];
const RETH_CAP = 50_000_000;
const local = uniswapChain('local');

let chain: LocalChain;
beforeAll(async () => {
  chain = await startLocalChain();
});
afterAll(() => chain.close());

/** As reth does it: a call runs with the node's cap, whatever it needs (docs of `--rpc.gascap`). */
let capped: Loopback;
let cap = RETH_CAP;
let calls: RpcCall[];
beforeEach(async () => {
  [cap, calls] = [RETH_CAP, []];
  capped = await startLoopback(async (request, response) => {
    const rpc = (await json(request)) as RpcCall; // our own client's
    calls.push(rpc);
    const [first, ...others] = rpc.params;
    const gas = `0x${cap.toString(16)}`;
    const params = rpc.method === 'eth_call' ? [{ ...(first as object), gas }, ...others] : rpc.params;
    const body = JSON.stringify({ jsonrpc: '2.0', ...rpc, params });
    const headers = { 'content-type': 'application/json' };
    await fetch(chain.url, { method: 'POST', headers, body })
      .then(async (answer) => response.end(await answer.text()))
      .catch(() => response.destroy()); // a test may be over before the last of its calls
  });
});
afterEach(() => capped.close());

/** Two tokens with twelve pools each that have a price and nothing else: between them, and with WETH and alpha. */
async function amongEmptyPools(): Promise<readonly [Address, Address]> {
  const [a, b] = (await newTokens(chain, 2)) as [Address, Address];
  const { abi } = artifact('positions');
  const pairs = [[a, b], ...[a, b].flatMap((token) => [weth, alpha].map((middle) => [token, middle]))];
  const pools = pairs.flatMap((pair) => TIERS.map((tier) => [...pair, tier] as [Address, Address, number]));
  const created = pools.map(([one, other, tier]) => {
    const [token0, token1] = BigInt(one) < BigInt(other) ? [one, other] : [other, one];
    const args = [token0, token1, tier, 2n ** 96n];
    const functionName = 'createAndInitializePoolIfNecessary';
    return { to: contracts.positions, data: encodeFunctionData({ abi, functionName, args }) };
  });
  await chain.send(created);
  await chain.send([addV2({ tokens: [a, b], amounts: [100n * ETHER, 100n * ETHER] })]);
  return [a, b];
}

/** A unit of each token to each of the pools: nothing shows that they cannot trade, until they are asked. */
async function donateTo(a: Address, b: Address): Promise<void> {
  const pairs = [[a, b], ...[a, b].flatMap((token) => [weth, alpha].map((middle) => [token, middle]))];
  const gifts = (pairs as [Address, Address][]).flatMap(([one, other]) =>
    TIERS.flatMap((tier) => {
      const { pool } = v3Hop(local.uniswap, one, other, tier);
      return [one, other].map((token) =>
        call(token, token === weth ? 'weth' : 'token', 'transfer', [pool, 1n]),
      );
    }),
  );
  await chain.send(gifts);
}

const ask = (a: Address, b: Address, uniswap = local.uniswap) =>
  quote(uniswapNodeAt(capped.url, { ...local, uniswap }), tradeOf(a, b, ETHER), soon());
const madeCalls = () => calls.filter(({ method }) => method === 'eth_call').length;

it('a quote takes three calls of the contracts, and two once the taxes are known', async () => {
  const [a, b] = (await newTokens(chain, 2)) as [Address, Address];
  await chain.send([addV3(500, { tokens: [a, b], amounts: [100n * ETHER, 100n * ETHER] })]);
  const node = uniswapNodeAt(capped.url);
  const trade = tradeOf(a, b, ETHER);

  await quote(node, trade, soon());
  expect(madeCalls()).toBe(3);
  await quote(node, trade, soon()); // of the same block
  expect(madeCalls()).toBe(3);
  await chain.rpc('evm_mine');
  await quote(node, trade, soon());
  expect(madeCalls()).toBe(5);
  expect(calls).toHaveLength(5 + 1 + 3); // and the chain's id once, and each time the newest block
});

describe('on a node that lets a call use 50 million gas, among 20 empty pools,', () => {
  it('a quote is right, in two calls', async () => {
    const [a, b] = await amongEmptyPools();

    const answer = await ask(a, b);

    expect(answer).toMatchObject({ hops: [{ type: 'v2' }] });
    expect(answer.amountOut).toBe(await paidByPools(chain, answer));
    expect(calls.map(({ method }) => method).toSorted()).toEqual([
      'eth_call', // the pools' states
      'eth_call', // the tokens' taxes
      'eth_chainId',
      'eth_getBlockByNumber',
    ]);
  });

  it('a quote is right if they look full, in more calls', async () => {
    const [a, b] = await amongEmptyPools();
    await donateTo(a, b);

    const answer = await ask(a, b);
    await chain.send([addV3(500, { tokens: [a, b], amounts: [900n * ETHER, 900n * ETHER] })]);
    const better = await ask(a, b);

    expect(answer).toMatchObject({ hops: [{ type: 'v2' }] });
    expect(answer.amountOut).toBe(await paidByPools(chain, answer));
    expect(better).toMatchObject({ hops: [{ type: 'v3', feeTier: 500 }] });
    expect(better.amountOut).toBe(await paidByPools(chain, better));
    expect(madeCalls()).toBeLessThanOrEqual(12);
  });

  it('a quote fails if all is asked in one call', async () => {
    const [a, b] = await amongEmptyPools();
    await donateTo(a, b);
    const inOne = { ...local.uniswap, callGas: 10n ** 9n };
    cap = RETH_CAP / 2; // a second attempt is made in halves

    await expect(ask(a, b, inOne)).rejects.toMatchObject({ statusCode: 502, kind: 'out-of-gas' });
  });

  it('a call that is too heavy for the node is made once more in halves', async () => {
    const [a, b] = await amongEmptyPools();
    await donateTo(a, b);
    cap = 16_000_000;

    const answer = await ask(a, b);

    expect(answer.amountOut).toBe(await paidByPools(chain, answer));
    cap = 5_000_000;
    await chain.rpc('evm_mine');
    await expect(ask(a, b)).rejects.toMatchObject({ statusCode: 502, kind: 'out-of-gas' });
  });
});
