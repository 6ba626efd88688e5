import type { Hex } from 'viem';
import { encodeAbiParameters, encodeErrorResult } from 'viem/utils';
import { describe, expect, it } from 'vitest';
import { uniswapChain } from './deployments.ts';
import type { Quote } from './quote.ts';
import { bestTried, type Candidate } from './trial.ts';

const chain = uniswapChain('local');
const [weth, token] = [
  '0x00000000000000000000000000000000000000A1',
  '0x00000000000000000000000000000000000000B2',
] as const;
const trade = {
  tokenIn: { address: weth, isNative: false },
  tokenOut: { address: token, isNative: false },
  amountIn: 1_000n,
};

interface Tried {
  readonly delivered?: bigint;
  readonly paid?: bigint;
  readonly gasCost?: bigint;
  readonly reason?: string;
}

function candidate(
  type: 'v2' | 'v3',
  { delivered = 0n, paid = delivered, gasCost = 0n, reason }: Tried,
): Candidate {
  const hop = { type, pool: weth, feeTier: 3000, tokenIn: weth, tokenOut: token };
  const rest = { prices: [], amountOut: delivered, gas: 100_000n, tokens: [] };
  const block = { number: 1n, hash: '0x', baseFeePerGas: 1n, timestamp: 1 } as const;
  const quote: Quote = { kind: 'pools', trade, router: 'SwapRouter02', hops: [hop], gasCost, block, ...rest };
  const answer = reason === undefined ? answerOf(paid) : errorOf(reason);
  return { quote, outcome: { succeeded: reason === undefined, delivered, gasUsed: 100_000n, answer } };
}

function answerOf(paid: bigint): Hex {
  const result = encodeAbiParameters([{ type: 'uint256' }], [paid]);
  return encodeAbiParameters([{ type: 'bytes[]' }], [[result]]);
}

function errorOf(reason: string): Hex {
  const abi = [{ type: 'error', name: 'Error', inputs: [{ type: 'string', name: 'reason' }] }] as const;
  return encodeErrorResult({ abi, errorName: 'Error', args: [reason] });
}

describe('of the tried routes', () => {
  it.each([
    ['the one with the largest output', [{ delivered: 100n }, { delivered: 120n }, { delivered: 110n }], 1],
    ['the first of equals', [{ delivered: 100n }, { delivered: 100n }], 0],
    [
      'the one with the largest output after gas',
      [
        { delivered: 120n, gasCost: 30n },
        { delivered: 100n, gasCost: 5n },
      ],
      1,
    ],
    ['one that succeeds', [{ reason: 'no' }, { delivered: 1n }], 1],
  ] as const)('%s is chosen', (_which, tried, index) => {
    const candidates = tried.map((one) => candidate('v2', one));

    expect(bestTried(chain, trade, candidates)).toBe(candidates[index]);
  });

  it('none is chosen whose last V3 pool paid even a unit more than arrived', () => {
    const v2 = candidate('v2', { delivered: 100n });
    const v3 = candidate('v3', { delivered: 200n, paid: 201n });

    expect(bestTried(chain, trade, [v3, v2])).toBe(v2);
    expect(() => bestTried(chain, trade, [v3])).toThrow(/^No route found from .* that could hold a minimum/);
  });

  it('the output is at most what the last V3 pool paid, because the router sees only that', () => {
    const rounded = candidate('v3', { delivered: 201n, paid: 200n });

    expect(bestTried(chain, trade, [rounded]).outcome.delivered).toBe(200n);
  });

  it('none without an outcome is chosen', () => {
    const { quote } = candidate('v2', {});

    expect(() => bestTried(chain, trade, [{ quote, outcome: undefined }])).toThrow(/^Execution reverted$/);
  });

  it.each([
    ['STF', `Execution reverted: STF; ${weth} does not move, or not whole`],
    [
      'UniswapV2: TRANSFER_FAILED',
      `Execution reverted: UniswapV2: TRANSFER_FAILED; ${token} does not move, or not whole`,
    ],
    ['paused', 'Execution reverted: paused'],
  ])('the first gives the reason if all fail: %s', (reason, text) => {
    const candidates = [candidate('v2', { reason }), candidate('v3', { reason: 'other' })];

    expect(() => bestTried(chain, trade, candidates)).toThrow(
      expect.objectContaining({ statusCode: 400, message: text }),
    );
  });

  it('one that delivers nothing is not chosen', () => {
    expect(() => bestTried(chain, trade, [candidate('v2', { delivered: 0n })])).toThrow(
      `Execution reverted: nothing of ${token} would arrive`,
    );
  });
});
