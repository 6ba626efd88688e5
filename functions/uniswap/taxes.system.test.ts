import type { Address } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ETHER, type LocalChain, startLocalChain } from '../../local/evm/index.ts';
import { contracts } from '../../local/evm/uniswap/deploy.ts';
import { addV2, addV3, call, type Liquidity } from '../../local/evm/uniswap/liquidity.ts';
import { soon } from '../../test/evm/node.ts';
import { newOddToken, newShareToken, type OddTraits, refused } from '../../test/evm/odd-tokens.ts';
import { newWallet } from '../../test/evm/wallet.ts';
import { type UniswapNode, uniswapChain } from './deployments.ts';
import { balanceOf, newTokens, tradeOf, uniswapNodeAt } from './fixtures/uniswap.ts';
import { swapCall } from './logic/calldata.ts';
import { type Quote, quote, rankedQuotes } from './logic/quote.ts';
import { quoteData } from './logic/quote-data.ts';

let chain: LocalChain;
beforeAll(async () => {
  chain = await startLocalChain();
});
afterAll(() => chain.close());

const local = uniswapChain('local');
const { alpha, router } = contracts;
const pool = (...tokens: Liquidity['tokens']): Liquidity => ({
  tokens,
  amounts: [1_000n * ETHER, 3_000n * ETHER],
});
const ask = (from: Address, to: Address, amount = ETHER, node = uniswapNodeAt(chain.url)) =>
  quote(node, tradeOf(from, to, amount), soon());

/** What a newcomer gets for the quoted trade. */
async function delivered(quoted: Quote): Promise<bigint> {
  const { tokenIn, tokenOut, amountIn } = quoted.trade;
  const wallet = await newWallet(chain);
  // Shares arrive a unit or two short.
  await chain.send([call(tokenIn.address, 'token', 'transfer', [wallet.address, amountIn + 9n])]);
  const approval = call(tokenIn.address, 'token', 'approve', [router, amountIn]);
  await wallet.send({ to: tokenIn.address, data: approval.data ?? '0x', value: '0', gasLimit: '100000' });
  const terms = { sender: wallet.address, recipient: wallet.address, minAmountOut: 1n, deadline: 2n ** 40n };
  const { to, data } = swapCall(local, quoted, terms);
  expect(await wallet.send({ to, data, value: '0', gasLimit: '2000000' })).toMatchObject({ succeeded: true });
  return balanceOf(chain, tokenOut.address, wallet.address);
}

