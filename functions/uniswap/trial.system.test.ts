import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Address } from 'viem';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ETHER, type LocalChain } from '../../local/evm/index.ts';
import { contracts } from '../../local/evm/uniswap/deploy.ts';
import { addV2, addV3, call, type Liquidity } from '../../local/evm/uniswap/liquidity.ts';
import type { Payload } from '../../shared/evm/contract.ts';
import type { RpcCall } from '../../test/evm/node.ts';
import { newOddToken, newShareToken, rebased, refused, refusedWithCode } from '../../test/evm/odd-tokens.ts';
import { newWallet, type Wallet } from '../../test/evm/wallet.ts';
import { failure } from '../../test/pipeline/event.ts';
import { sendApproval, type UniswapRoutes, uniswapRoutes, useRoutes } from './fixtures/routes.ts';
import { balanceOf, newTokens, read } from './fixtures/uniswap.ts';
import type { SwapData } from './logic/swap.ts';

const { weth, router, v2Router } = contracts;

let chain: LocalChain;
let routes: UniswapRoutes;
let wallet: Wallet;
useRoutes((opened) => {
  ({ chain, routes } = opened);
});
beforeEach(async () => {
  wallet = await newWallet(chain);
});

const withWeth = (token: Address): Liquidity => ({
  tokens: [weth, token],
  amounts: [100n * ETHER, 300n * ETHER],
});
const buy = (token: Address) => ({
  tokenIn: 'ETH',
  tokenOut: token,
  amount: String(ETHER),
  recipient: wallet.address,
  slippageBps: 0,
});
const sell = (token: Address, amount: bigint) => ({
  ...buy(token),
  tokenIn: token,
  tokenOut: 'ETH',
  amount: String(amount),
});
const give = (token: Address, amount: bigint) =>
  chain.send([call(token, 'token', 'transfer', [wallet.address, amount])]);
const pairAmount = async (amount: bigint, path: readonly Address[]) =>
  (await read<readonly bigint[]>(chain, v2Router, 'v2Router', 'getAmountsOut', [amount, path])).at(-1) ?? 0n;

/** What arrives at the wallet when the swap is sent. */
async function sent(swap: SwapData, token: Address): Promise<bigint> {
  const before = await balanceOf(chain, token, wallet.address);
  expect(await wallet.send(swap)).toMatchObject({ succeeded: true });
  return (await balanceOf(chain, token, wallet.address)) - before;
}

describe('amountOut is what arrives', () => {
  it.each([200n, 1000n, 5000n])('if the output keeps %s bps of each transfer', async (taxBps) => {
    const token = await newOddToken(chain, { taxBps: Number(taxBps) });
    await chain.send([addV2(withWeth(token))]);
    const paid = await pairAmount(ETHER, [weth, token]);

    const swap = await routes.ask('swap', buy(token));

    expect(BigInt(swap.quote.amountOut)).toBe(paid - (paid * taxBps) / 10_000n);
    expect(swap.minAmountOut).toBe(swap.quote.amountOut);
    expect(await sent(swap, token)).toBe(BigInt(swap.minAmountOut));
  });

  it('if the input keeps a tenth of each transfer', async () => {
    const token = await newOddToken(chain, { taxBps: 1000 });
    await chain.send([addV2(withWeth(token))]);
    await give(token, 10n * ETHER);
    const body = sell(token, ETHER);

    const [approval, swap] = [
      await routes.ask('approve', { token, amount: body.amount }),
      await routes.ask('swap', { ...body, tokenOut: weth }),
    ];
    await sendApproval(wallet, approval);

    expect(BigInt(swap.quote.amountOut)).toBe(await pairAmount((ETHER * 9n) / 10n, [token, weth]));
    expect(await sent(swap, weth)).toBe(BigInt(swap.quote.amountOut));
  });

  it("if V2's own router trades a token that keeps a tenth, there and back", async () => {
    const router = 'V2Router02';
    const token = await newOddToken(chain, { taxBps: 1000 });
    await chain.send([addV2(withWeth(token))]);

    const bought = await routes.ask('swap', { ...buy(token), router });
    expect(await sent(bought, token)).toBe(BigInt(bought.quote.amountOut));
    const amount = String(ETHER);
    await sendApproval(wallet, await routes.ask('approve', { token, amount, router, owner: wallet.address }));
    const sold = await routes.ask('swap', { ...sell(token, ETHER), tokenOut: weth, router });

    expect([bought.to, sold.to]).toEqual([v2Router, v2Router]);
    expect(await sent(sold, weth)).toBe(BigInt(sold.quote.amountOut));
  });

  it('if the output counts in shares, whose worth changes', async () => {
    const token = await newShareToken(chain);
    await chain.send([addV2(withWeth(token))]);
    await chain.send([rebased(token, (10n ** 30n * 101n) / 100n)]);

    const swap = await routes.ask('swap', buy(token));

    expect(await sent(swap, token)).toBe(BigInt(swap.quote.amountOut));
  });

  it('and less than the minimum reverts, if a token loses its worth on the way', async () => {
    const token = await newShareToken(chain);
    await chain.send([addV2(withWeth(token))]);
    const swap = await routes.ask('swap', buy(token));
    await chain.send([rebased(token, (10n ** 30n * 999n) / 1000n)]);

    expect(await wallet.send(swap)).toMatchObject({ succeeded: false });
  });
});

