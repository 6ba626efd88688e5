import type { Address } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ETHER, type LocalChain, startLocalChain } from '../../local/evm/index.ts';
import { DEPLOYER } from '../../local/evm/json-rpc.ts';
import { contracts, createdBy, creation } from '../../local/evm/uniswap/deploy.ts';
import { addV2, addV3, call, type Liquidity } from '../../local/evm/uniswap/liquidity.ts';
import { NodeError } from '../../shared/evm/node-error.ts';
import { GWEI } from '../../shared/evm/values.ts';
import { soon } from '../../test/evm/node.ts';
import { routerNames, type UniswapNode, uniswapChain } from './deployments.ts';
import { newTokens, paidByPools, tradeOf, UNLIMITED, uniswapNodeAt } from './fixtures/uniswap.ts';
import { feeAmount } from './logic/arithmetic.ts';
import type { Hop } from './logic/pools.ts';
import { quote, rankedQuotes } from './logic/quote.ts';
import { quoteData } from './logic/quote-data.ts';

let chain: LocalChain;
beforeAll(async () => {
  chain = await startLocalChain();
  await chain.send([call(alpha, 'token', 'approve', [contracts.router, UNLIMITED])]);
});
afterAll(() => chain.close());

const local = uniswapChain('local');
const { alpha } = contracts;
const AMOUNTS = [1n, 999n, 123_456_789n, ETHER, 7_654_321_000_000_000_001n, 40n * ETHER];

const ask = (from: Address, to: Address, amount: bigint, node = uniswapNodeAt(chain.url)) =>
  quote(node, tradeOf(from, to, amount), soon());

/** Quotes for every amount in both directions, each held against what the pools would pay. */
async function expectExact(a: Address, b: Address, ...there: readonly Partial<Hop>[]): Promise<void> {
  const expectSame = async (from: Address, to: Address, amount: bigint, hops: readonly Partial<Hop>[]) => {
    const answer = await ask(from, to, amount);
    expect(answer).toMatchObject({ hops });
    expect(answer.amountOut).toBe(await paidByPools(chain, answer));
  };
  for (const amount of AMOUNTS.slice(1)) {
    await expectSame(a, b, amount, there);
    await expectSame(b, a, amount, there.toReversed());
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

    await expectExact(a, b, { type: 'v2', feeTier: 3000 });
  });

  it.each([100, 500, 3000, 10_000])('through a V3 pool of tier %i, across ranges', async (tier) => {
    const [a, b] = (await newTokens(chain, 2)) as [Address, Address];
    await chain.send([
      addV3(tier, pair([a, b], 100n, 100n)),
      addV3(tier, pair([a, b], 20n, 20n), [-1_800, 1_800]),
      addV3(tier, pair([a, b], 30n, 30n), [-600, 1_200]),
    ]);

    await expectExact(a, b, { type: 'v3', feeTier: tier });
  });

  it('through two V2 pairs', async () => {
    const [a, b] = (await newTokens(chain, 2)) as [Address, Address];
    await chain.send([addV2(pair([a, alpha])), addV2(pair([alpha, b]))]);

    await expectExact(a, b, { type: 'v2' }, { type: 'v2' });
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
    await expectExact(a, b, { type: 'v3' }, { type: 'v3' });
  });
});

describe('a route of both versions', () => {
  it.each([
    ['v2', 'v3'],
    ['v3', 'v2'],
  ] as const)('through %s and then %s equals what the pools pay, to the unit', async (first, second) => {
    const [a, b] = (await newTokens(chain, 2)) as [Address, Address];
    const add = { v2: addV2, v3: (liquidity: Liquidity) => addV3(3000, liquidity) };
    await chain.send([add[first](pair([a, alpha])), add[second](pair([alpha, b]))]);

    await expectExact(a, b, { type: first }, { type: second });
  });

  it('is the second best, after that of one version, if it gives less', async () => {
    const [a, b] = (await newTokens(chain, 2)) as [Address, Address];
    await chain.send([addV2(pair([a, alpha])), addV2(pair([alpha, b])), addV2(pair([a, b], 10n, 10n))]);
    await chain.send([addV3(10_000, pair([alpha, b], 900n, 2_700n))]);

    const ranked = await rankedQuotes(uniswapNodeAt(chain.url), tradeOf(a, b, ETHER), soon());

    expect(ranked.map(({ hops }) => hops.map(({ type }) => type))).toEqual([
      ['v2', 'v2'],
      ['v2', 'v3'],
    ]);
    for (const answer of ranked) expect(answer.amountOut).toBe(await paidByPools(chain, answer));
  });
});

