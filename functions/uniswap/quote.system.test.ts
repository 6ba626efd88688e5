import type { Address } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ETHER, type LocalChain, startLocalChain } from '../../local/evm/index.ts';
import { DEPLOYER } from '../../local/evm/json-rpc.ts';
import { contracts, createdBy, creation } from '../../local/evm/uniswap/deploy.ts';
import { addV2, addV3, call } from '../../local/evm/uniswap/liquidity.ts';
import { GWEI } from '../../shared/chains.ts';
import { NodeError } from '../../shared/evm/node-error.ts';
import { soon } from '../../test/evm/node.ts';
import { newWallet } from '../../test/evm/wallet.ts';
import { isLong } from '../../test/setup/long.ts';
import { swapCall } from './calldata.ts';
import { routerNames, type UniswapNode, uniswapChain } from './deployments.ts';
import {
  give,
  newTokens,
  paidByPairs,
  pool,
  quote,
  read,
  tradeOf,
  UNLIMITED,
  uniswapNodeAt,
} from './fixtures/uniswap.testing.ts';
import { encodeV3Path, type Hop } from './pools.ts';
import { type Quote, quoteData, rankedQuotes } from './quote.ts';

let chain: LocalChain;
beforeAll(async () => {
  chain = await startLocalChain();
  await chain.send([call(alpha, 'token', 'approve', [contracts.router, UNLIMITED])]);
});
afterAll(() => chain.close());

const local = uniswapChain('local');
const { alpha, weth } = contracts;

const ask = (from: Address, to: Address, amount = ETHER, node = uniswapNodeAt(chain.url)) =>
  quote(node, tradeOf(from, to, amount));

/** The output of the real routers for the route of a quote, by the pools' own arithmetic. */
async function paidByPools({ hops, trade }: Quote): Promise<bigint> {
  let amount = trade.amountIn;
  for (const { type, tokenIn, tokenOut, ...hop } of hops) {
    const path = encodeV3Path([{ type, tokenIn, tokenOut, ...hop }]);
    const swap = { path, recipient: DEPLOYER, amountIn: amount, amountOutMinimum: 0n };
    amount =
      type === 'v3'
        ? await read<bigint>(chain, contracts.router, 'router', 'exactInput', [swap])
        : await paidByPairs(chain, amount, [tokenIn, tokenOut]);
  }
  return amount;
}

/** Compares quotes for amounts in both directions with the pools' own output. */
async function expectExact(a: Address, b: Address, ...there: readonly Partial<Hop>[]): Promise<void> {
  for (const amount of [999n, ETHER, 40n * ETHER]) {
    for (const [from, to, hops] of [
      [a, b, there],
      [b, a, there.toReversed()],
    ] as const) {
      const answer = await ask(from, to, amount);
      expect(answer).toMatchObject({ hops });
      expect(answer.amountOut).toBe(await paidByPools(answer));
    }
  }
}

describe('a quote equals what the pools pay, to the unit,', () => {
  it.each([500, 10_000])('through a V3 pool of tier %i, across ranges', async (tier) => {
    const [a, b] = await newTokens(chain, 2);
    await chain.send([
      addV3(tier, pool(a, b, 100n, 100n)),
      addV3(tier, pool(a, b, 20n, 20n), [-1_800, 1_800]),
      addV3(tier, pool(a, b, 30n, 30n), [-600, 1_200]),
    ]);

    await expectExact(a, b, { type: 'v3', feeTier: tier });
  });

  it.each([
    ['v2', 'v2'],
    ['v3', 'v3'],
    ['v2', 'v3'],
    ['v3', 'v2'],
  ] as const)('through %s and then %s', async (first, second) => {
    const [a, b] = await newTokens(chain, 2);
    const [one, other] = [pool(a, alpha), pool(alpha, b)];
    await chain.send([
      first === 'v2' ? addV2(one) : addV3(100, one),
      second === 'v2' ? addV2(other) : addV3(3000, other),
    ]);

    await expectExact(a, b, { type: first }, { type: second });
  });
});

it('routes of other kinds follow the best one, by their output', async () => {
  const [a, b] = await newTokens(chain, 2);
  await chain.send([addV2(pool(a, alpha)), addV2(pool(alpha, b)), addV2(pool(a, b, 10n, 10n))]);
  await chain.send([addV3(10_000, pool(alpha, b, 900n, 2_700n))]);

  const ranked = await rankedQuotes(uniswapNodeAt(chain.url), tradeOf(a, b), soon());

  expect(ranked.map(({ hops }) => hops.map(({ type }) => type))).toEqual([
    ['v2', 'v2'],
    ['v2', 'v3'],
  ]);
});

