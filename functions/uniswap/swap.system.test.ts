import type { Address } from 'viem';
import { beforeEach, describe, expect, it } from 'vitest';
import { ETHER, type LocalChain } from '../../local/evm/index.ts';
import { DEPLOYER } from '../../local/evm/json-rpc.ts';
import { contracts } from '../../local/evm/uniswap/deploy.ts';
import { addV2, addV3, call, type Liquidity } from '../../local/evm/uniswap/liquidity.ts';
import { newWallet, type Wallet } from '../../test/evm/wallet.ts';
import { failure } from '../../test/pipeline/event.ts';
import { type UniswapRoutes, useRoutes } from './fixtures/routes.ts';
import { balanceOf, newTokens } from './fixtures/uniswap.ts';

const { weth, alpha, router } = contracts;

let chain: LocalChain;
let routes: UniswapRoutes;
useRoutes((opened) => {
  ({ chain, routes } = opened);
});

const pool = (a: Address, b: Address): Liquidity => ({
  tokens: [a, b],
  amounts: [500n * ETHER, 900n * ETHER],
});
const give = (token: Address, to: Address, amount: bigint) =>
  chain.send([call(token, token === weth ? 'weth' : 'token', 'transfer', [to, amount])]);

/** Approves the router of the route and then swaps, and expects exactly what was quoted. */
async function expectExact(from: Address | 'ETH', to: Address | 'ETH', version: 'v2' | 'v3'): Promise<void> {
  const [wallet, friend] = [await newWallet(chain), await newWallet(chain, 0n)];
  const amount = 3n * ETHER + 7n;
  if (from !== 'ETH') {
    await give(from, wallet.address, amount);
    const approval = await routes.ask('approve', { token: from, amount: String(amount) });
    expect(await wallet.send(approval)).toMatchObject({ succeeded: true });
  }
  const [paid, got] = [from === 'ETH' ? 'native' : from, to === 'ETH' ? 'native' : to] as const;
  const before = await balanceOf(chain, paid, wallet.address);
  const request = { tokenIn: from, tokenOut: to, amount: String(amount), recipient: friend.address };

  const data = await routes.ask('swap', { ...request, sender: wallet.address });
  const { succeeded, gasUsed, cost } = await wallet.send(data);

  expect(data.quote.route.every(({ type }) => type === version)).toBe(true);
  expect(succeeded).toBe(true);
  expect(await balanceOf(chain, got, friend.address)).toBe(BigInt(data.quote.amountOut));
  expect(await balanceOf(chain, paid, wallet.address)).toBe(
    before - amount - (paid === 'native' ? cost : 0n),
  );
  expect(BigInt(data.minAmountOut)).toBe((BigInt(data.quote.amountOut) * 9950n) / 10_000n);
  expect(BigInt(data.gasLimit)).toBeGreaterThanOrEqual((gasUsed * 11n) / 10n);
  expect(BigInt(data.gasLimit)).toBeLessThanOrEqual(gasUsed * 2n);
  expect(await balanceOf(chain, 'native', router)).toBe(0n);
}

describe('a swap, signed and sent, moves exactly what was quoted', () => {
  describe.each([
    ['v2', (a: Address, b: Address) => addV2(pool(a, b))],
    ['v3', (a: Address, b: Address) => addV3(3000, pool(a, b))],
  ] as const)('in pools of %s', (version, add) => {
    it('from token to token', async () => {
      const [a, b] = (await newTokens(chain, 2)) as [Address, Address];
      await chain.send([add(a, b)]);
      await expectExact(a, b, version);
    });

    it('from token to token through a third', async () => {
      const [a, b] = (await newTokens(chain, 2)) as [Address, Address];
      await chain.send([add(a, alpha), add(alpha, b)]);
      await expectExact(a, b, version);
    });

    it('from ETH', async () => {
      const [a] = (await newTokens(chain, 1)) as [Address];
      await chain.send([add(weth, a)]);
      await expectExact('ETH', a, version);
    });

    it('to ETH', async () => {
      const [a] = (await newTokens(chain, 1)) as [Address];
      await chain.send([add(weth, a)]);
      await expectExact(a, 'ETH', version);
    });
  });
});

describe('a swap that comes too late', () => {
  let [a, b]: [Address, Address] = [weth, alpha];
  let wallet: Wallet;
  beforeEach(async () => {
    [a, b] = (await newTokens(chain, 2)) as [Address, Address];
    await chain.send([addV3(3000, pool(a, b))]);
    wallet = await newWallet(chain);
    await give(a, wallet.address, ETHER);
    await wallet.send(await routes.ask('approve', { token: a, amount: String(ETHER) }));
  });

  it('after the price has moved reverts and costs no token, and a second quote says why', async () => {
    const request = { tokenIn: a, tokenOut: b, amount: String(ETHER), recipient: wallet.address };
    const first = await routes.ask('swap', request);
    const large = { path: `${a}000bb8${b.slice(2)}`, recipient: DEPLOYER };
    const swapped = { ...large, amountIn: 50n * ETHER, amountOutMinimum: 0n };
    await chain.send([call(router, 'router', 'exactInput', [swapped])]);

    const receipt = await wallet.send(first);
    const second = await routes.ask('swap', request);

    expect(receipt.succeeded).toBe(false);
    expect(await balanceOf(chain, a, wallet.address)).toBe(ETHER);
    expect(BigInt(second.quote.amountOut)).toBeLessThan(BigInt(first.minAmountOut));
    expect(await wallet.send(second)).toMatchObject({ succeeded: true });
    expect(await balanceOf(chain, b, wallet.address)).toBe(BigInt(second.quote.amountOut));
  });

  it('after its deadline reverts', async () => {
    const request = { tokenIn: a, tokenOut: b, amount: String(ETHER), recipient: wallet.address };
    const data = await routes.ask('swap', { ...request, deadlineSeconds: 60 });
    const { timestamp } = (await chain.rpc('eth_getBlockByNumber', ['latest', false])) as {
      timestamp: string;
    };
    await chain.rpc('evm_setNextBlockTimestamp', [Number(timestamp) + 3_600]);

    expect(await wallet.send(data)).toMatchObject({ succeeded: false });
  });
});

describe('a refusal', () => {
  const swap = { tokenIn: 'ETH', tokenOut: alpha, amount: '1', recipient: DEPLOYER };
  const amount = 'allowed: an integer of base units from 1 to 2^';

  it.each([
    [{ ...swap, recipient: undefined }, 'Missing required parameter: recipient'],
    [
      { ...swap, slippageBps: 5001 },
      'Invalid parameter slippageBps: 5001; allowed: an integer from 0 to 5000',
    ],
    [
      { ...swap, slippageBps: '50' },
      'Invalid parameter slippageBps: "50"; allowed: an integer from 0 to 5000',
    ],
    [
      { ...swap, deadlineSeconds: 0 },
      'Invalid parameter deadlineSeconds: 0; allowed: an integer from 1 to 86400',
    ],
    [
      { ...swap, recipient: `0x${'0'.repeat(40)}` },
      `Invalid parameter recipient: "0x${'0'.repeat(40)}"; allowed: an address other than the zero address`,
    ],
    [{ ...swap, amount: '0' }, `Invalid parameter amount: "0"; ${amount}128 - 1`],
  ] as const)('says what is wrong: %j', async (body, text) => {
    expect(await routes.post('swap', body)).toMatchObject({ status: 400, body: failure(text) });
  });
});
