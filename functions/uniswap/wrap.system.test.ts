import type { Address } from 'viem';
import { beforeEach, describe, expect, it } from 'vitest';
import { ETHER, type LocalChain } from '../../local/evm/index.ts';
import { contracts } from '../../local/evm/uniswap/deploy.ts';
import { newWallet, type Wallet } from '../../test/evm/wallet.ts';
import { type UniswapRoutes, useRoutes } from './fixtures/routes.ts';
import { balanceOf } from './fixtures/uniswap.ts';

const { weth, router } = contracts;

let chain: LocalChain;
let routes: UniswapRoutes;
let wallet: Wallet;
let friend: Address;
useRoutes((opened) => {
  ({ chain, routes } = opened);
});
beforeEach(async () => {
  wallet = await newWallet(chain);
  friend = (await newWallet(chain, 0n)).address;
});

const amount = String(ETHER);
const wrap = (recipient: Address) =>
  routes.ask('swap', { tokenIn: 'ETH', tokenOut: weth, amount, recipient, sender: wallet.address });
const unwrap = (recipient: Address) =>
  routes.ask('swap', { tokenIn: weth, tokenOut: 'ETH', amount, recipient, sender: wallet.address });
const noIssues = { allowance: null, balance: null, simulation: null };

describe('ETH is wrapped one to one,', () => {
  it("by the wrapped token's own deposit", async () => {
    const swap = await wrap(wallet.address);
    await wallet.send(swap);

    expect(swap).toMatchObject({
      to: weth,
      data: '0xd0e30db0',
      value: amount,
      spender: null,
      minAmountOut: amount,
      issues: noIssues,
      quote: { amountOut: amount, route: [], priceImpact: 0 },
    });
    expect(swap.summary).toMatch(/^Wrap 1 ETH as 1 WETH on local, for 0x/);
    expect(await balanceOf(chain, weth, wallet.address)).toBe(ETHER);
  });

  it('by the router for somebody else', async () => {
    const swap = await wrap(friend);
    await wallet.send(swap);

    expect(swap).toMatchObject({ to: router, spender: null, minAmountOut: amount, issues: noIssues });
    expect(await balanceOf(chain, weth, friend)).toBe(ETHER);
  });
});

describe('WETH is unwrapped one to one,', () => {
  beforeEach(async () => {
    await wallet.send(await wrap(wallet.address));
  });

  it("by the wrapped token's own withdraw, without an approval", async () => {
    const before = await balanceOf(chain, 'native', wallet.address);
    const swap = await unwrap(wallet.address);
    const { cost } = await wallet.send(swap);

    expect(swap).toMatchObject({
      to: weth,
      value: '0',
      spender: null,
      minAmountOut: amount,
      issues: noIssues,
    });
    expect(await balanceOf(chain, 'native', wallet.address)).toBe(before + ETHER - cost);
  });

  it('by the router for somebody else, once that may take it', async () => {
    const swap = await unwrap(friend);
    await wallet.send(await routes.ask('approve', { token: weth, amount }));
    await wallet.send(swap);

    expect(swap).toMatchObject({
      to: router,
      spender: router,
      minAmountOut: amount,
      issues: { ...noIssues, allowance: { actual: '0', required: amount, spender: router } },
    });
    expect(await balanceOf(chain, 'native', friend)).toBe(ETHER);
  });

  it('and what is missing of it is told', async () => {
    await wallet.send(await unwrap(wallet.address));

    expect((await unwrap(wallet.address)).issues.balance).toEqual({
      token: weth,
      actual: '0',
      required: amount,
    });
  });
});