describe('a token that taxes its transfers', () => {
  it.each([
    [1, { taxBps: 1 }],
    [200, { taxBps: 200 }],
    [1000, { taxBps: 1_000, decimals: 6 }],
    [5000, { taxBps: 5_000, isTetherLike: true }],
  ] as const)('at %i is bought and sold at what arrives, to the unit', async (bps, traits: OddTraits) => {
    const [plain] = (await newTokens(chain, 1)) as [Address];
    const taxed = await newOddToken(chain, traits);
    await chain.send([addV2(pool(plain, taxed))]);

    const bought = await ask(plain, taxed, 1_234_567_891_234_567n);
    const sold = await ask(taxed, plain, 1_234_567_891_234_567n);

    expect(bought.tokens[1]).toEqual({
      address: taxed,
      symbol: 'ODD',
      decimals: traits.decimals ?? 18,
      buyTaxBps: bps,
      sellTaxBps: bps,
    });
    expect(await delivered(bought)).toBe(bought.amountOut);
    const again = await ask(taxed, plain, 1_234_567_891_234_567n);
    expect(await delivered(again)).toBe(again.amountOut);
    // Fee and impact are those of the pool.
    expect(quoteData(local, bought).priceImpact).toBeLessThan(0.001);
    expect(quoteData(local, sold).priceImpact).toBeLessThan(0.001);
  });

  it('is traded through V2 only, on its own side of the route', async () => {
    const [plain] = (await newTokens(chain, 1)) as [Address];
    const taxed = await newOddToken(chain, { taxBps: 300 });
    await chain.send([
      addV3(500, pool(taxed, alpha)),
      addV2(pool(taxed, alpha)),
      addV3(500, pool(alpha, plain)),
    ]);
    await chain.send([addV3(500, pool(taxed, plain))]);

    const sold = await rankedQuotes(uniswapNodeAt(chain.url), tradeOf(taxed, plain, ETHER), soon());
    const bought = await rankedQuotes(uniswapNodeAt(chain.url), tradeOf(plain, taxed, ETHER), soon());

    expect(sold.map(({ hops }) => hops.map(({ type }) => type))).toEqual([['v2', 'v3']]);
    expect(bought.map(({ hops }) => hops.map(({ type }) => type))).toEqual([['v3', 'v2']]);
    expect(await delivered(bought[0])).toBe(bought[0].amountOut);
    const again = await ask(taxed, plain);
    expect(await delivered(again)).toBe(again.amountOut);
  });

  it('has no route if only pools of V3 trade it, and the 404 says why', async () => {
    const [plain] = (await newTokens(chain, 1)) as [Address];
    const taxed = await newOddToken(chain, { taxBps: 250 });
    await chain.send([addV3(3000, pool(taxed, plain))]);

    for (const [from, to] of [
      [taxed, plain],
      [plain, taxed],
    ] as const) {
      await expect(ask(from, to)).rejects.toMatchObject({
        statusCode: 404,
        message:
          `No route found from ${from} to ${to} on local: ${taxed} keeps 2.5 % of each transfer, and only pools of V2 ` +
          'can hold a minimum for it',
      });
    }
  });
});

describe('a token of shares', () => {
  const distance = (a: bigint, b: bigint) => (a > b ? a - b : b - a);

  it('is no taxed one, and trades through V2 within two units', async () => {
    const [plain] = (await newTokens(chain, 1)) as [Address];
    const share = await newShareToken(chain);
    await chain.send([addV2(pool(plain, share))]);

    const bought = await ask(plain, share);

    expect(bought.hops).toMatchObject([{ type: 'v2' }]);
    expect(bought.tokens[1]).toMatchObject({ symbol: 'SHARE', buyTaxBps: 0, sellTaxBps: 0 });
    expect(distance(await delivered(bought), bought.amountOut)).toBeLessThanOrEqual(2n);
    const sold = await ask(share, plain);
    expect(sold.hops).toMatchObject([{ type: 'v2' }]);
    expect(distance(await delivered(sold), sold.amountOut)).toBeLessThanOrEqual(6n);
  });
});

describe('where nothing can be measured', () => {
  it('the way back is unknown of a token that refuses it, and the way out is not', async () => {
    const [plain] = (await newTokens(chain, 1)) as [Address];
    const token = await newOddToken(chain, { taxBps: 100 });
    await chain.send([addV2(pool(plain, token))]);
    const pair = (await ask(plain, token)).hops[0]?.pool;
    await chain.send([refused(token, pair ?? token)]);

    expect((await ask(plain, token)).tokens[1]).toMatchObject({ buyTaxBps: 100, sellTaxBps: null });
  });

  it('the quote goes on without taxes, on a node that takes no other state', async () => {
    const [plain] = (await newTokens(chain, 1)) as [Address];
    const taxed = await newOddToken(chain, { taxBps: 100 });
    await chain.send([addV2(pool(plain, taxed))]);
    const node = uniswapNodeAt(chain.url);
    const old: UniswapNode = {
      ...node,
      chain: { ...node.chain, name: 'old' }, // other than the one whose answers are kept
      call: (request, block, deadline) => node.call(request, block, deadline),
    };

    const { tokens, amountOut } = await ask(plain, taxed, ETHER, old);

    expect(tokens[1]).toMatchObject({ buyTaxBps: null, sellTaxBps: null });
    expect(amountOut).toBeGreaterThan((await ask(plain, taxed)).amountOut);
  });
});