describe('a SwapRouter02 that was made with another V2', () => {
  let other: UniswapNode;
  beforeAll(async () => {
    const nonce = Number(await chain.rpc('eth_getTransactionCount', [DEPLOYER, 'latest']));
    const { v3Factory, positions, weth } = contracts;
    const factory = createdBy(nonce);
    await chain.send([
      creation('v2Factory', [DEPLOYER]),
      creation('router', [factory, v3Factory, positions, weth]),
    ]);
    const uniswap = { ...local.uniswap, router: createdBy(nonce + 1) };
    other = uniswapNodeAt(chain.url, { ...local, name: 'other', uniswap });
  });

  it('trades V3 only: V2 has its own, and the two do not mix', async () => {
    const [a, b] = (await newTokens(chain, 2)) as [Address, Address];
    await chain.send([
      addV2(pair([a, alpha])),
      addV3(500, pair([alpha, b])),
      addV2(pair([a, b], 10n, 10n)),
      addV3(3000, pair([a, b], 5n, 5n)),
    ]);

    const mixed = await rankedQuotes(uniswapNodeAt(chain.url), tradeOf(a, b, ETHER), soon());
    const apart = await rankedQuotes(other, tradeOf(a, b, ETHER), soon());

    expect(mixed.map(({ router, hops }) => [router, hops.length])).toEqual([
      ['SwapRouter02', 2],
      ['SwapRouter02', 1],
      ['SwapRouter02', 1],
    ]);
    expect(apart.map(({ router, hops }) => [router, hops[0]?.type])).toEqual([
      ['V2Router02', 'v2'],
      ['SwapRouter02', 'v3'],
    ]);
    for (const answer of apart) expect(answer.amountOut).toBe(await paidByPools(chain, answer));
  });

  it('leads to routes of the router that is asked for, or to a 404 that names it', async () => {
    const [a, b] = (await newTokens(chain, 2)) as [Address, Address];
    await chain.send([addV2(pair([a, b]))]);
    const trade = tradeOf(a, b, ETHER);

    expect(await quote(other, { ...trade, router: 'V2Router02' }, soon())).toMatchObject({
      router: 'V2Router02',
    });
    await expect(quote(other, { ...trade, router: 'SwapRouter02' }, soon())).rejects.toMatchObject({
      statusCode: 404,
      message: `No route found from ${a} to ${b} on other by SwapRouter02`,
    });
    const both = uniswapNodeAt(chain.url);
    for (const router of routerNames) {
      expect(await quote(both, { ...trade, router }, soon())).toMatchObject({
        router,
        hops: [{ type: 'v2' }],
      });
    }
  });
});

describe('gas', () => {
  const setBaseFee = async (wei: bigint) => {
    await chain.rpc('anvil_setNextBlockBaseFeePerGas', [`0x${wei.toString(16)}`]);
    await chain.rpc('evm_mine');
  };

  it('is weighed against the amount out, in its units', async () => {
    const [a, b] = (await newTokens(chain, 2)) as [Address, Address];
    const deep = 10_000_000n;
    await chain.send([
      addV2(pair([a, b], deep, deep)),
      addV3(100, pair([a, alpha], deep, deep)),
      addV3(100, pair([alpha, b], deep, deep)),
      addV2(pair([contracts.weth, b], 10n, 20_000n)),
    ]);
    await setBaseFee(20n * GWEI);

    const small = await ask(a, b, ETHER);
    const large = await ask(a, b, 4_000n * ETHER);

    expect(small).toMatchObject({ hops: [{ type: 'v2' }] });
    expect(large).toMatchObject({ hops: [{ type: 'v3' }, { type: 'v3' }] });
    const { baseFeePerGas } = small.block;
    expect(small.gasCost).toBe(small.gas * (baseFeePerGas + GWEI) * 2_000n);
  });

  it('is not dear because a pool with next to nothing in it says so', async () => {
    const [b] = (await newTokens(chain, 1)) as [Address];
    const { weth } = contracts;
    const price = 20_000_000n; // of WETH, ten thousand times what it is worth
    const tick = Math.floor(
      Math.log(Number(BigInt(weth) < BigInt(b) ? price : 1 / Number(price))) / Math.log(1.0001),
    );
    await chain.send([
      addV2(pair([weth, b], 10n, 20_000n)),
      addV3(500, pair([weth, b], 500n, 1_000_000n)),
      addV3(100, { tokens: [weth, b], amounts: [ETHER / 20n, (ETHER / 20n) * price] }, [tick - 1, tick + 2]),
    ]);
    await setBaseFee(20n * GWEI);

    expect(await ask(weth, b, 5n * ETHER)).toMatchObject({ hops: [{ type: 'v3', feeTier: 500 }] });
  });

  it('costs its own price where ETH is paid out, and an unknown one if no pool tells', async () => {
    const [a, b] = (await newTokens(chain, 2)) as [Address, Address];
    await chain.send([addV2(pair([a, b])), addV2(pair([a, contracts.weth], 100n, 10n))]);

    const toWeth = await ask(a, contracts.weth, ETHER);
    const [c, d] = (await newTokens(chain, 2)) as [Address, Address];
    await chain.send([addV2(pair([c, d]))]);
    const unknown = await ask(c, d, ETHER);

    expect(toWeth.gasCost).toBe(toWeth.gas * (toWeth.block.baseFeePerGas + GWEI));
    expect(unknown.gasCost).toBeUndefined();
    expect(quoteData(local, unknown)).toMatchObject({ gasCost: null, gasEstimate: String(unknown.gas) });
    // Through the token that is sold: 10 WETH for 100 of it, and 1 of it for 3.
    const through = await ask(a, b, ETHER);
    expect(through.gasCost).toBe(through.gas * (through.block.baseFeePerGas + GWEI) * 30n);
  });
});

