import { json } from 'node:stream/consumers';
import type { Address } from 'viem';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ETHER, type LocalChain } from '../../local/evm/index.ts';
import { contracts } from '../../local/evm/uniswap/deploy.ts';
import { addV2, addV3 } from '../../local/evm/uniswap/liquidity.ts';
import type { Payload } from '../../shared/evm/contract.ts';
import type { RpcCall } from '../../test/evm/node.ts';
import { newOddToken, newShareToken, rebased, refused, refusedWithCode } from '../../test/evm/odd-tokens.ts';
import { newWallet, type Wallet } from '../../test/evm/wallet.ts';
import { failure } from '../../test/pipeline/event.ts';
import { type Loopback, startLoopback } from '../../test/pipeline/loopback.ts';
import {
  balanceOf,
  give,
  newTokens,
  paidByPairs,
  pool,
  read,
  sendApproval,
  type UniswapRoutes,
  uniswapRoutes,
  useRoutes,
} from './fixtures/uniswap.testing.ts';
import type { SwapData } from './swap.ts';

const { weth, alpha, router, v2Router } = contracts;

let chain: LocalChain;
let routes: UniswapRoutes;
let wallet: Wallet;
useRoutes((opened) => {
  ({ chain, routes } = opened);
});
beforeEach(async () => {
  wallet = await newWallet(chain);
});

const withWeth = (token: Address) => pool(weth, token, 100n, 300n);
const trade = (tokenIn: string, tokenOut: string, amount = ETHER) => ({
  tokenIn,
  tokenOut,
  amount: String(amount),
});
const buy = (token: Address) => ({ ...trade('ETH', token), recipient: wallet.address, slippageBps: 0 });
const sell = (token: Address) => ({ ...buy(token), ...trade(token, 'ETH') });
const approve = async (token: Address) =>
  sendApproval(wallet, await routes.ask('approve', { token, amount: String(ETHER), owner: wallet.address }));

/** Sends the swap; returns what the wallet receives. */
async function sent(swap: SwapData, token: Address): Promise<bigint> {
  const before = await balanceOf(chain, token, wallet.address);
  expect(await wallet.send(swap)).toMatchObject({ succeeded: true });
  return (await balanceOf(chain, token, wallet.address)) - before;
}

describe('amountOut is what arrives', () => {
  it.each([200n, 5000n])(
    'if the output token takes %s bps of each transfer, in a quote too',
    async (taxBps) => {
      const token = await newOddToken(chain, { taxBps: Number(taxBps) });
      await chain.send([addV2(withWeth(token))]);
      const paid = await paidByPairs(chain, ETHER, [weth, token]);

      const quotes = [
        await routes.ask('quote', trade('ETH', token)),
        await routes.ask('quote', trade(weth, token)),
      ];
      const swap = await routes.ask('swap', buy(token));

      const amountOut = String(paid - (paid * taxBps) / 10_000n);
      for (const quote of [...quotes, swap.quote]) expect(quote).toMatchObject({ amountOut, verified: true });
      expect(swap.quote.priceImpact).toBeCloseTo(0.987, 2); // that of the pool
      expect(swap.minAmountOut).toBe(amountOut);
      expect(await sent(swap, token)).toBe(BigInt(amountOut));
    },
  );

  it.each([
    ['SwapRouter02', router],
    ['V2Router02', v2Router],
  ])('if %s buys and sells a token that takes a tenth', async (name, to) => {
    const token = await newOddToken(chain, { taxBps: 1000 });
    await chain.send([addV2(withWeth(token))]);

    const bought = await routes.ask('swap', { ...buy(token), router: name });
    expect(await sent(bought, token)).toBe(BigInt(bought.quote.amountOut));
    const approval = { token, amount: String(ETHER), router: name, owner: wallet.address };
    await sendApproval(wallet, await routes.ask('approve', approval));
    const sold = await routes.ask('swap', { ...sell(token), tokenOut: weth, router: name });

    expect([bought.to, sold.to]).toEqual([to, to]);
    expect(BigInt(sold.quote.amountOut)).toBe(await paidByPairs(chain, (ETHER * 9n) / 10n, [token, weth]));
    expect(await sent(sold, weth)).toBe(BigInt(sold.quote.amountOut));
  });

  it('if the output counts in shares, and a swap below its minimum reverts when they lose value', async () => {
    const token = await newShareToken(chain);
    await chain.send([addV2(withWeth(token))]);
    await chain.send([rebased(token, (10n ** 30n * 101n) / 100n)]);

    const swap = await routes.ask('swap', buy(token));
    expect(await sent(swap, token)).toBe(BigInt(swap.quote.amountOut));
    const late = await routes.ask('swap', buy(token));
    await chain.send([rebased(token, 10n ** 30n)]);
    expect(await wallet.send(late)).toMatchObject({ succeeded: false });
  });

  it('or the quote says that it is not verified, for an input that cannot be tried', async () => {
    const token = await newOddToken(chain, { taxBps: 1000 });
    await chain.send([addV2(withWeth(token))]);

    expect(await routes.ask('quote', trade(token, weth))).toMatchObject({
      amountOut: String(await paidByPairs(chain, ETHER, [token, weth])),
      verified: false,
    });
    expect(await routes.ask('quote', trade('ETH', alpha))).toMatchObject({ verified: true }); // a known token
  });
});

