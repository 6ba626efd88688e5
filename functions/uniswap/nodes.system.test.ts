/** Quotes and swaps on nodes that cap calls, and on one with wrong responses. */
import { json } from 'node:stream/consumers';
import type { Address } from 'viem';
import { encodeFunctionData, toFunctionSelector } from 'viem/utils';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ETHER, type LocalChain, startLocalChain } from '../../local/evm/index.ts';
import { DEPLOYER } from '../../local/evm/json-rpc.ts';
import { artifact } from '../../local/evm/uniswap/artifacts.ts';
import { contracts } from '../../local/evm/uniswap/deploy.ts';
import { addV2, addV3, call } from '../../local/evm/uniswap/liquidity.ts';
import type { RpcCall } from '../../test/evm/node.ts';
import { type Answer, failure } from '../../test/pipeline/event.ts';
import { type Loopback, startLoopback } from '../../test/pipeline/loopback.ts';
import { FEE_TIERS, uniswapChain } from './deployments.ts';
import {
  newTokens,
  paidByPairs,
  pool,
  quote,
  tradeOf,
  uniswapNodeAt,
  uniswapRoutes,
} from './fixtures/uniswap.testing.ts';
import { v3Hop } from './pools.ts';

const { weth, alpha, beta } = contracts;

let chain: LocalChain;
beforeAll(async () => {
  chain = await startLocalChain();
});
afterAll(() => chain.close());

/** A node in front of the chain, which changes requests and responses to `eth_call`. */
let node: Loopback;
let calls: RpcCall[];
let change: (rpc: RpcCall) => RpcCall;
let corrupt: (truth: string, rpc: RpcCall) => string;
const madeCalls = () => calls.filter(({ method }) => method === 'eth_call').length;
beforeEach(async () => {
  calls = [];
  change = (rpc) => rpc;
  corrupt = (truth) => truth;
  node = await startLoopback(async (request, response) => {
    const rpc = (await json(request)) as RpcCall; // our own client's
    calls.push(rpc);
    const body = JSON.stringify({ jsonrpc: '2.0', ...change(rpc) });
    const headers = { 'content-type': 'application/json' };
    await fetch(chain.url, { method: 'POST', headers, body })
      .then(async (answer) => {
        const truth = (await answer.json()) as { result?: string }; // our own node's; text where it is changed
        const isCall = rpc.method === 'eth_call' && truth.result !== undefined;
        response.end(JSON.stringify(isCall ? { ...truth, result: corrupt(truth.result ?? '', rpc) } : truth));
      })
      .catch(() => response.destroy()); // a test may be over before the last of its calls
  });
});
afterEach(async () => {
  await node.close();
  vi.unstubAllEnvs();
});

describe('on a node that lets a call use 50 million gas, among 20 empty pools,', () => {
  /** The node runs a call with its own cap of gas, whatever the call needs, as reth does (docs of `--rpc.gascap`). */
  beforeEach(() => {
    change = (rpc) => {
      const [first, ...others] = rpc.params;
      const gas = `0x${(50_000_000).toString(16)}`;
      return rpc.method === 'eth_call' ? { ...rpc, params: [{ ...(first as object), gas }, ...others] } : rpc;
    };
  });

  const ask = (a: Address, b: Address) => quote(uniswapNodeAt(node.url), tradeOf(a, b));
  const around = (a: Address, b: Address): [Address, Address][] => [
    [a, b],
    ...[a, b].flatMap((token) => [weth, alpha].map((middle): [Address, Address] => [token, middle])),
  ];

  /** Two tokens with pools that have only a price: between them, and with WETH and alpha. */
  async function amongEmptyPools(): Promise<readonly [Address, Address]> {
    const [a, b] = await newTokens(chain, 2);
    const { abi } = artifact('positions');
    const created = around(a, b).flatMap(([one, other]) => {
      const [token0, token1] = BigInt(one) < BigInt(other) ? [one, other] : [other, one];
      return FEE_TIERS.map((tier) => {
        const args = [token0, token1, tier, 2n ** 96n];
        const functionName = 'createAndInitializePoolIfNecessary';
        return { to: contracts.positions, data: encodeFunctionData({ abi, functionName, args }) };
      });
    });
    await chain.send(created);
    await chain.send([addV2(pool(a, b, 100n, 100n))]);
    return [a, b];
  }

  it('a quote is right, with one call', async () => {
    const [a, b] = await amongEmptyPools();

    const answer = await ask(a, b);

    expect(answer).toMatchObject({ hops: [{ type: 'v2' }] });
    expect(answer.amountOut).toBe(await paidByPairs(chain, ETHER, [a, b]));
    expect(calls.map(({ method }) => method).toSorted()).toEqual([
      'eth_call', // the pools' states
      'eth_chainId',
      'eth_getBlockByNumber',
    ]);
  });

  it('a quote is right with more calls if the pools hold a unit of each token', async () => {
    const [a, b] = await amongEmptyPools();
    const gifts = around(a, b).flatMap(([one, other]) =>
      FEE_TIERS.flatMap((tier) => {
        const to = v3Hop(uniswapChain('local').uniswap, one, other, tier).pool;
        return [one, other].map((token) =>
          call(token, token === weth ? 'weth' : 'token', 'transfer', [to, 1n]),
        );
      }),
    );
    await chain.send(gifts);

    const answer = await ask(a, b);
    expect(answer.amountOut).toBe(await paidByPairs(chain, ETHER, [a, b]));
    expect(madeCalls()).toBeLessThanOrEqual(6);
    await chain.send([addV3(500, pool(a, b, 900n, 900n))]);
    expect(await ask(a, b)).toMatchObject({ hops: [{ type: 'v3', feeTier: 500 }] });
  });
});