describe('the best of several', () => {
  it('is the pool that gives most, and another when liquidity moves', async () => {
    const [a, b] = (await newTokens(chain, 2)) as [Address, Address];
    await chain.send([addV2(pair([a, b], 100n, 100n)), addV3(3000, pair([a, b], 110n, 110n))]);
    const node = uniswapNodeAt(chain.url);

    expect(await ask(a, b, ETHER, node)).toMatchObject({ hops: [{ type: 'v3' }] });
    await chain.send([addV2(pair([a, b], 900n, 900n))]);
    const deeper = await ask(a, b, ETHER, node);
    await chain.send([addV3(500, pair([a, b], 900n, 900n))]);
    const cheaper = await ask(a, b, ETHER, node);

    expect(deeper).toMatchObject({ hops: [{ type: 'v2' }] });
    expect(cheaper).toMatchObject({ hops: [{ type: 'v3', feeTier: 500 }] });
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
    expect(await ask(a, b, ETHER)).toMatchObject({ hops: [{ type: 'v3' }] });

    await expect(ask(a, b, 100n * ETHER)).rejects.toMatchObject({ statusCode: 404 });

    await chain.send([addV2(pair([a, b], 1n, 1n))]);
    expect(await ask(a, b, 100n * ETHER)).toMatchObject({ hops: [{ type: 'v2' }] });
  });

  it('is the same if the chain has no multicall', async () => {
    const { multicall: _, ...uniswap } = local.uniswap;
    const without = uniswapNodeAt(chain.url, { ...local, name: 'without', uniswap });

    const one = await ask(contracts.weth, contracts.beta, ETHER);
    const each = await ask(contracts.weth, contracts.beta, ETHER, without);

    expect(each).toMatchObject({ hops: one.hops, amountOut: one.amountOut, tokens: one.tokens });
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
    expect(methods).toHaveLength(2); // states and taxes: a pair of V2 needs no quoter
    expect(new Set(answers.map(({ block }) => block.hash)).size).toBe(1);

    await chain.rpc('evm_mine');
    const next = await ask(a, b, ETHER, counted);
    expect(methods).toHaveLength(3); // the taxes are known
    expect(next.block.number).toBe((answers[0]?.block.number ?? 0n) + 1n);
  });
});

it('a node that does not know the newest block yet is asked once more', async () => {
  const [a, b] = (await newTokens(chain, 2)) as [Address, Address];
  await chain.send([addV2(pair([a, b]))]);
  const node = uniswapNodeAt(chain.url);
  let isBehind = true;
  const late: UniswapNode = {
    ...node,
    async call(...request) {
      if (!isBehind) return node.call(...request);
      isBehind = false;
      throw new NodeError('unknown-block', 502, 'The local node does not know this block');
    },
  };

  expect(await ask(a, b, ETHER, late)).toMatchObject({ hops: [{ type: 'v2' }] });
});

it('two blocks of one height have their own answers', async () => {
  const [a, b] = (await newTokens(chain, 2)) as [Address, Address];
  const before = await chain.rpc('evm_snapshot');
  const node = uniswapNodeAt(chain.url);

  await chain.send([addV2(pair([a, b], 100n, 100n))]);
  const one = await ask(a, b, ETHER, node);
  await chain.rpc('evm_revert', [before]);
  await chain.send([addV2(pair([a, b], 100n, 300n))]);
  const other = await ask(a, b, ETHER, node);

  expect(other.block.number).toBe(one.block.number);
  expect(other.block.hash).not.toBe(one.block.hash);
  expect(other.amountOut / one.amountOut).toBe(3n);
  expect(other.amountOut).toBe(await paidByPools(chain, other));
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
