import type { Address } from 'viem';
import { beforeEach, describe, expect, it } from 'vitest';
import { ETHER, type LocalChain } from '../../local/evm/index.ts';
import { DEPLOYER } from '../../local/evm/json-rpc.ts';
import { contracts } from '../../local/evm/uniswap/deploy.ts';
import { addV2, addV3 } from '../../local/evm/uniswap/liquidity.ts';
import { chains } from '../../shared/chains.ts';
import { newWallet, type Wallet } from '../../test/evm/wallet.ts';
import { failure } from '../../test/pipeline/event.ts';
import { uniswapChain } from './deployments.ts';
import {
  type Body,
  balanceOf,
  give,
  newTokens,
  pool,
  type UniswapRoutes,
  useRoutes,
} from './fixtures/uniswap.testing.ts';
import { v2Hop, v3Hop } from './pools.ts';

const { weth, alpha, router, v2Router } = contracts;

let chain: LocalChain;
let routes: UniswapRoutes;
let wallet: Wallet;
useRoutes((opened) => {
  ({ chain, routes } = opened);
});
beforeEach(async () => {
  wallet = await newWallet(chain, 5n);
});

const approve = async (token: Address, amount: string) =>
  wallet.send(await routes.ask('approve', { token, amount, owner: wallet.address }));

describe('a swap, signed and sent, moves exactly the quoted amounts', () => {
  /** Approves the router of the route and then swaps. */
  async function expectExact(
    from: Address | 'ETH',
    to: Address | 'ETH',
    version: 'v2' | 'v3',
  ): Promise<void> {
    const friend = (await newWallet(chain, 0n)).address;
    const amount = 3n * ETHER + 7n;
    if (from !== 'ETH') {
      await give(chain, from, wallet.address, amount);
      await approve(from, String(amount));
    }
    const [paid, got] = [from === 'ETH' ? 'native' : from, to === 'ETH' ? 'native' : to] as const;
    const before = await balanceOf(chain, paid, wallet.address);
    const trade = { tokenIn: from, tokenOut: to, amount: String(amount) };

    const data = await routes.ask('swap', { ...trade, recipient: friend, sender: wallet.address });
    const { succeeded, gasUsed, cost } = await wallet.send(data);

    expect(data.quote.route.every(({ type }) => type === version)).toBe(true);
    expect(succeeded).toBe(true);
    expect(await balanceOf(chain, got, friend)).toBe(BigInt(data.quote.amountOut));
    const left = before - amount - (paid === 'native' ? cost : 0n);
    expect(await balanceOf(chain, paid, wallet.address)).toBe(left);
    expect(BigInt(data.minAmountOut)).toBe((BigInt(data.quote.amountOut) * 9950n) / 10_000n);
    expect(BigInt(data.gasLimit)).toBeGreaterThanOrEqual((gasUsed * 11n) / 10n);
    expect(BigInt(data.gasLimit)).toBeLessThanOrEqual(gasUsed * 2n);
    expect(await balanceOf(chain, 'native', router)).toBe(0n);
  }

  it.each([
    ['v2', addV2],
    ['v3', (liquidity: Parameters<typeof addV2>[0]) => addV3(3000, liquidity)],
  ] as const)(
    'through pools of %s: of tokens, through a third token, from ETH and to ETH',
    async (version, add) => {
      const [a, b, c, d] = await newTokens(chain, 4);
      const pools = [pool(a, b), pool(c, alpha), pool(alpha, d), pool(weth, a)];
      await chain.send(pools.map((liquidity) => add(liquidity)));

      await expectExact(a, b, version);
      await expectExact(c, d, version);
      await expectExact('ETH', a, version);
      await expectExact(a, 'ETH', version);
    },
  );
});