describe('a SwapRouter02 that was built with another V2 factory', () => {
  let other: UniswapNode;
  beforeAll(async () => {
    const nonce = Number(await chain.rpc('eth_getTransactionCount', [DEPLOYER, 'latest']));
    const { v3Factory, positions } = contracts;
    const factory = createdBy(nonce);
    await chain.send([
      creation('v2Factory', [DEPLOYER]),
      creation('router', [factory, v3Factory, positions, weth]),
    ]);
    const uniswap = { ...local.uniswap, router: createdBy(nonce + 1) };
    other = uniswapNodeAt(chain.url, { ...local, name: 'other', uniswap });
  });

  it('trades V3 only: V2 has its own, and the two do not mix', async () => {
    const [a, b] = await newTokens(chain, 2);
    await chain.send([
      addV2(pool(a, alpha)),
      addV3(500, pool(alpha, b)),
      addV2(pool(a, b, 10n, 10n)),
      addV3(3000, pool(a, b, 5n, 5n)),
    ]);
    const mixed = await rankedQuotes(uniswapNodeAt(chain.url), tradeOf(a, b), soon());
    await chain.rpc('evm_mine'); // quotes are cached by block
    const apart = await rankedQuotes(other, tradeOf(a, b), soon());

    expect(mixed.map(({ router, hops }) => [router, hops.length])).toEqual([
      ['SwapRouter02', 2],
      ['SwapRouter02', 1],
      ['SwapRouter02', 1],
    ]);
    expect(apart.map(({ router, hops }) => [router, hops[0]?.type])).toEqual([
      ['V2Router02', 'v2'],
      ['SwapRouter02', 'v3'],
    ]);
    for (const answer of apart) expect(answer.amountOut).toBe(await paidByPools(answer));
  });

  it('has routes of the requested router, or a 404 that names it', async () => {
    const [a, b] = await newTokens(chain, 2);
    await chain.send([addV2(pool(a, b))]);
    const trade = tradeOf(a, b);

    expect(await quote(other, { ...trade, router: 'V2Router02' })).toMatchObject({ router: 'V2Router02' });
    await expect(quote(other, { ...trade, router: 'SwapRouter02' })).rejects.toMatchObject({
      statusCode: 404,
      message: `No route found from ${a} to ${b} on other by SwapRouter02`,
    });
    await chain.rpc('evm_mine');
    for (const router of routerNames) {
      const answer = await quote(uniswapNodeAt(chain.url), { ...trade, router });
      expect(answer).toMatchObject({ router, hops: [{ type: 'v2' }] });
    }
  });
});

describe('the cost of gas', () => {
  const setBaseFee = async (wei: bigint) => {
    await chain.rpc('anvil_setNextBlockBaseFeePerGas', [`0x${wei.toString(16)}`]);
    await chain.rpc('evm_mine');
  };

  it('is deducted from the output, in units of the output', async () => {
    const [a, b] = await newTokens(chain, 2);
    const deep = 10_000_000n;
    await chain.send([
      addV2(pool(a, b, deep, deep)),
      addV3(100, pool(a, alpha, deep, deep)),
      addV3(100, pool(alpha, b, deep, deep)),
      addV2(pool(weth, b, 10n, 20_000n)),
    ]);
    await setBaseFee(20n * GWEI);

    const small = await ask(a, b, ETHER);
    const large = await ask(a, b, 4_000n * ETHER);

    expect(small).toMatchObject({ hops: [{ type: 'v2' }] });
    expect(large).toMatchObject({ hops: [{ type: 'v3' }, { type: 'v3' }] });
    expect(small.gasCost).toBe(small.gas * (small.block.baseFeePerGas + GWEI) * 2_000n);
  });

  it('ignores the price of a nearly empty pool', async () => {
    const [b] = await newTokens(chain, 1);
    const price = 20_000_000n; // of WETH, ten thousand times what it is worth
    const tick = Math.floor(
      Math.log(Number(BigInt(weth) < BigInt(b) ? price : 1 / Number(price))) / Math.log(1.0001),
    );
    await chain.send([
      addV2(pool(weth, b, 10n, 20_000n)),
      addV3(500, pool(weth, b, 500n, 1_000_000n)),
      addV3(100, { tokens: [weth, b], amounts: [ETHER / 20n, (ETHER / 20n) * price] }, [tick - 1, tick + 2]),
    ]);
    await setBaseFee(20n * GWEI);

    expect(await ask(weth, b, 5n * ETHER)).toMatchObject({ hops: [{ type: 'v3', feeTier: 500 }] });
  });

  it('is exact if the output is ETH, and null if no pool shows the price', async () => {
    const [a, b, c, d] = await newTokens(chain, 4);
    await chain.send([addV2(pool(a, b)), addV2(pool(a, weth, 100n, 10n)), addV2(pool(c, d))]);

    const [toWeth, through, unknown] = [await ask(a, weth), await ask(a, b), await ask(c, d)];

    const ofEth = ({ gas, block }: Quote) => gas * (block.baseFeePerGas + GWEI);
    expect(toWeth.gasCost).toBe(ofEth(toWeth));
    // Through the token that is sold: 10 WETH for 100 of it, and 1 of it for 3.
    expect(through.gasCost).toBe(ofEth(through) * 30n);
    expect(quoteData(local, unknown)).toMatchObject({ gasCost: null, gasEstimate: String(unknown.gas) });
  });
});