describe('a token with a transfer fee', () => {
  const noMinimum = / that could hold a minimum: the token keeps a part of what a V3 pool pays/;

  it('is not bought in V3, which cannot enforce the minimum, even if it hides its fee from calls without a sender', async () => {
    const token = await newOddToken(chain, { taxBps: 5000, isSecretive: true });
    await chain.send([addV3(3000, withWeth(token))]);
    const refusal = { status: 404, body: failure(expect.stringMatching(noMinimum)) };

    expect(await routes.post('quote', trade('ETH', token))).toMatchObject(refusal);
    expect(await routes.post('swap', buy(token))).toMatchObject(refusal);
    await chain.send([addV2(withWeth(token))]);
    const swap = await routes.ask('swap', buy(token));
    expect(swap.quote.route).toMatchObject([{ type: 'v2' }]);
    expect(await sent(swap, token)).toBe(BigInt(swap.minAmountOut));
  });

  it('goes through V2 on its own side of a route, even if V3 would pay more', async () => {
    const token = await newOddToken(chain, { taxBps: 300 });
    const [plain] = await newTokens(chain, 1);
    await chain.send([
      addV3(500, pool(alpha, plain)),
      addV2(pool(alpha, plain)),
      addV3(500, pool(token, alpha)),
      addV2(pool(token, alpha, 100n, 300n)),
    ]);
    await give(chain, token, wallet.address, ETHER);
    await give(chain, plain, wallet.address, ETHER);

    const recipient = wallet.address;
    const bought = await routes.ask('swap', { ...trade(plain, token), recipient, slippageBps: 0 });
    const sold = await routes.ask('swap', { ...trade(token, plain), recipient, slippageBps: 0 });

    expect(bought.quote.route.map(({ type }) => type)).toEqual(['v3', 'v2']);
    expect(sold.quote.route.map(({ type }) => type)).toEqual(['v2', 'v3']);
    await approve(plain);
    expect(await sent(bought, token)).toBe(BigInt(bought.quote.amountOut));
  });

  it('of a single unit, by rounding, is not bought in V3', async () => {
    const token = await newShareToken(chain);
    await chain.send([rebased(token, (10n ** 30n * 7n) / 9n + 1n), addV3(3000, withWeth(token))]);
    expect((await routes.ask('swap', buy(token))).quote.route).toMatchObject([{ type: 'v3' }]);
    await chain.send([rebased(token, 10n ** 30n)]);

    expect(await routes.post('swap', buy(token))).toMatchObject({
      status: 404,
      body: failure(expect.stringMatching(noMinimum)),
    });
  });
});