describe('ETH and WETH are one to one:', () => {
  const amount = String(ETHER);
  const noIssues = { allowance: null, balance: null, simulation: null };
  const ask = (tokenIn: string, tokenOut: string, recipient: Address) =>
    routes.ask('swap', { tokenIn, tokenOut, amount, recipient, sender: wallet.address });

  it("the sender calls the wrapped token's own deposit and withdraw, without an approval", async () => {
    const wrap = await ask('ETH', weth, wallet.address);
    await wallet.send(wrap);
    const before = await balanceOf(chain, 'native', wallet.address);
    const unwrap = await ask(weth, 'ETH', wallet.address);
    const { cost } = await wallet.send(unwrap);

    expect(wrap).toMatchObject({
      ...{
        to: weth,
        data: '0xd0e30db0',
        value: amount,
        spender: null,
        minAmountOut: amount,
        issues: noIssues,
      },
      quote: { amountOut: amount, verified: true, route: [], priceImpact: 0 },
    });
    expect(wrap.summary).toMatch(/^Wrap 1 ETH as 1 WETH on local, for 0x/);
    expect(unwrap).toMatchObject({ to: weth, value: '0', spender: null, issues: noIssues });
    expect(await balanceOf(chain, 'native', wallet.address)).toBe(before + ETHER - cost);
    expect((await ask(weth, 'ETH', wallet.address)).issues.balance).toEqual({
      ...{ token: weth, actual: '0', required: amount },
    });
  });

  it('another recipient is paid by the router, which needs an approval for WETH', async () => {
    const friend = (await newWallet(chain, 0n)).address;
    const wrap = await ask('ETH', weth, friend);
    await wallet.send(wrap);
    expect(wrap).toMatchObject({ to: router, spender: null, minAmountOut: amount, issues: noIssues });
    expect(await balanceOf(chain, weth, friend)).toBe(ETHER);

    await wallet.send(await ask('ETH', weth, wallet.address));
    const unwrap = await ask(weth, 'ETH', friend);
    await approve(weth, amount);
    await wallet.send(unwrap);
    const allowance = { actual: '0', required: amount, spender: router };
    expect(unwrap).toMatchObject({ to: router, spender: router, issues: { ...noIssues, allowance } });
    expect(await balanceOf(chain, 'native', friend)).toBe(ETHER);
  });
});

describe('the issues of a swap', () => {
  let [a, b]: [Address, Address] = [weth, alpha];
  let request: Body;
  beforeEach(async () => {
    [a, b] = await newTokens(chain, 2);
    await chain.send([addV2(pool(a, b))]);
    request = { tokenIn: a, tokenOut: b, amount: '1000', recipient: wallet.address };
  });
  const issues = async (changes: Body = {}) => (await routes.ask('swap', { ...request, ...changes })).issues;
  const none = { allowance: null, balance: null, simulation: null };

  it('name the spender to approve if an allowance is missing', async () => {
    await give(chain, a, wallet.address, 1000n);
    await approve(a, '400');
    const allowance = { actual: '400', required: '1000', spender: router };
    expect(await issues()).toEqual({ ...none, allowance });
    expect((await issues({ router: 'V2Router02' })).allowance?.spender).toBe(v2Router);

    await approve(a, '1000');
    expect(await issues()).toEqual(none);
    await chain.rpc('anvil_setBalance', [wallet.address, '0x0']); // ETH for gas is not an issue
    expect(await issues()).toEqual(none);
  });

  it('say that the swap could not be tried if the sender has too little of the token', async () => {
    await give(chain, a, wallet.address, 10n);

    expect(await issues()).toEqual({
      allowance: { actual: '0', required: '1000', spender: router },
      balance: { token: a, actual: '10', required: '1000' },
      simulation: `${wallet.address} has too little of ${a} to try the swap: amounts are those of the quote`,
    });
  });

  it('name missing ETH, which the trial does without', async () => {
    const amount = String(6n * ETHER);
    const balance = { token: 'ETH', actual: String(5n * ETHER), required: amount };

    expect(await issues({ tokenIn: 'ETH', tokenOut: alpha, amount })).toEqual({ ...none, balance });
  });

  it('may be resolved after the payload is made', async () => {
    const withoutToken = await routes.ask('swap', request);
    await give(chain, a, wallet.address, 2000n);
    const withoutApproval = await routes.ask('swap', request);
    await approve(a, '2000');

    const { succeeded, gasUsed } = await wallet.send(withoutApproval);
    expect(succeeded).toBe(true);
    expect(BigInt(withoutApproval.gasLimit)).toBeGreaterThanOrEqual((gasUsed * 11n) / 10n);
    expect(BigInt(withoutApproval.gasLimit)).toBeLessThanOrEqual(gasUsed * 2n);
    expect(await wallet.send(withoutToken)).toMatchObject({ succeeded: true });
    expect(await balanceOf(chain, a, wallet.address)).toBe(0n);
  });
});

