import { describe, expect, it, vi } from 'vitest';
import { ETHER, type LocalChain } from '../../../local/evm/index.ts';
import { contracts } from '../../../local/evm/uniswap/deploy.ts';
import { commonHeaders, failure, refusalHeaders } from '../../../test/pipeline/event.ts';
import { startLoopback } from '../../../test/pipeline/loopback.ts';
import { type Body, type UniswapRoutes, uniswapRoutes, useRoutes } from '../fixtures/uniswap.testing.ts';

const { weth, alpha, beta, gamma, router } = contracts;

let chain: LocalChain;
let routes: UniswapRoutes;
useRoutes((opened) => {
  ({ chain, routes } = opened);
});

const good = { tokenIn: weth, tokenOut: alpha, amount: String(ETHER) };
const post = (body: Body) => routes.post('quote', { ...good, ...body });
const ask = (body: Body = {}) => routes.ask('quote', { ...good, ...body });

describe('a quote', () => {
  it('is the best amount with its fee, route, price impact and block', async () => {
    expect(await post({})).toEqual({
      status: 200,
      headers: commonHeaders(30),
      body: {
        success: true,
        data: {
          amountOut: '1995011971069831407017',
          verified: true,
          fee: { amount: '500000000000000', currency: weth, tiers: [500] },
          route: [{ type: 'v3', pool: expect.any(String), feeTier: 500, tokenIn: weth, tokenOut: alpha }],
          priceImpact: 0.1995,
          block: Number(await chain.rpc('eth_blockNumber')),
          blockHash: expect.any(String),
          gasEstimate: expect.any(String),
          gasCost: expect.any(String),
          tokens: [
            { address: weth, symbol: 'WETH', decimals: 18 },
            { address: alpha, symbol: 'UNI-V2', decimals: 18 },
          ],
          router: 'SwapRouter02',
          spender: router,
        },
      },
    });
  });

  it('of ETH goes through its wrapped token, and has its fee in ETH', async () => {
    const wrapped = await ask();

    expect(await ask({ tokenIn: 'eth' })).toEqual({
      ...wrapped,
      fee: { ...wrapped.fee, currency: 'ETH' },
      spender: null,
    });
  });

  it.each([
    ['ETH', weth],
    [weth, '0x0000000000000000000000000000000000000000'],
    ['0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE', weth],
  ])('of %s for %s is one to one', async (tokenIn, tokenOut) => {
    expect(await ask({ tokenIn, tokenOut })).toMatchObject({
      ...{ amountOut: good.amount, route: [], priceImpact: 0, router: null, spender: null },
      fee: { amount: '0', tiers: [] },
    });
  });

  it('leads through an intermediate token if there is no pool', async () => {
    const { route } = await ask({ tokenIn: 'ETH', tokenOut: beta });

    expect(route).toMatchObject([{ tokenIn: weth, tokenOut: alpha }, { tokenOut: beta }]);
  });

  it('keeps every digit of an amount beyond 2^53', async () => {
    const { fee, amountOut } = await ask({ amount: '123456789012345678901234567' });

    expect(fee.amount).toBe(String((123456789012345678901234567n * 500n) / 1_000_000n + 1n));
    expect(amountOut).toMatch(/^\d{20,}$/);
  });

  it.each([weth.toLowerCase(), `0x${weth.slice(2).toUpperCase()}`])(
    'accepts an address in one case, and returns it with a checksum: %s',
    async (tokenIn) => {
      expect(await ask({ tokenIn })).toMatchObject({ fee: { currency: weth } });
    },
  );
});

describe('a refusal', () => {
  const digits = 'allowed: a positive integer of base units (wei, for ETH), as a text of decimal digits';
  const address = 'allowed: an address: 0x and 40 hexadecimal digits, or ETH';
  const flipped = `0xa${weth.slice(3)}`;
  it.each([
    [{ amount: '1.5' }, `amount: "1.5"; ${digits}`],
    [{ amount: 1000 }, `amount: 1000; ${digits}`],
    [{ amount: '0' }, 'amount: "0"; allowed: an integer of base units from 1 to 2^128 - 1'],
    [
      { amount: '9'.repeat(40) },
      `amount: "${'9'.repeat(40)}"; allowed: an integer of base units from 1 to 2^128 - 1`,
    ],
    [{ chain: 'polygon' }, 'chain: "polygon"; allowed: mainnet, base, arbitrum, sepolia, local'],
    [{ chain: 'base' }, 'chain: "base"; allowed: local (the chains that this service serves)'],
    [{ tokenIn: '0x12' }, `tokenIn: "0x12"; ${address}`],
    [
      { tokenIn: flipped },
      `tokenIn: "${flipped}"; allowed: an address with a correct checksum (EIP-55), or all in lower case`,
    ],
    [{ tokenOut: weth.toLowerCase() }, `tokenOut: "${weth}"; allowed: a token other than tokenIn`],
    [{ tokenIn: 'ETH', tokenOut: 'eth' }, 'tokenOut: "ETH"; allowed: a token other than tokenIn'],
  ])('names what is invalid: %j', async (change, text) => {
    const body = failure(`Invalid parameter ${text}`);
    expect(await post(change)).toEqual({ status: 400, headers: refusalHeaders(30), body });
  });

  it('is a 404 that names both tokens if there is no route', async () => {
    expect(await post({ tokenIn: beta, tokenOut: gamma })).toEqual({
      status: 404,
      headers: refusalHeaders(30),
      body: failure(`No route found from ${beta} to ${gamma} on local`),
    });
  });

  it('is for the first served chain by default', async () => {
    const { status, body } = await post({});
    expect(await post({ chain: undefined })).toMatchObject({ status, body });
    vi.stubEnv('MAINNET_RPC_URL', 'http://127.0.0.1:9');
    expect(await post({ chain: undefined })).toMatchObject({
      status: 502,
      body: failure('The mainnet node is unreachable: ECONNREFUSED'),
    });
  });
});

it('a silent node is a 504, and the errors of a node are in our own words', async () => {
  const KEY = 'k3y-of-the-provider';
  vi.stubEnv('UPSTREAM_TIMEOUT_MS', '100');
  const node = await startLoopback(() => {});
  vi.resetModules();
  const onNode = await uniswapRoutes(`${node.url}/v2/${KEY}`);

  expect(await onNode.post('quote', good)).toMatchObject({
    status: 504,
    body: failure('The local node timed out: no answer within 0.1 s'),
  });
  node.answer((_request, response) => void response.writeHead(401).end(`invalid key ${KEY}`));
  expect(await onNode.post('quote', good)).toMatchObject({
    status: 502,
    body: failure('The local node answered 401'),
  });
  await node.close();
});