describe('a node with a wrong response', () => {
  const body = { tokenIn: alpha, tokenOut: beta, amount: String(ETHER), recipient: DEPLOYER };
  const isTrial = ({ params: [request] }: RpcCall) => (request as { to: string }).to === DEPLOYER; // of an eth_call
  /** Swaps at a new block, because quotes are cached by block. */
  const swap = async (): Promise<Answer> => {
    await chain.rpc('evm_mine');
    return (await uniswapRoutes(node.url)).post('swap', body);
  };
  const word = (digit: string) => digit.repeat(64);

  it.each<readonly [string, (truth: string) => string]>([
    ['nothing', () => '0x'],
    ['one byte', () => '0x00'],
    ['a zero', () => `0x${word('0')}`],
    ['a great number', () => `0x${word('f')}`],
    ['half of it', (truth) => truth.slice(0, 2 + Math.floor(truth.length / 128) * 64)],
    ['as much of great numbers', (truth) => `0x${'f'.repeat(truth.length - 2)}`],
    ['a great number for every third', (truth) => truth.replace(/(\w{128})\w{64}/g, `$1${word('f')}`)],
  ])('never makes the service itself fail: %s', async (_what, made) => {
    // The states, the quoter, the trial, and the sender's holdings.
    for (let at = 1; at <= 4; at += 1) {
      calls = [];
      corrupt = (truth) => (madeCalls() === at ? made(truth) : truth);
      const { status, body } = await swap();
      expect([200, 400, 404, 502]).toContain(status);
      expect(JSON.stringify(body)).not.toMatch(/viem/i);
    }
    expect(madeCalls()).toBe(4);
  });

  it('to a multicall is a 502', async () => {
    corrupt = (truth) => truth.replace(/^(0x\w{128})\w{64}/, `$1${'1'.padStart(64, '0')}`);

    expect(await swap()).toMatchObject({
      status: 502,
      body: failure('The local node gave an unusable answer: not that of a multicall'),
    });
  });

  it.each([
    [
      'without outcomes',
      () => `0x${'20'.padStart(64, '0')}${word('0')}`,
      /does not try calls on other state/,
    ],
    [
      'out of gas',
      (truth: string) =>
        truth.replaceAll(toFunctionSelector('Tried((bool,uint256,uint256,bytes))').slice(2), '00000000'),
      /^The swap needs more gas than a trial may use/,
    ],
  ])('to a trial, %s, does not prevent the swap', async (_what, made, simulation) => {
    corrupt = (truth, rpc) => (isTrial(rpc) ? made(truth) : truth);

    expect(await swap()).toMatchObject({
      status: 200,
      body: { data: { issues: { simulation: expect.stringMatching(simulation) } } },
    });
  });
});