describe('the best of several', () => {
  it('is the pool with the largest output, and another one after liquidity moves', async () => {
    const [a, b] = await newTokens(chain, 2);
    await chain.send([addV2(pool(a, b, 100n, 100n)), addV3(3000, pool(a, b, 110n, 110n))]);

    expect(await ask(a, b)).toMatchObject({ hops: [{ type: 'v3' }] });
    await chain.send([addV2(pool(a, b, 900n, 900n))]);
    expect(await ask(a, b)).toMatchObject({ hops: [{ type: 'v2' }] });
    await chain.send([addV3(500, pool(a, b, 900n, 900n))]);
    expect(await ask(a, b)).toMatchObject({ hops: [{ type: 'v3', feeTier: 500 }] });
  });

  it('is a route through an intermediate token if the direct pool is shallow', async () => {
    const [a, b] = await newTokens(chain, 2);
    await chain.send([
      addV3(100, pool(a, b, 2n, 2n)),
      addV3(500, pool(a, alpha, 1_000n, 1_000n)),
      addV3(500, pool(alpha, b, 1_000n, 1_000n)),
    ]);

    expect(await ask(a, b, 10n ** 12n)).toMatchObject({ hops: [{ tokenIn: a, tokenOut: b }] });
    expect(await ask(a, b, ETHER)).toMatchObject({ hops: [{ tokenOut: alpha }, { tokenIn: alpha }] });
  });

  it('leaves out a pool that cannot take the whole amount', async () => {
    const [a, b] = await newTokens(chain, 2);
    await chain.send([addV3(3000, pool(a, b, 5n, 5n), [-600, 600])]);
    expect(await ask(a, b, ETHER)).toMatchObject({ hops: [{ type: 'v3' }] });

    await expect(ask(a, b, 100n * ETHER)).rejects.toMatchObject({ statusCode: 404 });

    await chain.send([addV2(pool(a, b, 1n, 1n))]);
    expect(await ask(a, b, 100n * ETHER)).toMatchObject({ hops: [{ type: 'v2' }] });
  });
});

describe('fee and price impact', () => {
  it('add up to the loss against the price before the trade', async () => {
    const [a, b] = await newTokens(chain, 2);
    await chain.send([addV2(pool(a, b, 100n, 400n))]);

    const small = quoteData(local, await ask(a, b, 10n ** 12n));
    const large = quoteData(local, await ask(a, b, 10n * ETHER));

    expect(small.fee).toEqual({ amount: '3000000000', currency: a, tiers: [3000] });
    expect(small.priceImpact).toBe(0);
    // x/(R+x) of the input after the fee: 9.97 / 109.97.
    expect(large.priceImpact).toBeCloseTo((9.97 / 109.97) * 100, 3);
    expect(large.fee.amount).toBe(String((10n * ETHER * 3n) / 1000n));
  });

  it('of two hops compound', async () => {
    const [a, b] = await newTokens(chain, 2);
    await chain.send([addV3(10_000, pool(a, alpha)), addV3(3000, pool(alpha, b))]);

    const { fee } = quoteData(local, await ask(a, b));

    const amount = '12970000000000000'; // 1 - 0.99 × 0.997
    expect(fee).toEqual({ amount, currency: a, tiers: [10_000, 3000] });
  });
});