describe('with a pool of ETH and a token', () => {
  let token: Address;
  beforeEach(async () => {
    [token] = await newTokens(chain, 1);
    await chain.send([addV2(pool(weth, token, 100n, 300n))]);
  });
  const bodyOf = (changes: Body = {}) => ({
    ...{ tokenIn: 'ETH', tokenOut: token, amount: String(ETHER), recipient: wallet.address },
    ...changes,
  });
  const ask = (changes?: Body) => routes.ask('swap', bodyOf(changes));
  const expectRefusal = async (changes: Body, status: number, text: string | RegExp) =>
    expect(await routes.post('swap', bodyOf(changes))).toMatchObject({
      status,
      body: failure(typeof text === 'string' ? text : expect.stringMatching(text)),
    });

  it('a payload names its chain, parties, deadline and purpose', async () => {
    const now = Math.floor(Date.now() / 1000);
    const { deadline, summary, minAmountOut, ...swap } = await ask({ deadlineSeconds: 60 });

    const { address } = wallet;
    const { chainId } = chains.local;
    expect(swap).toMatchObject({ to: router, chainId, from: address, recipient: address, spender: null });
    expect(deadline - 60).toBeGreaterThanOrEqual(now);
    expect(deadline - 60).toBeLessThanOrEqual(Math.floor(Date.now() / 1000));
    const [whole = '', rest = ''] = [minAmountOut.slice(0, -18), minAmountOut.slice(-18).replace(/0+$/, '')];
    const short = (address: Address) => `${address.slice(0, 6)}…${address.slice(-4)}`;
    expect(summary).toBe(
      `Swap 1 ETH for at least ${whole}.${rest} "UNI-V2" (${short(token)}) through Uniswap V2 on local, ` +
        `for ${short(address)}`,
    );
  });

  it("the caller's minimum replaces the slippage, and may be the whole output", async () => {
    expect((await ask({ minAmountOut: '7', slippageBps: 0 })).minAmountOut).toBe('7');
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

  it('the price impact is limited to 15 % by default, or to the caller’s limit', async () => {
    const amount = String(50n * ETHER);
    const text =
      /^The price impact of 33\.\d+ % is above maxPriceImpactBps 1500 \(15 %\): swap less, or raise it$/;

    await expectRefusal({ amount }, 400, text);
    await expectRefusal({ amount, maxPriceImpactBps: 0 }, 400, /^The price impact of 33/);
    await ask({ amount, maxPriceImpactBps: 10_000 });
  });

  it('the requested router is called', async () => {
    const v2 = await ask({ router: 'V2Router02' });

    expect(await ask()).toMatchObject({ to: router, quote: { router: 'SwapRouter02' } });
    expect(v2).toMatchObject({ to: v2Router, quote: { router: 'V2Router02' } });
    expect(await wallet.send(v2)).toMatchObject({ succeeded: true });
    expect(await balanceOf(chain, token, wallet.address)).toBe(BigInt(v2.quote.amountOut));
  });

  it('a recipient that would lose the output is a 400, and so is a sender that cannot sign', async () => {
    const { uniswap } = uniswapChain('local');
    const placeholders = ['1', '2'].map((digit) => `0x${digit.padStart(40, '0')}`);
    const pools = [
      v2Hop(uniswap, token, weth),
      v3Hop(uniswap, weth, token, 500),
      v2Hop(uniswap, weth, alpha),
    ];
    for (const [recipients, text] of [
      [[router, v2Router], /an account; this is a router/],
      [[token, weth, alpha], /an account; this is a token/],
      [placeholders, /an account; SwapRouter02 reads this as another/],
      [pools.map(({ pool }) => pool), /an account; this is a pool of these tokens/],
    ] as const) {
      for (const recipient of recipients) {
        await expectRefusal({ recipient, sender: wallet.address }, 400, text);
      }
    }
    await expectRefusal({ sender: router }, 400, /^Invalid parameter sender: .* an account that can sign/);
  });

  it('a swap reverts after its deadline, and after the price has moved beyond its minimum', async () => {
    await give(chain, token, wallet.address, 2n * ETHER);
    await approve(token, String(2n * ETHER));
    const sale = { tokenIn: token, tokenOut: 'ETH' };
    const first = await ask(sale);
    const other = await newWallet(chain);
    const large = bodyOf({
      ...sale,
      amount: String(30n * ETHER),
      recipient: other.address,
      sender: DEPLOYER,
    });
    const { to, data } = await routes.ask('swap', large);
    await chain.send([{ to, data: data as `0x${string}` }]);

    expect(await wallet.send(first)).toMatchObject({ succeeded: false });
    const second = await ask({ ...sale, deadlineSeconds: 60 });
    expect(BigInt(second.quote.amountOut)).toBeLessThan(BigInt(first.minAmountOut));
    const { timestamp } = (await chain.rpc('eth_getBlockByNumber', ['latest', false])) as {
      timestamp: string;
    };
    await chain.rpc('evm_setNextBlockTimestamp', [Number(timestamp) + 3_600]);
    expect(await wallet.send(second)).toMatchObject({ succeeded: false });
    expect(await balanceOf(chain, token, wallet.address)).toBe(2n * ETHER);
  });

  it.each([
    [{ slippageBps: 5001 }, 'Invalid parameter slippageBps: 5001; allowed: an integer from 0 to 5000'],
    [
      { chain: 'base' },
      'Invalid parameter chain: "base"; allowed: local (the chains that this service serves)',
    ],
    [{ minAmountOut: '0' }, /^Invalid parameter minAmountOut: "0"; allowed: an integer/],
    [{ recipient: `0x${'0'.repeat(40)}` }, /; allowed: an address other than the zero address$/],
  ])('an invalid input is a 400 that names it: %j', (changes, text) => expectRefusal(changes, 400, text));
});