it('a token that taxes is not bought in V3, where the minimum would not hold', async () => {
  const token = await newOddToken(chain, { taxBps: 200 });
  await chain.send([addV3(3000, withWeth(token))]);

  expect(await routes.post('swap', buy(token))).toMatchObject({
    status: 404,
    body: failure(expect.stringMatching(/^No route found from ETH to 0x/)),
  });
});

it('a token that hides what it keeps from a call without a sender is found out', async () => {
  const token = await newOddToken(chain, { taxBps: 5000, isSecretive: true });
  await chain.send([addV3(3000, withWeth(token))]);

  expect(await routes.post('swap', buy(token))).toMatchObject({
    status: 404,
    body: failure(expect.stringMatching(/ that could hold a minimum: /)),
  });
  await chain.send([addV2(withWeth(token))]);
  const swap = await routes.ask('swap', buy(token));
  expect(swap.quote.route).toMatchObject([{ type: 'v2' }]);
  expect(await sent(swap, token)).toBe(BigInt(swap.minAmountOut));
});

it('a token that begins to lose a unit in rounding is not bought in V3 any more', async () => {
  const token = await newShareToken(chain);
  const [supply, shares] = [10n ** 30n, (10n ** 30n * 7n) / 9n + 1n];
  await chain.send([rebased(token, shares), addV3(3000, withWeth(token))]);
  const exact = await routes.ask('swap', buy(token));
  await chain.send([rebased(token, supply)]);

  expect(exact.quote.route).toMatchObject([{ type: 'v3' }]);
  expect(await routes.post('swap', buy(token))).toMatchObject({
    status: 404,
    body: failure(
      expect.stringMatching(/ that could hold a minimum: the token keeps a part of what a V3 pool pays/),
    ),
  });
});

it('a token that does not let itself be sent to the recipient is named', async () => {
  const token = await newOddToken(chain);
  await chain.send([addV2(withWeth(token)), refused(token, wallet.address)]);

  expect(await routes.post('swap', buy(token))).toMatchObject({
    status: 400,
    body: failure(`Execution reverted: UniswapV2: TRANSFER_FAILED; ${token} does not move, or not whole`),
  });
});

it('a recipient that takes no ETH is told apart from a token that fails', async () => {
  const [token] = (await newTokens(chain, 1)) as [Address];
  await chain.send([addV2(withWeth(token))]);
  await give(token, ETHER);
  const closed = (await newWallet(chain)).address;
  await chain.rpc('anvil_setCode', [closed, '0x60006000fd']);
  const body = { ...sell(token, ETHER), recipient: closed, sender: wallet.address };

  for (const router of ['SwapRouter02', 'V2Router02']) {
    expect(await routes.post('swap', { ...body, router })).toMatchObject({
      status: 400,
      body: failure(expect.stringMatching(/^Execution reverted: .*; the recipient takes no ETH$/)),
    });
  }
});

it('a token like Tether is tried with its old allowance taken back', async () => {
  const token = await newOddToken(chain, { isTetherLike: true, decimals: 6 });
  await chain.send([addV2(withWeth(token))]);
  await give(token, ETHER);
  const approve = (amount: string) => routes.ask('approve', { token, amount, owner: wallet.address });
  await wallet.send(await approve('7'));

  const [swap, approval] = [await routes.ask('swap', sell(token, ETHER)), await approve(String(ETHER))];

  expect(swap.issues).toEqual({
    allowance: { actual: '7', required: String(ETHER), spender: router },
    balance: null,
    simulation: null,
  });
  await sendApproval(wallet, approval);
  expect(await wallet.send(swap)).toMatchObject({ succeeded: true });
});

