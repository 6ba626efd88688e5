import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ETHER, type LocalChain, startLocalChain } from '../../../local/evm/index.ts';
import { contracts } from '../../../local/evm/uniswap/deploy.ts';
import { compileResponse } from '../../../shared/http/compile-schemas.ts';
import type { LambdaHandler } from '../../../shared/http/endpoint.ts';
import { call, commonHeaders, failure, refusalHeaders } from '../../../test/pipeline/event.ts';
import { startLoopback } from '../../../test/pipeline/loopback.ts';
import { route } from './route.ts';

const problems = compileResponse(route.response);
const { weth, alpha, beta, gamma, router } = contracts;

let chain: LocalChain;
let handler: LambdaHandler;
beforeAll(async () => {
  chain = await startLocalChain();
});
afterAll(() => chain.close());

beforeEach(async () => {
  vi.stubEnv('NODE_ENV', 'test');
  vi.stubEnv('LOCAL_RPC_URL', chain.url);
  vi.stubEnv('UPSTREAM_TIMEOUT_MS', '10000');
  await coldStart();
});
afterEach(() => {
  vi.unstubAllEnvs();
});

async function coldStart(): Promise<void> {
  vi.resetModules();
  ({ handler } = await import('./handler.ts'));
}

const good = { tokenIn: weth, tokenOut: alpha, amount: String(ETHER), chain: 'local' };
const quote = (body: Record<string, unknown>) =>
  call(handler, { method: 'POST', path: '/api/uniswap/quote', body: JSON.stringify(body) });

function dataOf(answer: { body: unknown }): Record<string, unknown> {
  expect(answer).toMatchObject({ status: 200 });
  const { data } = answer.body as { data: Record<string, unknown> }; // checked right here
  expect(problems(data)).toEqual([]);
  return data;
}

describe('a quote', () => {
  it('is the best amount with its fee, way, price impact and block', async () => {
    const answer = await quote(good);

    expect(answer).toEqual({
      status: 200,
      headers: commonHeaders(30),
      body: {
        success: true,
        data: {
          amountOut: '1995011971069831407017',
          fee: { amount: '500000000000000', currency: weth, tiers: [500] },
          route: [{ type: 'v3', pool: expect.any(String), feeTier: 500, tokenIn: weth, tokenOut: alpha }],
          priceImpact: 0.1995,
          block: Number(await chain.rpc('eth_blockNumber')),
          blockHash: expect.any(String),
          gasEstimate: expect.any(String),
          gasCost: expect.any(String),
          tokens: [weth, alpha].map((token) => expect.objectContaining({ address: token })),
          router: 'SwapRouter02',
          spender: router,
        },
      },
    });
    dataOf(answer);
  });

  it('of ETH goes through its wrapped token, and names the fee in ETH', async () => {
    const wrapped = dataOf(await quote(good));

    const native = dataOf(await quote({ ...good, tokenIn: 'eth' }));

    const fee = { ...(wrapped.fee as object), currency: 'ETH' };
    expect(native).toEqual({ ...wrapped, fee, spender: null });
  });

  it.each([
    ['ETH', weth],
    [weth, 'ETH'],
    ['0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE', weth],
    [weth, '0x0000000000000000000000000000000000000000'],
  ])('of %s for %s is one to one, by the wrapped token itself', async (tokenIn, tokenOut) => {
    const data = dataOf(await quote({ ...good, tokenIn, tokenOut }));

    expect(data).toMatchObject({
      amountOut: good.amount,
      route: [],
      priceImpact: 0,
      router: null,
      spender: null,
    });
    expect(data.fee).toMatchObject({ amount: '0', tiers: [] });
  });

  it('leads through an intermediate token if there is no pool', async () => {
    const { route: hops } = dataOf(await quote({ ...good, tokenIn: 'ETH', tokenOut: beta }));

    expect(hops).toMatchObject([{ tokenIn: weth, tokenOut: alpha }, { tokenOut: beta }]);
  });

  it('keeps every digit of an amount that no number holds', async () => {
    const amount = '123456789012345678901234567';

    const { fee, amountOut } = dataOf(await quote({ ...good, amount }));

    expect((fee as { amount: string }).amount).toBe(String((BigInt(amount) * 500n) / 1_000_000n + 1n));
    expect(amountOut).toMatch(/^\d{20,}$/);
  });

  it.each([
    ['lower case', weth.toLowerCase()],
    ['upper case', `0x${weth.slice(2).toUpperCase()}`],
  ])('takes an address in %s, and answers it checksummed', async (_case, tokenIn) => {
    expect(dataOf(await quote({ ...good, tokenIn }))).toMatchObject({ fee: { currency: weth } });
  });
});