describe('the estimate of gas', () => {
  const v2 = (a: Address, b: Address) => addV2(pool(a, b, 100n, 150n));
  const v3 = (a: Address, b: Address) => addV3(3000, pool(a, b, 100n, 150n));

  /** Sends the quoted swap for a new account; returns the ratio of the estimate to the gas used. */
  async function accuracy(from: Address | 'ETH', to: Address | 'ETH', kinds: string): Promise<number> {
    const token = (address: Address | 'ETH') =>
      address === 'ETH' ? { address: weth, isNative: true } : { address, isNative: false };
    await chain.rpc('evm_increaseTime', [60]);
    const wallet = await newWallet(chain);
    if (from !== 'ETH') {
      await give(chain, from, wallet.address, 2n * ETHER);
      const { data = '0x' } = call(from, 'token', 'approve', [contracts.router, 10n * ETHER]);
      await wallet.send({ to: from, data, value: '0', gasLimit: '100000' });
    }
    const quoted = await quote(uniswapNodeAt(chain.url), {
      ...tradeOf(weth, weth),
      tokenIn: token(from),
      tokenOut: token(to),
    });
    expect(quoted.hops.map(({ type }) => type).join(' ')).toBe(kinds);
    const { address } = wallet;
    const terms = {
      sender: address,
      recipient: address,
      minAmountOut: quoted.amountOut,
      deadline: 2n ** 40n,
    };
    const { spender, value, ...transaction } = swapCall(local, quoted, terms);
    const sent = await wallet.send({ ...transaction, value: String(value), gasLimit: '3000000' });
    expect(sent.succeeded).toBe(true);
    return Number(quoted.gas) / Number(sent.gasUsed);
  }

  const routes = [
    ['v2', [v2]],
    ['v2 v3', [v2, v3]],
    ['v3', [v3]],
    ['v2 v2', [v2, v2]],
    ['v3 v3', [v3, v3]],
    ['v3 v2', [v3, v2]],
  ] as const;
  it.each(routes.slice(0, isLong ? undefined : 2))(
    'through %s is within 15 percent of the gas that a swap uses',
    async (kinds, [first, second]) => {
      const [a, b, c, d] = await newTokens(chain, 4);
      await chain.send(
        second
          ? [first(a, alpha), second(alpha, b), first(c, weth), second(weth, d)]
          : [first(a, b), first(weth, c), first(d, weth)],
      );
      const trades = second
        ? ([
            [a, b],
            [c, d],
          ] as const)
        : ([
            [a, b],
            ['ETH', c],
            [d, 'ETH'],
          ] as const);
      for (const [from, to] of trades) {
        await accuracy(from, to, kinds); // a pool that has been traded in before
        const ratio = await accuracy(from, to, kinds);
        expect(ratio).toBeGreaterThan(0.85);
        expect(ratio).toBeLessThan(1.15);
      }
    },
  );

  it('of a wrap and an unwrap is about the gas that they use', async () => {
    const wallet = await newWallet(chain);
    const ratio = async (isWrap: boolean) => {
      const { data = '0x' } = isWrap
        ? call(weth, 'weth', 'deposit', [])
        : call(weth, 'weth', 'withdraw', [ETHER / 2n]);
      const value = String(isWrap ? ETHER : 0n);
      const { gasUsed } = await wallet.send({ to: weth, data, value, gasLimit: '100000' });
      const trade = tradeOf(weth, weth);
      const { gas } = await quote(uniswapNodeAt(chain.url), {
        ...trade,
        tokenIn: { ...trade.tokenIn, isNative: isWrap },
        tokenOut: { ...trade.tokenOut, isNative: !isWrap },
      });
      return Number(gas) / Number(gasUsed);
    };

    expect(await ratio(true)).toBeCloseTo(1, 1);
    expect(await ratio(false)).toBeCloseTo(1, 1);
  });
});

describe('the newest block', () => {
  it('is read once for equal trades, and again after the next one', async () => {
    const node = uniswapNodeAt(chain.url);
    let calls = 0;
    const counted: UniswapNode = {
      ...node,
      call(...request) {
        calls += 1;
        return node.call(...request);
      },
    };
    const [a, b] = await newTokens(chain, 2);
    await chain.send([addV2(pool(a, b))]);

    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(a, b, ETHER, counted)));
    await ask(a, b, ETHER, counted);
    expect(calls).toBe(1); // of the states: a pair of V2 needs no quoter

    await chain.rpc('evm_mine');
    const next = await ask(a, b, ETHER, counted);
    expect(calls).toBe(2);
    expect(next.block.number).toBe((answers[0]?.block.number ?? 0n) + 1n);
  });

  it('is read again from a node that does not know it yet', async () => {
    const [a, b] = await newTokens(chain, 2);
    await chain.send([addV2(pool(a, b))]);
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

  it('has its own quotes if it replaced another of the same height', async () => {
    const [a, b] = await newTokens(chain, 2);
    const before = await chain.rpc('evm_snapshot');

    await chain.send([addV2(pool(a, b, 100n, 100n))]);
    const one = await ask(a, b);
    await chain.rpc('evm_revert', [before]);
    await chain.send([addV2(pool(a, b, 100n, 300n))]);
    const other = await ask(a, b);

    expect(other.block.number).toBe(one.block.number);
    expect(other.amountOut / one.amountOut).toBe(3n);
  });
});

it('a node of another chain is a wrong configuration', async () => {
  const wrong = uniswapNodeAt(chain.url, uniswapChain('mainnet'));

  await expect(ask(weth, alpha, ETHER, wrong)).rejects.toMatchObject({
    statusCode: 500,
    message: 'Server configuration error',
    cause: 'MAINNET_RPC_URL belongs to chain 31337',
  });
});