it('a sender with code of its own is tried as itself', async () => {
  const [token] = (await newTokens(chain, 1)) as [Address];
  await chain.send([addV2(withWeth(token))]);
  const safe = (await newWallet(chain)).address;
  await chain.rpc('anvil_setCode', [safe, '0x00']);
  await chain.rpc('anvil_impersonateAccount', [safe]);
  await chain.send([call(token, 'token', 'transfer', [safe, ETHER])]);
  const send = async ({ to, data }: Payload) => {
    const hash = await chain.rpc('eth_sendTransaction', [{ from: safe, to, data }]);
    const mined = () => chain.rpc('eth_getTransactionReceipt', [hash]);
    const receipt = await vi.waitUntil(mined, { timeout: 15_000, interval: 10 });
    expect(receipt).toMatchObject({ status: '0x1' });
  };

  const [approval, swap] = [
    await routes.ask('approve', { token, amount: String(ETHER), owner: safe }),
    await routes.ask('swap', { ...sell(token, ETHER), sender: safe }),
  ];
  await send(approval);
  const before = await balanceOf(chain, 'native', wallet.address);
  await send(swap);

  expect(await balanceOf(chain, 'native', wallet.address)).toBe(before + BigInt(swap.quote.amountOut));
});

it('a token that is not sent to contracts is bought by an account that is none', async () => {
  const token = await newOddToken(chain);
  await chain.send([addV3(3000, withWeth(token)), refusedWithCode(token, wallet.address)]);

  const bought = await routes.ask('swap', buy(token));

  expect(bought.issues).toMatchObject({ simulation: expect.stringContaining(wallet.address) });
  expect(await sent(bought, token)).toBeGreaterThanOrEqual(BigInt(bought.minAmountOut));
});

describe('a node that takes no state overrides, or no sender with code,', () => {
  let plain: Server;
  afterEach(() => {
    plain.close();
    plain.closeAllConnections();
  });

  const refusal = { error: { code: -32602, message: 'too many arguments, want at most 2' } };
  const forwarded = async (asked: RpcCall) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(chain.url, { method: 'POST', headers, body: JSON.stringify(asked) });
    return (await answer.json()) as object; // our own node's
  };

  const ignoring = (asked: RpcCall) => forwarded({ ...asked, params: asked.params.slice(0, 2) });

  /** From now on the routes ask such a node. */
  async function ask(answerOf: (asked: RpcCall) => object): Promise<void> {
    plain = createServer(async (request, response) => {
      const asked = (await json(request)) as RpcCall; // our own client's
      response.end(JSON.stringify({ jsonrpc: '2.0', id: asked.id, ...(await answerOf(asked)) }));
    });
    plain.listen(0, '127.0.0.1');
    await once(plain, 'listening');
    routes = await uniswapRoutes(`http://127.0.0.1:${(plain.address() as AddressInfo).port}`); // TCP, so never a string
  }

  it.each([
    ['refuses them', (asked: RpcCall) => (asked.params.length > 2 ? refusal : forwarded(asked))],
    ['ignores them', ignoring],
  ])('is told if it %s, and the swap is that of the quote', async (_what, answerOf) => {
    await ask(answerOf);
    const [token] = (await newTokens(chain, 1)) as [Address];
    await chain.send([addV2(withWeth(token))]);

    const swap = await routes.ask('swap', buy(token));

    expect(swap.issues.simulation).toBe(
      'The local node does not try calls on other state (state overrides): amounts are those of the quote',
    );
    expect(await sent(swap, token)).toBe(BigInt(swap.quote.amountOut));
  });

  it('buys a token in V3 by way of the router, which holds the minimum against what it got itself', async () => {
    await ask(ignoring);
    const [plainToken] = (await newTokens(chain, 1)) as [Address];
    const taxed = await newOddToken(chain, { taxBps: 200 });
    await chain.send([addV3(3000, withWeth(plainToken)), addV3(3000, withWeth(taxed))]);

    const [swap, late] = [
      await routes.ask('swap', { ...buy(plainToken) }),
      await routes.ask('swap', { ...buy(taxed), slippageBps: 500 }),
    ];

    expect(await sent(swap, plainToken)).toBe(BigInt(swap.minAmountOut));
    expect(await sent(late, taxed)).toBeGreaterThanOrEqual(BigInt(late.minAmountOut));
    expect(await routes.post('swap', buy(taxed))).toMatchObject({
      status: 400,
      body: failure('Execution reverted: Insufficient token'),
    });
  });

  it('is tried without a sender if none with code may send', async () => {
    const refusal = {
      error: { code: -32000, message: 'err: sender not an eoa: address 0x70…, codehash: 0x12…' },
    };
    const isTrial = ({ method, params: [request, , state] }: RpcCall) =>
      method === 'eth_call' && (request as { from?: string }).from === wallet.address && state !== undefined;
    await ask((asked) => (isTrial(asked) ? refusal : forwarded(asked)));
    const [token] = (await newTokens(chain, 1)) as [Address];
    await chain.send([addV2(withWeth(token))]);

    const swap = await routes.ask('swap', buy(token));

    expect(swap.issues.simulation).toBe(null);
  });
});
