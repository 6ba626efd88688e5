import type { Address } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ETHER, type LocalChain, startLocalChain } from '../../local/evm/index.ts';
import { DEPLOYER } from '../../local/evm/json-rpc.ts';
import { contracts, createdBy, creation } from '../../local/evm/uniswap/deploy.ts';
import { addV2, addV3, call as contractCall, type Liquidity } from '../../local/evm/uniswap/liquidity.ts';
import type { Payload } from '../../shared/evm/payload.ts';
import { compileResponse } from '../../shared/http/compile-schemas.ts';
import type { LambdaHandler } from '../../shared/http/endpoint.ts';
import { soon } from '../../test/evm/node.ts';
import { newWallet, type Wallet } from '../../test/evm/wallet.ts';
import { type Answer, call, failure } from '../../test/pipeline/event.ts';
import { route as approveRoute } from './approve/route.ts';
import { type UniswapChain, uniswapChain } from './deployments.ts';
import { swap as swapWith } from './logic/swap.ts';
import { route as swapRoute } from './swap/route.ts';
import { balanceOf, FOREVER, newTokens, uniswapNodeAt } from './uniswap-kit.ts';

const { weth, alpha, v2Router, v3Router } = contracts;
const problems = {
  swap: compileResponse(swapRoute.response),
  approve: compileResponse(approveRoute.response),
};

let chain: LocalChain;
let handlers: Record<'swap' | 'approve', LambdaHandler>;
beforeAll(async () => {
  chain = await startLocalChain();
});
afterAll(() => chain.close());
beforeEach(async () => {
  vi.stubEnv('NODE_ENV', 'test');
  vi.stubEnv('LOCAL_RPC_URL', chain.url);
  vi.resetModules();
  handlers = {
    swap: (await import('./swap/handler.ts')).handler,
    approve: (await import('./approve/handler.ts')).handler,
  };
});
afterEach(() => {
  vi.unstubAllEnvs();
});

interface SwapData extends Payload {
  readonly minAmountOut: string;
  readonly quote: { readonly amountOut: string; readonly route: readonly { type: string }[] };
}

const post = (name: 'swap' | 'approve', body: Record<string, unknown>): Promise<Answer> =>
  call(handlers[name], { method: 'POST', body: JSON.stringify({ chain: 'local', ...body }) });

async function dataOf<T>(name: 'swap' | 'approve', body: Record<string, unknown>): Promise<T> {
  const answer = await post(name, body);
  expect(answer).toMatchObject({ status: 200 });
  const { data } = answer.body as { data: T }; // checked right here
  expect(problems[name](data)).toEqual([]);
  return data;
}

const pool = (a: Address, b: Address): Liquidity => ({
  tokens: [a, b],
  amounts: [500n * ETHER, 900n * ETHER],
});
const give = (token: Address, to: Address, amount: bigint) =>
  chain.send([contractCall(token, token === weth ? 'weth' : 'token', 'transfer', [to, amount])]);

/** Approves the router of the route and then swaps, and expects exactly what was quoted. */
async function expectExact(from: Address | 'ETH', to: Address | 'ETH', router: 'v2' | 'v3'): Promise<void> {
  const [wallet, friend] = [await newWallet(chain), await newWallet(chain, 0n)];
  const amount = 3n * ETHER + 7n;
  if (from !== 'ETH') {
    await give(from, wallet.address, amount);
    const approval = await dataOf<Payload>('approve', { token: from, amount: String(amount), router });
    expect(await wallet.send(approval)).toMatchObject({ succeeded: true });
  }
  const [paid, got] = [from === 'ETH' ? 'native' : from, to === 'ETH' ? 'native' : to] as const;
  const before = await balanceOf(chain, paid, wallet.address);
  const request = { tokenIn: from, tokenOut: to, amount: String(amount), recipient: friend.address };

  const data = await dataOf<SwapData>('swap', { ...request, sender: wallet.address });
  const { succeeded, gasUsed, cost } = await wallet.send(data);

  expect(data.quote.route.every(({ type }) => type === router)).toBe(true);
  expect(succeeded).toBe(true);
  expect(await balanceOf(chain, got, friend.address)).toBe(BigInt(data.quote.amountOut));
  expect(await balanceOf(chain, paid, wallet.address)).toBe(
    before - amount - (paid === 'native' ? cost : 0n),
  );
  expect(BigInt(data.minAmountOut)).toBe((BigInt(data.quote.amountOut) * 9950n) / 10_000n);
  expect(BigInt(data.gasLimit)).toBeGreaterThanOrEqual((gasUsed * 11n) / 10n);
  expect(BigInt(data.gasLimit)).toBeLessThanOrEqual(gasUsed * 2n);
  for (const address of [v2Router, v3Router]) expect(await balanceOf(chain, 'native', address)).toBe(0n);
}