it('the refusal names a token that rejects the recipient, which is still quoted', async () => {
  const token = await newOddToken(chain);
  await chain.send([addV2(withWeth(token)), refused(token, wallet.address)]);

  expect(await routes.post('swap', buy(token))).toMatchObject({
    status: 400,
    body: failure(`Execution reverted: UniswapV2: TRANSFER_FAILED; ${token} does not move, or not whole`),
  });
  expect(await routes.ask('quote', trade('ETH', token))).toMatchObject({ verified: true });
});

it.each(['SwapRouter02', 'V2Router02'])(
  'the refusal names a recipient that rejects ETH, with %s',
  async (router) => {
    const [token] = await newTokens(chain, 1);
    await chain.send([addV2(withWeth(token))]);
    await give(chain, token, wallet.address, ETHER);
    const recipient = (await newWallet(chain)).address;
    await chain.rpc('anvil_setCode', [recipient, '0x60006000fd']);

    const answer = await routes.post('swap', { ...sell(token), recipient, sender: wallet.address, router });
    expect(answer).toMatchObject({
      status: 400,
      body: failure(expect.stringMatching(/^Execution reverted: .*; the recipient takes no ETH$/)),
    });
  },
);

describe('a token like Tether, which changes no existing allowance,', () => {
  it('is tried with its old allowance revoked', async () => {
    const token = await newOddToken(chain, { isTetherLike: true, decimals: 6 });
    await chain.send([addV2(withWeth(token))]);
    await give(chain, token, wallet.address, ETHER);
    await wallet.send(await routes.ask('approve', { token, amount: '7', owner: wallet.address }));

    const swap = await routes.ask('swap', sell(token));

    const allowance = { actual: '7', required: String(ETHER), spender: router };
    expect(swap.issues).toEqual({ allowance, balance: null, simulation: null });
    await approve(token);
    expect(await wallet.send(swap)).toMatchObject({ succeeded: true });
  });

  it('needs a reset before an approval, unless there is no allowance, or the approval is of 0', async () => {
    const token = await newOddToken(chain, { isTetherLike: true, decimals: 6 });
    const approvalOf = (amount: string) => routes.ask('approve', { token, amount, owner: wallet.address });
    const allowed = () => read<bigint>(chain, token, 'token', 'allowance', [wallet.address, router]);
    const first = await approvalOf('5');
    expect(first.reset).toBeNull();
    await wallet.send(first);

    for (const amount of ['5', '2000']) {
      const approval = await approvalOf(amount);
      const data = expect.stringMatching(/^0x095ea7b3\w{64}0{64}$/);
      expect(approval.reset).toMatchObject({ to: token, data });
      expect(await sendApproval(wallet, approval)).toMatchObject({ succeeded: true });
      expect(await allowed()).toBe(BigInt(amount));
    }
    const { reset, ...revocation } = await approvalOf('0');
    expect(reset).toBeNull();
    expect(await wallet.send(revocation)).toMatchObject({ succeeded: true });
  });
});

it('a sender with its own code is tried as itself', async () => {
  const [token] = await newTokens(chain, 1);
  await chain.send([addV2(withWeth(token))]);
  const safe = (await newWallet(chain)).address;
  await chain.rpc('anvil_setCode', [safe, '0x00']);
  await chain.rpc('anvil_impersonateAccount', [safe]);
  await give(chain, token, safe, ETHER);
  const send = async ({ to, data }: Payload) => {
    const hash = await chain.rpc('eth_sendTransaction', [{ from: safe, to, data }]);
    const mined = () => chain.rpc('eth_getTransactionReceipt', [hash]);
    const receipt = await vi.waitUntil(mined, { timeout: 15_000, interval: 10 });
    expect(receipt).toMatchObject({ status: '0x1' });
  };

  const swap = await routes.ask('swap', { ...sell(token), sender: safe });
  await send(await routes.ask('approve', { token, amount: String(ETHER), owner: safe }));
  const before = await balanceOf(chain, 'native', wallet.address);
  await send(swap);

  expect(await balanceOf(chain, 'native', wallet.address)).toBe(before + BigInt(swap.quote.amountOut));
});

