import type { Address } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ETHER, type LocalChain, startLocalChain } from '../../local/evm/index.ts';
import { contracts } from '../../local/evm/uniswap/deploy.ts';
import { addV2, addV3, type Liquidity } from '../../local/evm/uniswap/liquidity.ts';
import { soon } from '../../test/evm/node.ts';
import { type UniswapNode, uniswapChain } from './deployments.ts';
import { feeAmount } from './logic/arithmetic.ts';
import { type Quote, quote, quoteData } from './logic/quote.ts';
import { newTokens, paidByPools, tradeOf, uniswapNodeAt } from './uniswap-kit.ts';

let chain: LocalChain;
beforeAll(async () => {
  chain = await startLocalChain();
});
afterAll(() => chain.close());

const local = uniswapChain('local');
const { alpha } = contracts;
const AMOUNTS = [1n, 999n, 123_456_789n, ETHER, 7_654_321_000_000_000_001n, 40n * ETHER];

const ask = (from: Address, to: Address, amount: bigint, node = uniswapNodeAt(chain.url)) =>
  quote(node, tradeOf(from, to, amount), soon());

/** Quotes for every amount in both directions, each held against what the pools would pay. */
async function expectExact(a: Address, b: Address, expected: Partial<Quote>): Promise<void> {
  const expectSame = async (from: Address, to: Address, amount: bigint) => {
    const answer = await ask(from, to, amount);
    expect(answer).toMatchObject(expected);
    expect(answer.amountOut).toBe(await paidByPools(chain, answer));
  };
  for (const amount of AMOUNTS.slice(1)) {
    await expectSame(a, b, amount);
    await expectSame(b, a, amount);
  }
}

const pair = (tokens: Liquidity['tokens'], a = 1_000n, b = 3_000n): Liquidity => ({
  tokens,
  amounts: [a * ETHER, b * ETHER],
});

describe('a quote equals what the pools pay, to the unit,', () => {
  it('through a V2 pair', async () => {
    const [a, b] = (await newTokens(chain, 2)) as [Address, Address];
    await chain.send([addV2(pair([a, b]))]);

    await expectExact(a, b, { type: 'v2', hops: [expect.objectContaining({ feeTier: 3000 })] });
  });

  it.each([100, 500, 3000, 10_000])('through a V3 pool of tier %i, across ranges', async (tier) => {
    const [a, b] = (await newTokens(chain, 2)) as [Address, Address];
    await chain.send([
      addV3(tier, pair([a, b], 100n, 100n)),
      addV3(tier, pair([a, b], 20n, 20n), [-1_800, 1_800]),
      addV3(tier, pair([a, b], 30n, 30n), [-600, 1_200]),
    ]);

    await expectExact(a, b, { type: 'v3', hops: [expect.objectContaining({ feeTier: tier })] });
  });

  it('through two V2 pairs', async () => {
    const [a, b] = (await newTokens(chain, 2)) as [Address, Address];
    await chain.send([addV2(pair([a, alpha])), addV2(pair([alpha, b]))]);

    await expectExact(a, b, { type: 'v2', hops: [expect.anything(), expect.anything()] });
  });

  it.each([
    [100, 10_000],
    [3000, 500],
  ])('through two V3 pools of tiers %i and %i', async (first, second) => {
    const [a, b] = (await newTokens(chain, 2)) as [Address, Address];
    await chain.send([addV3(first, pair([a, alpha])), addV3(second, pair([alpha, b]))]);
    const tiers = [first, second];

    const there = await ask(a, b, ETHER);
    const back = await ask(b, a, ETHER);

    expect(there.hops.map(({ feeTier }) => feeTier)).toEqual(tiers);
    expect(back.hops.map(({ feeTier }) => feeTier)).toEqual(tiers.toReversed());
    await expectExact(a, b, { type: 'v3' });
  });
});