describe('a swap, signed and sent, moves exactly what was quoted', () => {
  describe.each([
    ['v2', (a: Address, b: Address) => addV2(pool(a, b))],
    ['v3', (a: Address, b: Address) => addV3(3000, pool(a, b))],
  ] as const)('by the %s router', (router, add) => {
    it('from token to token', async () => {
      const [a, b] = (await newTokens(chain, 2)) as [Address, Address];
      await chain.send([add(a, b)]);
      await expectExact(a, b, router);
    });

    it('from token to token through a third', async () => {
      const [a, b] = (await newTokens(chain, 2)) as [Address, Address];
      await chain.send([add(a, alpha), add(alpha, b)]);
      await expectExact(a, b, router);
    });

    it('from ETH', async () => {
      const [a] = (await newTokens(chain, 1)) as [Address];
      await chain.send([add(weth, a)]);
      await expectExact('ETH', a, router);
    });

    it('to ETH', async () => {
      const [a] = (await newTokens(chain, 1)) as [Address];
      await chain.send([add(weth, a)]);
      await expectExact(a, 'ETH', router);
    });
  });

  it.each([
    ['from token to token', false, false],
    ['from ETH', true, false],
    ['to ETH', false, true],
  ])('by SwapRouter02, as on Base, %s', async (_what, nativeIn, nativeOut) => {
    const [a, b] = (await newTokens(chain, 2)) as [Address, Address];
    const nonce = Number(await chain.rpc('eth_getTransactionCount', [DEPLOYER, 'latest']));
    await chain.send([
      creation('v3Router02', [contracts.v2Factory, contracts.v3Factory, contracts.positions, weth]),
      addV3(500, pool(nativeIn ? weth : a, nativeOut ? weth : b)),
    ]);
    const router = { kind: 'SwapRouter02', address: createdBy(nonce) } as const;
    const local = uniswapChain('local');
    const other: UniswapChain = {
      ...local,
      name: `02 ${nativeIn} ${nativeOut}`,
      uniswap: { ...local.uniswap, v3: { ...local.uniswap.v3, router } },
    };
    const [wallet, friend] = [await newWallet(chain), await newWallet(chain, 0n)];
    await give(a, wallet.address, ETHER);
    const approval = contractCall(a, 'token', 'approve', [router.address, ETHER]);
    await wallet.send({ to: a, data: approval.data ?? '0x', value: '0', gasLimit: '100000' });
    const trade = {
      tokenIn: { address: nativeIn ? weth : a, isNative: nativeIn },
      tokenOut: { address: nativeOut ? weth : b, isNative: nativeOut },
      amountIn: ETHER,
    };
    const terms = { recipient: friend.address, sender: wallet.address, slippageBps: 50 };
    const node = uniswapNodeAt(chain.url, other);

    const data = await swapWith(node, { trade, ...terms, deadlineSeconds: 100 }, soon());
    const late = await swapWith(node, { trade, ...terms, deadlineSeconds: -100 }, soon()).catch(
      (error) => error,
    );
    const receipt = await wallet.send(data);

    expect(receipt.succeeded).toBe(true);
    expect(await balanceOf(chain, nativeOut ? 'native' : b, friend.address)).toBe(
      BigInt(data.quote.amountOut),
    );
    expect(await balanceOf(chain, 'native', router.address)).toBe(0n);
    expect(late).toMatchObject({ message: 'Execution reverted: Transaction too old' });
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
    await wallet.send(await dataOf<Payload>('approve', { token: a, amount: String(ETHER) }));
  });

  it('after the price has moved reverts and costs no token, and a second quote says why', async () => {
    const request = { tokenIn: a, tokenOut: b, amount: String(ETHER), recipient: wallet.address };
    const first = await dataOf<SwapData>('swap', request);
    const large = { path: `${a}000bb8${b.slice(2)}`, recipient: DEPLOYER, deadline: FOREVER };
    const swapped = { ...large, amountIn: 50n * ETHER, amountOutMinimum: 0n };
    await chain.send([contractCall(v3Router, 'v3Router', 'exactInput', [swapped])]);

    const receipt = await wallet.send(first);
    const second = await dataOf<SwapData>('swap', request);

    expect(receipt.succeeded).toBe(false);
    expect(await balanceOf(chain, a, wallet.address)).toBe(ETHER);
    expect(BigInt(second.quote.amountOut)).toBeLessThan(BigInt(first.minAmountOut));
    expect(await wallet.send(second)).toMatchObject({ succeeded: true });
    expect(await balanceOf(chain, b, wallet.address)).toBe(BigInt(second.quote.amountOut));
  });

  it('after its deadline reverts', async () => {
    const request = { tokenIn: a, tokenOut: b, amount: String(ETHER), recipient: wallet.address };
    const data = await dataOf<SwapData>('swap', { ...request, deadlineSeconds: 1 });
    const { timestamp } = (await chain.rpc('eth_getBlockByNumber', ['latest', false])) as {
      timestamp: string;
    };
    await chain.rpc('evm_setNextBlockTimestamp', [Number(timestamp) + 60]);

    expect(await wallet.send(data)).toMatchObject({ succeeded: false });
  });
});