it('a token that rejects contracts can be bought by an account without code', async () => {
  const token = await newOddToken(chain);
  await chain.send([addV3(3000, withWeth(token)), refusedWithCode(token, wallet.address)]);

  const bought = await routes.ask('swap', buy(token));

  expect(bought.issues).toMatchObject({ simulation: expect.stringContaining(wallet.address) });
  expect(await sent(bought, token)).toBeGreaterThanOrEqual(BigInt(bought.minAmountOut));
});

describe('a node without state overrides, or that rejects senders with code,', () => {
  let plain: Loopback | undefined;
  afterEach(() => plain?.close());

  const forwarded = async (rpc: RpcCall) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(chain.url, { method: 'POST', headers, body: JSON.stringify(rpc) });
    return (await answer.json()) as object; // our own node's
  };
  const ignoring = (rpc: RpcCall) => forwarded({ ...rpc, params: rpc.params.slice(0, 2) });
  const refusing = (code: number, message: string) => (rpc: RpcCall) =>
    rpc.params.length > 2 ? { error: { code, message } } : forwarded(rpc);

  /** The routes use such a node from now on. */
  async function use(answerOf: (rpc: RpcCall) => object): Promise<void> {
    plain = await startLoopback(async (request, response) => {
      const rpc = (await json(request)) as RpcCall; // our own client's
      response.end(JSON.stringify({ jsonrpc: '2.0', id: rpc.id, ...(await answerOf(rpc)) }));
    });
    routes = await uniswapRoutes(plain.url);
  }

  it.each([
    ['refuses', refusing(-32602, 'too many arguments, want at most 2')],
    ['ignores', ignoring],
  ])('is named if it %s them, and the swap has the amounts of the quote', async (_what, answerOf) => {
    await use(answerOf);
    const [token] = await newTokens(chain, 1);
    await chain.send([addV2(withWeth(token))]);

    const swap = await routes.ask('swap', buy(token));

    expect(swap.issues.simulation).toBe(
      'The local node does not try calls on other state (state overrides): amounts are those of the quote',
    );
    expect(swap.quote.verified).toBe(false);
    expect(await routes.ask('quote', trade('ETH', token))).toMatchObject({ verified: false });
    expect(await sent(swap, token)).toBe(BigInt(swap.quote.amountOut));
  });

  it('buys a token in V3 through the router, which checks the minimum against its own balance', async () => {
    await use(ignoring);
    const [plainToken] = await newTokens(chain, 1);
    const taxed = await newOddToken(chain, { taxBps: 200 });
    await chain.send([addV3(3000, withWeth(plainToken)), addV3(3000, withWeth(taxed))]);

    const swap = await routes.ask('swap', buy(plainToken));
    const late = await routes.ask('swap', { ...buy(taxed), slippageBps: 500 });

    expect(await sent(swap, plainToken)).toBe(BigInt(swap.minAmountOut));
    expect(await sent(late, taxed)).toBeGreaterThanOrEqual(BigInt(late.minAmountOut));
    expect(await routes.post('swap', buy(taxed))).toMatchObject({
      status: 400,
      body: failure('Execution reverted: Insufficient token'),
    });
  });

  it('tries the swap without a sender if senders with code are rejected', async () => {
    const refusal = {
      error: { code: -32000, message: 'err: sender not an eoa: address 0x70…, codehash: 0x12…' },
    };
    const isTrial = ({ method, params: [request, , state] }: RpcCall) =>
      method === 'eth_call' && (request as { from?: string }).from === wallet.address && state !== undefined;
    await use((rpc) => (isTrial(rpc) ? refusal : forwarded(rpc)));
    const [token] = await newTokens(chain, 1);
    await chain.send([addV2(withWeth(token))]);

    expect((await routes.ask('swap', buy(token))).issues.simulation).toBe(null);
  });
});
