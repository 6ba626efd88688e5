import type { Address } from 'viem';
import { beforeEach, describe, expect, it } from 'vitest';
import { ETHER, type LocalChain } from '../../local/evm/index.ts';
import { contracts } from '../../local/evm/uniswap/deploy.ts';
import { addV2, addV3, type Liquidity } from '../../local/evm/uniswap/liquidity.ts';
import { chains } from '../../shared/evm/chains.ts';
import { newWallet, type Wallet } from '../../test/evm/wallet.ts';
import { failure } from '../../test/pipeline/event.ts';
import { uniswapChain } from './deployments.ts';
import { type Body, type UniswapRoutes, useRoutes } from './fixtures/routes.ts';
import { balanceOf, newTokens } from './fixtures/uniswap.ts';
import { v2Hop, v3Hop } from './logic/pools.ts';

const { weth, alpha, router, v2Router } = contracts;

let chain: LocalChain;
let routes: UniswapRoutes;
let wallet: Wallet;
let token: Address;
useRoutes((opened) => {
  ({ chain, routes } = opened);
});
beforeEach(async () => {
  wallet = await newWallet(chain);
  [token] = (await newTokens(chain, 1)) as [Address];
});

const pool = (): Liquidity => ({ tokens: [weth, token], amounts: [100n * ETHER, 300n * ETHER] });
const bodyOf = (changes: Body = {}) => ({
  tokenIn: 'ETH',
  tokenOut: token,
  amount: String(ETHER),
  recipient: wallet.address,
  ...changes,
});
const ask = (changes?: Body) => routes.ask('swap', bodyOf(changes));
const expectRefusal = async (changes: Body, status: number, text: string | RegExp) =>
  expect(await routes.post('swap', bodyOf(changes))).toMatchObject({
    status,
    body: failure(typeof text === 'string' ? text : expect.stringMatching(text)),
  });

describe('a payload', () => {
  it('says what it is for', async () => {
    await chain.send([addV2(pool())]);
    const now = Math.floor(Date.now() / 1000);
    const { deadline, summary, minAmountOut, ...swap } = await ask({ deadlineSeconds: 60 });
    const later = Math.floor(Date.now() / 1000);

    expect(swap).toMatchObject({
      to: router,
      chainId: chains.local.chainId,
      from: wallet.address,
      recipient: wallet.address,
      spender: null,
    });
    expect(deadline - 60).toBeGreaterThanOrEqual(now);
    expect(deadline - 60).toBeLessThanOrEqual(later);
    const [whole = '', rest = ''] = [minAmountOut.slice(0, -18), minAmountOut.slice(-18).replace(/0+$/, '')];
    const short = (address: Address) => `${address.slice(0, 6)}…${address.slice(-4)}`;
    expect(summary).toBe(
      `Swap 1 ETH for at least ${whole}.${rest} "UNI-V2" (${short(token)}) through Uniswap V2 on local, ` +
        `for ${short(wallet.address)}`,
    );
  });
});

describe("the caller's minimum", () => {
  beforeEach(() => chain.send([addV2(pool())]));

  it('is taken in place of the slippage', async () => {
    const { minAmountOut } = await ask({ minAmountOut: '7', slippageBps: 0 });

    expect(minAmountOut).toBe('7');
  });

  it('may be all that would arrive, and no more', async () => {
    const { amountOut } = (await ask()).quote;
    const more = String(BigInt(amountOut) + 1n);
    const swap = await ask({ minAmountOut: amountOut });

    await expectRefusal(
      { minAmountOut: more },
      400,
      `${amountOut} base units of tokenOut would arrive, less than minAmountOut ${more}: ask for a new quote and show ` +
        'it, or lower it',
    );
    expect(await wallet.send(swap)).toMatchObject({ succeeded: true });
    expect(await balanceOf(chain, token, wallet.address)).toBe(BigInt(amountOut));
  });

  it('is no 0', () =>
    expectRefusal({ minAmountOut: '0' }, 400, /^Invalid parameter minAmountOut: "0"; allowed: an integer/));
});

describe('the limit of the price impact', () => {
  beforeEach(() => chain.send([addV2(pool())]));
  const amount = String(50n * ETHER);

  it('is 15 % unless told', () =>
    expectRefusal(
      { amount },
      400,
      /^The price impact of 33\.\d+ % is above maxPriceImpactBps 1500 \(15 %\): swap less, or raise it$/,
    ));

  it.each([0, 10_000])('can be set: %d', async (maxPriceImpactBps) => {
    const { status } = await routes.post('swap', bodyOf({ amount, maxPriceImpactBps }));

    expect(status).toBe(maxPriceImpactBps === 0 ? 400 : 200);
  });
});

describe('the router that was asked for', () => {
  it('is the one that is called', async () => {
    await chain.send([addV2(pool()), addV3(500, pool())]);
    const [either, v2] = [await ask(), await ask({ router: 'V2Router02' })];

    expect(either).toMatchObject({ to: router, quote: { router: 'SwapRouter02' } });
    expect(v2).toMatchObject({ to: v2Router, quote: { router: 'V2Router02' } });
    expect(await wallet.send(v2)).toMatchObject({ succeeded: true });
    expect(await balanceOf(chain, token, wallet.address)).toBe(BigInt(v2.quote.amountOut));
  });

  it('is told to be approved', async () => {
    await chain.send([addV2(pool())]);
    const swap = await ask({ tokenIn: token, tokenOut: 'ETH', router: 'V2Router02' });

    expect(swap.spender).toBe(v2Router);
    expect(swap.issues.allowance?.spender).toBe(v2Router);
  });

  it('has no route where only the other trades', async () => {
    await chain.send([addV3(500, pool())]);

    await expectRefusal(
      { router: 'V2Router02' },
      404,
      /^No route found from ETH to 0x\w+ on local by V2Router02$/,
    );
  });
});

describe('a recipient that would not keep the output is refused:', () => {
  beforeEach(() => chain.send([addV2(pool())]));

  it.each([
    ['a router', () => router, /an account; this is a router/],
    ['the other router', () => v2Router, /an account; this is a router/],
    ['the output', () => token, /an account; this is a token/],
    ['the wrapped token', () => weth, /an account; this is a token/],
    ['a common token that the route leaves out', () => alpha, /an account; this is a token/],
    [
      'what the router takes for the sender',
      () => `0x${'1'.padStart(40, '0')}`,
      /SwapRouter02 takes this for another/,
    ],
    [
      'what the router takes for itself',
      () => `0x${'2'.padStart(40, '0')}`,
      /SwapRouter02 takes this for another/,
    ],
  ])('%s', (_what, recipient, text) =>
    expectRefusal({ recipient: recipient(), sender: wallet.address }, 400, text),
  );

  it('a pool of the route, or of another way', async () => {
    await chain.send([addV3(500, pool())]);
    const { uniswap } = uniswapChain('local');
    const pools = [
      v2Hop(uniswap, token, weth),
      v3Hop(uniswap, weth, token, 500),
      v2Hop(uniswap, weth, alpha),
    ];

    for (const { pool: recipient } of pools) {
      await expectRefusal(
        { recipient, sender: wallet.address },
        400,
        /^Invalid parameter recipient: .* this is a pool of such tokens/,
      );
    }
  });

  it('and so is a sender that cannot sign', () =>
    expectRefusal(
      { sender: router },
      400,
      /^Invalid parameter sender: .*; allowed: an account that can sign/,
    ));
});