describe('what the sender lacks', () => {
  let [a, b]: [Address, Address] = [weth, alpha];
  let wallet: Wallet;
  let request: Record<string, unknown>;
  beforeEach(async () => {
    [a, b] = (await newTokens(chain, 2)) as [Address, Address];
    await chain.send([addV2(pool(a, b))]);
    wallet = await newWallet(chain, 5n);
    request = { tokenIn: a, tokenOut: b, amount: '1000', recipient: wallet.address };
  });

  it('of allowance is said with the router to approve', async () => {
    await give(a, wallet.address, 2000n);
    const approval = { token: a, amount: '400', router: 'v2', owner: wallet.address };
    await wallet.send(await dataOf<Payload>('approve', approval));

    expect(await post('swap', request)).toMatchObject({
      status: 400,
      body: failure(
        `Insufficient allowance: the v2 router ${v2Router} may take 400 of 1000 base units of ${a}, 600 short; ` +
          'approve it first (router v2)',
      ),
    });
  });

  it('of balance is said, and of both', async () => {
    await give(a, wallet.address, 10n);
    const balance = `Insufficient balance: ${wallet.address} has 10 of 1000 base units of ${a}, 990 short`;
    const both = await post('swap', request);
    await wallet.send(await dataOf<Payload>('approve', { token: a, amount: '1000', router: 'v2' }));
    const only = await post('swap', request);

    expect(both.body).toEqual(
      failure(expect.stringMatching(/has 10 of 1000 .*; Insufficient allowance: .* 1000 short/)),
    );
    expect(only).toMatchObject({ status: 400, body: failure(balance) });
  });

  it('of ETH is said', async () => {
    const amount = String(6n * ETHER);
    expect(await post('swap', { ...request, tokenIn: 'ETH', tokenOut: alpha, amount })).toMatchObject({
      status: 400,
      body: failure(
        `Insufficient balance: ${wallet.address} has ${5n * ETHER} of ${amount} base units of ETH, ${ETHER} short`,
      ),
    });
  });
});

describe('a refusal', () => {
  const swap = { tokenIn: 'ETH', tokenOut: alpha, amount: '1', recipient: DEPLOYER };
  const approval = { token: alpha, amount: '1' };
  const amount = 'allowed: an integer of base units from 1 to 2^';

  it.each([
    ['swap', { ...swap, recipient: undefined }, 'Missing required parameter: recipient'],
    [
      'swap',
      { ...swap, slippageBps: 5001 },
      'Invalid parameter slippageBps: 5001; allowed: an integer from 0 to 5000',
    ],
    [
      'swap',
      { ...swap, slippageBps: '50' },
      'Invalid parameter slippageBps: "50"; allowed: an integer from 0 to 5000',
    ],
    [
      'swap',
      { ...swap, deadlineSeconds: 0 },
      'Invalid parameter deadlineSeconds: 0; allowed: an integer from 1 to 86400',
    ],
    [
      'swap',
      { ...swap, recipient: `0x${'0'.repeat(40)}` },
      `Invalid parameter recipient: "0x${'0'.repeat(40)}"; allowed: an address other than the zero address`,
    ],
    ['swap', { ...swap, amount: '0' }, `Invalid parameter amount: "0"; ${amount}128 - 1`],
    ['approve', { ...approval, token: undefined }, 'Missing required parameter: token'],
    ['approve', { ...approval, amount: '0' }, `Invalid parameter amount: "0"; ${amount}256 - 1`],
    [
      'approve',
      { ...approval, amount: String(2n ** 256n) },
      `Invalid parameter amount: "${2n ** 256n}"; ${amount}256 - 1`,
    ],
    [
      'approve',
      { ...approval, token: 'ETH' },
      `Invalid parameter token: "ETH"; allowed: a token's address; ETH needs no approval`,
    ],
  ] as const)('of a %s says what is wrong: %j', async (name, body, text) => {
    expect(await post(name, body)).toMatchObject({ status: 400, body: failure(text) });
  });

  it('is a 404 if there is no token to approve', async () => {
    const token = (await newWallet(chain)).address;

    expect(await post('approve', { token, amount: '1' })).toMatchObject({
      status: 404,
      body: failure(`No token found at ${token} on local`),
    });
  });
});

it('approves without limit if asked to', async () => {
  const { data } = await dataOf<Payload>('approve', { token: alpha, amount: String(2n ** 256n - 1n) });

  expect(data).toBe(`0x095ea7b3${v3Router.slice(2).toLowerCase().padStart(64, '0')}${'f'.repeat(64)}`);
});