describe('a refusal', () => {
  it.each(['tokenIn', 'tokenOut', 'amount'])('names the missing %s', async (name) => {
    const expected = {
      status: 400,
      headers: refusalHeaders(30),
      body: failure(`Missing required parameter: ${name}`),
    };
    expect(await quote({ ...good, [name]: undefined })).toEqual(expected);
    expect(await quote({ ...good, [name]: '' })).toMatchObject({ body: expected.body });
  });

  const amountAllowed =
    'allowed: a positive integer of base units (wei, for ETH), as a text of decimal digits';
  const address = 'allowed: an address: 0x and 40 hexadecimal digits, or ETH';
  const flipped = `0xa${weth.slice(3)}`;
  it.each([
    [{ amount: '-1' }, `amount: "-1"; ${amountAllowed}`],
    [{ amount: '1.5' }, `amount: "1.5"; ${amountAllowed}`],
    [{ amount: '1e18' }, `amount: "1e18"; ${amountAllowed}`],
    [{ amount: '0x10' }, `amount: "0x10"; ${amountAllowed}`],
    [{ amount: 1000 }, `amount: 1000; ${amountAllowed}`],
    [{ amount: '0' }, 'amount: "0"; allowed: an integer of base units from 1 to 2^128 - 1'],
    [
      { amount: '9'.repeat(40) },
      `amount: "${'9'.repeat(40)}"; allowed: an integer of base units from 1 to 2^128 - 1`,
    ],
    [{ chain: 'polygon' }, 'chain: "polygon"; allowed: mainnet, base, arbitrum, sepolia, local'],
    [{ tokenIn: '0x12' }, `tokenIn: "0x12"; ${address}`],
    [{ tokenOut: 'DAI' }, `tokenOut: "DAI"; ${address}`],
    [
      { tokenIn: flipped },
      `tokenIn: "${flipped}"; allowed: an address with a correct checksum (EIP-55), or all in lower case`,
    ],
    [{ tokenOut: weth.toLowerCase() }, `tokenOut: "${weth}"; allowed: a token other than tokenIn`],
    [{ tokenIn: 'ETH', tokenOut: 'eth' }, 'tokenOut: "ETH"; allowed: a token other than tokenIn'],
  ])('says what is wrong with %j', async (change, text) => {
    expect(await quote({ ...good, ...change })).toEqual({
      status: 400,
      headers: refusalHeaders(30),
      body: failure(`Invalid parameter ${text}`),
    });
  });

  it('is a 404 that names both tokens if there is no way', async () => {
    expect(await quote({ ...good, tokenIn: beta, tokenOut: gamma })).toEqual({
      status: 404,
      headers: refusalHeaders(30),
      body: failure(`No route found from ${beta} to ${gamma} on local`),
    });
  });

  it('is of the first chain that is served unless told', async () => {
    const { chain: _, ...body } = good;

    const { status, body: answered } = await quote(good);
    expect(await quote(body)).toMatchObject({ status, body: answered });
    vi.stubEnv('MAINNET_RPC_URL', 'http://127.0.0.1:9');
    expect(await quote(body)).toMatchObject({
      status: 502,
      body: failure('The mainnet node is unreachable: ECONNREFUSED'),
    });
  });

  it.each(['ftp://node.example', 'node', 'wss://node.example/key'])(
    'is a 500 where the URL of the node is %s',
    async (url) => {
      vi.stubEnv('LOCAL_RPC_URL', url);
      expect(await quote(good)).toMatchObject({ status: 500, body: failure('Server configuration error') });
    },
  );
});

describe('a node that fails', () => {
  const KEY = 'k3y-of-the-provider';
  const rpcError = (code: number, message: string) =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code, message } });

  it.each([
    ['429', 429, '{}', 429, 'Rate limit exceeded: the limit of the local node; try again in 10 s'],
    ['401 with its key', 401, `invalid key ${KEY}`, 502, 'The local node answered 401'],
    ['nonsense', 200, '<html>', 502, 'The local node gave an unusable answer: broken JSON'],
    ['no result', 200, '{"id":1}', 502, 'The local node gave an unusable answer: no result'],
    [
      'no number',
      200,
      '{"id":1,"result":"soon"}',
      502,
      'The local node gave an unusable answer: not a hexadecimal value',
    ],
    [
      'an error with its key',
      200,
      rpcError(-32000, `bad ${KEY}`),
      502,
      'The local node failed (error -32000)',
    ],
    [
      'an exhausted quota',
      200,
      rpcError(-32005, 'daily request count exceeded'),
      429,
      'Rate limit exceeded: the limit of the local node; try again in 10 s',
    ],
  ])('with %s is told of in our words', async (_what, status, text, expected, error) => {
    const node = await startLoopback((_request, response) => void response.writeHead(status).end(text));
    vi.stubEnv('LOCAL_RPC_URL', `${node.url}/v2/${KEY}`);

    const answer = await quote(good);

    expect(answer).toMatchObject({ status: expected, body: failure(error) });
    expect(JSON.stringify(answer)).not.toContain(KEY);
    await node.close();
  });

  it('by not being there is a 502, by not answering a 504', async () => {
    const node = await startLoopback(() => {});
    vi.stubEnv('LOCAL_RPC_URL', node.url);
    vi.stubEnv('UPSTREAM_TIMEOUT_MS', '100');
    await coldStart();

    expect(await quote(good)).toMatchObject({
      status: 504,
      body: failure('The local node timed out: no answer within 0.1 s'),
    });
    await node.close();
    vi.stubEnv('UPSTREAM_TIMEOUT_MS', '10000');
    await coldStart();
    expect(await quote(good)).toMatchObject({
      status: 502,
      body: failure('The local node is unreachable: ECONNREFUSED'),
    });
  });
});