describe('the best of several', () => {
  it('is the pool that gives most, and another when liquidity moves', async () => {
    const [a, b] = (await newTokens(chain, 2)) as [Address, Address];
    await chain.send([addV2(pair([a, b], 100n, 100n)), addV3(3000, pair([a, b], 110n, 110n))]);
    const node = uniswapNodeAt(chain.url);

    expect(await ask(a, b, ETHER, node)).toMatchObject({ type: 'v3' });
    await chain.send([addV2(pair([a, b], 900n, 900n))]);
    const deeper = await ask(a, b, ETHER, node);
    await chain.send([addV3(500, pair([a, b], 900n, 900n))]);
    const cheaper = await ask(a, b, ETHER, node);

    expect(deeper).toMatchObject({ type: 'v2' });
    expect(cheaper).toMatchObject({ type: 'v3', hops: [{ feeTier: 500 }] });
    expect(cheaper.amountOut).toBe(await paidByPools(chain, cheaper));
  });

  it('is the way through an intermediate token if the direct pool is shallow', async () => {
    const [a, b] = (await newTokens(chain, 2)) as [Address, Address];
    await chain.send([
      addV3(100, pair([a, b], 2n, 2n)),
      addV3(500, pair([a, alpha], 1_000n, 1_000n)),
      addV3(500, pair([alpha, b], 1_000n, 1_000n)),
    ]);

    expect(await ask(a, b, 10n ** 12n)).toMatchObject({ hops: [{ tokenIn: a, tokenOut: b }] });
    expect(await ask(a, b, ETHER)).toMatchObject({ hops: [{ tokenOut: alpha }, { tokenIn: alpha }] });
  });

  it('leaves out a pool that cannot take the whole amount', async () => {
    const [a, b] = (await newTokens(chain, 2)) as [Address, Address];
    await chain.send([addV3(3000, pair([a, b], 5n, 5n), [-600, 600])]);
    expect(await ask(a, b, ETHER)).toMatchObject({ type: 'v3' });

    await expect(ask(a, b, 100n * ETHER)).rejects.toMatchObject({ statusCode: 404 });

    await chain.send([addV2(pair([a, b], 1n, 1n))]);
    expect(await ask(a, b, 100n * ETHER)).toMatchObject({ type: 'v2' });
  });

  it('is the same if the chain has no multicall', async () => {
    const { multicall: _, ...uniswap } = local.uniswap;
    const without = uniswapNodeAt(chain.url, { ...local, name: 'without', uniswap });

    const one = await ask(contracts.weth, contracts.beta, ETHER);
    const each = await ask(contracts.weth, contracts.beta, ETHER, without);

    expect(each).toEqual(one);
  });
});

describe('fee and price impact', () => {
  it('add up to what the trade loses against the price before it', async () => {
    const [a, b] = (await newTokens(chain, 2)) as [Address, Address];
    await chain.send([addV2(pair([a, b], 100n, 400n))]);

    const small = quoteData(local, await ask(a, b, 10n ** 12n));
    const large = quoteData(local, await ask(a, b, 10n * ETHER));

    expect(small.fee).toEqual({ amount: '3000000000', currency: a, tiers: [3000] });
    expect(small.priceImpact).toBe(0);
    // x/(R+x) of the input after the fee: 9.97 / 109.97.
    expect(large.priceImpact).toBeCloseTo((9.97 / 109.97) * 100, 3);
    expect(large.fee.amount).toBe(String((10n * ETHER * 3n) / 1000n));
  });

  it('of two hops compound', async () => {
    const [a, b] = (await newTokens(chain, 2)) as [Address, Address];
    await chain.send([addV3(10_000, pair([a, alpha])), addV3(3000, pair([alpha, b]))]);

    const { fee } = quoteData(local, await ask(a, b, ETHER));

    expect(fee).toEqual({
      amount: String(feeAmount(ETHER, [10_000, 3000])),
      currency: a,
      tiers: [10_000, 3000],
    });
    expect(fee.amount).toBe('12970000000000000'); // 1 - 0.99 × 0.997
  });
});

describe('one block', () => {
  it('is asked once for equal trades, and anew after the next one', async () => {
    const node = uniswapNodeAt(chain.url);
    const methods: string[] = [];
    const counted: UniswapNode = {
      ...node,
      call(...request) {
        methods.push('call');
        return node.call(...request);
      },
    };
    const [a, b] = (await newTokens(chain, 2)) as [Address, Address];
    await chain.send([addV2(pair([a, b]))]);

    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(a, b, ETHER, counted)));
    await ask(a, b, ETHER, counted);
    expect(methods).toHaveLength(1);
    expect(new Set(answers.map(({ block }) => block)).size).toBe(1);

    await chain.rpc('evm_mine');
    const next = await ask(a, b, ETHER, counted);
    expect(methods).toHaveLength(2);
    expect(next.block).toBe((answers[0]?.block ?? 0n) + 1n);
  });
});

it('names both tokens if no pool leads from one to the other', async () => {
  const [a, b] = (await newTokens(chain, 2)) as [Address, Address];

  await expect(ask(a, b, ETHER)).rejects.toMatchObject({
    statusCode: 404,
    message: `No route found from ${a} to ${b} on local`,
  });
});

it('refuses a node of another chain', async () => {
  const wrong = uniswapNodeAt(chain.url, uniswapChain('mainnet'));

  await expect(ask(contracts.weth, alpha, ETHER, wrong)).rejects.toMatchObject({
    statusCode: 500,
    message: 'Server configuration error',
    cause: 'MAINNET_RPC_URL belongs to chain 31337',
  });
});
