import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { compileResponse } from '../../../shared/http/compile-schemas.ts';
import type { LambdaHandler } from '../../../shared/http/endpoint.ts';
import type { Reply, StandIn } from '../../../shared/http/stand-in.ts';
import { type Answer, call, commonHeaders, failure, refusalHeaders } from '../../../test/pipeline/event.ts';
import { startZerox } from '../stand-in.ts';
import { route } from './route.ts';

const HOLDER = '0x0000000000001fF3684f28c67538d4D072C22734';
const WETH = '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2';
const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const USDT = '0xdAC17F958D2ee523a2206206994597C13D831ec7';
const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE';
const SENDER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const OTHER = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const STRANGER = '0x1231deb6f5749ef6ce6943a275a1d3e7486f4eae';
const ETHER = '1000000000000000000';
const KEY = 'the-key-of-the-stand-in';

const problems = compileResponse(route.response);

let zerox: StandIn;
let handler: LambdaHandler;
/** The requests to 0x before the test. */
let earlier = 0;
const requests = () => zerox.requests.slice(earlier);
beforeAll(async () => {
  zerox = await startZerox();
  stubEnvironment();
  await coldStart();
});
afterAll(() => zerox.close());
beforeEach(() => {
  stubEnvironment();
  zerox.alter((proper) => proper);
  earlier = zerox.requests.length;
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

function stubEnvironment(): void {
  const environment = { NODE_ENV: 'test', UPSTREAM_TIMEOUT_MS: '10000', ...zerox.environment };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
}

async function coldStart(): Promise<void> {
  vi.resetModules();
  ({ handler } = await import('./handler.ts'));
}

const price = { tokenIn: USDC, tokenOut: WETH, amount: '4000000000' };
const order = { ...price, sender: SENDER };
let clients = 0;
/** Requests a quote as a new client each time, because each has a limit. */
function quote(body: object): Promise<Answer> {
  clients += 1;
  const sourceIp = `10.0.${clients >> 8}.${clients & 255}`;
  return call(handler, {
    method: 'POST',
    path: '/api/aggregator/quote',
    body: JSON.stringify(body),
    sourceIp,
  });
}

interface Transaction extends Record<string, unknown> {
  readonly data: string;
}

/** Fails on anything but a 200 that fits the schema. */
function dataOf(answer: Answer): Record<string, unknown> & { transaction: Transaction | null } {
  expect(answer).toMatchObject({ status: 200 });
  const { data } = answer.body as { data: ReturnType<typeof dataOf> }; // checked right here
  expect(problems(data)).toEqual([]);
  return data;
}

type Json = Record<string, unknown>;
/** Makes 0x return a changed response. */
const corrupt = (change: (json: Json) => unknown) =>
  zerox.alter((proper) => ({ ...proper, body: change(structuredClone(proper.body) as Json) }));
const corruptTransaction = (change: Json) =>
  corrupt((json) => ({ ...json, transaction: { ...(json.transaction as Json), ...change } }));
const parametersOf = (index: number) =>
  Object.fromEntries(new URL(requests()[index] ?? '', zerox.environment.ZEROX_BASE_URL).searchParams);

describe('a price', () => {
  beforeEach(coldStart); // prices are cached

  it('is that of 0x, with its fee, route, gas, tokens and block, and without a transaction', async () => {
    const answer = await quote(price);

    expect(answer).toEqual({
      status: 200,
      headers: { ...commonHeaders(30), 'x-data-source': 'simulated' },
      body: {
        success: true,
        data: {
          amountOut: '998500000000000000',
          fee: { amount: '6000000', currency: USDC, tiers: [] },
          route: [
            { source: 'Uniswap_V3', shareBps: 7000, tokenIn: USDC, tokenOut: WETH },
            { source: '0x_RFQ', shareBps: 3000, tokenIn: USDC, tokenOut: WETH },
          ],
          priceImpact: null,
          gasEstimate: '180000',
          gasCost: '360000000000000',
          networkFee: '360000000000000',
          tokens: [
            { address: USDC, symbol: 'USDC', decimals: null, buyTaxBps: 0, sellTaxBps: 0 },
            { address: WETH, symbol: 'WETH', decimals: null, buyTaxBps: 0, sellTaxBps: 0 },
          ],
          router: null,
          spender: HOLDER,
          block: 21_000_000,
          blockHash: null,
          transaction: null,
        },
      },
    });
    dataOf(answer);
    expect(requests()[0]).toMatch(/^\/swap\/allowance-holder\/price\?/);
    expect(parametersOf(0)).toEqual({
      chainId: '1',
      sellToken: USDC,
      buyToken: WETH,
      sellAmount: '4000000000',
    });
  });

  it('has the source 0x unless the server marks it as simulated', async () => {
    zerox.alter((proper) => ({ ...proper, headers: { 'x-data-source': '' } }));

    expect((await quote(price)).headers).toMatchObject({ 'x-data-source': '0x' });
  });

  it.each(['ETH', 'eth', NATIVE, NATIVE.toLowerCase(), `0x${'0'.repeat(40)}`])(
    'of %s is that of the native currency, which needs no approval',
    async (tokenIn) => {
      const data = dataOf(await quote({ tokenIn, tokenOut: USDC, amount: ETHER }));

      expect(data).toMatchObject({ spender: null, fee: { currency: 'ETH' }, gasCost: null });
      expect(data).toMatchObject({ tokens: [{ address: WETH, symbol: 'ETH' }, { address: USDC }] });
      expect(parametersOf(0)).toMatchObject({ sellToken: NATIVE });
    },
  );

  it('includes the taxes of tokens, if 0x knows them', async () => {
    const taxes = { buyTaxBps: '100', sellTaxBps: '300', transferTaxBps: null };
    const unknown = { buyTaxBps: null, sellTaxBps: null, transferTaxBps: null };
    corrupt((json) => ({ ...json, tokenMetadata: { sellToken: taxes, buyToken: unknown } }));

    expect(dataOf(await quote(price))).toMatchObject({
      tokens: [
        { buyTaxBps: 100, sellTaxBps: 300 },
        { buyTaxBps: null, sellTaxBps: null },
      ],
    });
  });

  it('is requested once in three seconds, whatever the number of clients', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    await Promise.all([quote(price), quote(price), quote({ ...price, tokenIn: USDC.toLowerCase() })]);
    await quote(price);
    expect(requests()).toHaveLength(1);

    await quote({ ...price, amount: '4000000001' });
    expect(requests()).toHaveLength(2);

    vi.setSystemTime(Date.now() + 3_001);
    await quote(price);
    expect(requests()).toHaveLength(3);
  });

  it('that failed is requested again', async () => {
    zerox.alter(() => ({ status: 500, body: {} }));
    expect(await quote(price)).toMatchObject({ status: 502 });

    zerox.alter((proper) => proper);
    expect(await quote(price)).toMatchObject({ status: 200 });
  });
});

describe('a firm quote', () => {
  it('has the transaction beside the price', async () => {
    const data = dataOf(
      await quote({ ...order, chain: 'base', tokenIn: 'ETH', tokenOut: USDC, amount: ETHER }),
    );

    expect(data).toMatchObject({ amountOut: '3994000000', gasEstimate: '180000' });
    expect(data.transaction).toEqual({
      to: HOLDER,
      data: expect.stringMatching(/^0x2213bc0b/),
      value: ETHER,
      gasLimit: '180000',
      chainId: 8453,
      from: SENDER,
      recipient: SENDER,
      spender: null,
      minAmountOut: '3974030000',
      summary: `Sell ${ETHER} base units of ETH for at least 3974030000 of ${USDC} to ${SENDER} on base`,
      issues: { allowance: null, balance: null, simulation: null },
    });
    expect(requests()[0]).toMatch(/^\/swap\/allowance-holder\/quote\?/);
    expect(parametersOf(0)).toMatchObject({ chainId: '8453', taker: SENDER, slippageBps: '50' });
    expect(parametersOf(0)).not.toHaveProperty('recipient');
  });

  it('of a token sends no ether, and takes the token through AllowanceHolder', async () => {
    const { transaction } = dataOf(await quote({ ...order, recipient: OTHER, slippageBps: 0 }));

    expect(transaction).toMatchObject({
      value: '0',
      spender: HOLDER,
      recipient: OTHER,
      minAmountOut: '998500000000000000',
    });
    expect(parametersOf(0)).toMatchObject({ recipient: OTHER, slippageBps: '0' });
  });

  it('is never cached', async () => {
    await quote(order);
    await quote(order);

    expect(requests()).toHaveLength(2);
  });

  it('lists what the sender lacks beside the transaction', async () => {
    const issues = {
      allowance: { actual: '7', spender: HOLDER.toLowerCase() },
      balance: { token: USDC.toLowerCase(), actual: '5', expected: '4000000000' },
      simulationIncomplete: true,
      invalidSourcesPassed: [],
    };
    corrupt((json) => ({ ...json, issues, transaction: { ...(json.transaction as Json), gas: null } }));

    expect(dataOf(await quote(order)).transaction).toMatchObject({
      gasLimit: null,
      issues: {
        allowance: { actual: '7', required: '4000000000', spender: HOLDER },
        balance: { token: USDC, actual: '5', required: '4000000000' },
        simulation: '0x could not simulate the whole swap for this sender',
      },
    });
  });

  it.each([
    ['ETH', WETH, '0xd0e30db0', ETHER],
    [WETH, 'ETH', `0x2e1a7d4d${BigInt(ETHER).toString(16).padStart(64, '0')}`, '0'],
  ])('from %s to %s is a call of the wrapped token', async (tokenIn, tokenOut, data, value) => {
    const answer = dataOf(await quote({ ...order, tokenIn, tokenOut, amount: ETHER }));

    expect(answer).toMatchObject({ amountOut: ETHER, spender: null });
    expect(answer.transaction).toMatchObject({ to: WETH, data, value, minAmountOut: ETHER, spender: null });
  });

  it('may have a minimum that 0x has rounded', async () => {
    // From a response of 0x: below 99 percent by a part in 10^22, and rounded.
    const trade = { tokenIn: WETH, tokenOut: USDT, amount: '1', sender: SENDER, slippageBps: 100 };
    corrupt((json) => ({
      ...json,
      buyAmount: '145110588712348756365465945',
      minBuyAmount: '143659482825225268801805400',
    }));

    expect(dataOf(await quote(trade)).transaction).toMatchObject({
      minAmountOut: '143659482825225268801805400',
    });
  });
});

describe('the caller’s own minimum', () => {
  it('is reached with less slippage if the price is good enough', async () => {
    const minAmountOut = '998000000000000000';

    const { transaction } = dataOf(await quote({ ...order, minAmountOut }));

    expect(BigInt(String(transaction?.minAmountOut))).toBeGreaterThanOrEqual(BigInt(minAmountOut));
    expect([0, 1].map((index) => parametersOf(index).slippageBps)).toEqual(['50', '5']);
  });

  it('needs no second request if 0x’s is higher', async () => {
    dataOf(await quote({ ...order, minAmountOut: '990000000000000000' }));

    expect(requests()).toHaveLength(1);
  });

  it('is a 400 with the swap’s output if that is lower', async () => {
    expect(await quote({ ...order, minAmountOut: '998500000000000001' })).toMatchObject({
      status: 400,
      body: failure(
        'Invalid parameter minAmountOut: "998500000000000001"; ' +
          'allowed: at most 998500000000000000, what the swap brings now',
      ),
    });
    expect(requests()).toHaveLength(1);
  });
});

describe('an invalid input', () => {
  const account = 'allowed: an account: funds sent to this address are lost';
  it.each([
    [{ tokenIn: undefined }, 'Missing required parameter: tokenIn'],
    [{ chain: 'sepolia' }, 'Invalid parameter chain: "sepolia"; allowed: mainnet, base, arbitrum'],
    [{ amount: '0' }, 'Invalid parameter amount: "0"; allowed: an integer of base units from 1 to 2^128 - 1'],
    [{ tokenOut: USDC }, `Invalid parameter tokenOut: "${USDC}"; allowed: a token other than tokenIn`],
    [{ recipient: HOLDER }, `Invalid parameter recipient: "${HOLDER}"; ${account}`],
    [{ recipient: WETH }, `Invalid parameter recipient: "${WETH}"; ${account}`],
    [
      { recipient: `0x${'0'.repeat(39)}1` },
      `Invalid parameter recipient: "0x${'0'.repeat(39)}1"; ${account}`,
    ],
    [
      { tokenIn: 'ETH', recipient: OTHER },
      `Invalid parameter recipient: "${OTHER}"; allowed: the sender: ETH is wrapped for whoever pays it`,
    ],
    [
      { sender: undefined, recipient: OTHER },
      `Invalid parameter recipient: "${OTHER}"; allowed: only together with sender: a price alone makes no payment`,
    ],
    [
      { sender: undefined, minAmountOut: '1' },
      'Invalid parameter minAmountOut: "1"; allowed: only together with sender: a price alone makes no payment',
    ],
    [
      { maxPriceImpactBps: 100 },
      'Unknown field "maxPriceImpactBps" in the body; allowed: tokenIn, tokenOut, amount, chain, sender, recipient, ' +
        'slippageBps, minAmountOut',
    ],
  ])('%j is a 400 that names it, without a request to 0x', async (change, text) => {
    expect(await quote({ ...order, ...change })).toEqual({
      status: 400,
      headers: refusalHeaders(30),
      body: failure(text),
    });
    expect(requests()).toEqual([]);
  });
});

describe('a refusal of 0x', () => {
  const refusing = (status: number, name: string, data: object = {}) =>
    zerox.alter(() => ({ status, body: { name, message: `${KEY} wrote this`, data } }));
  const invalid = (...names: string[]) => ({ details: names.map((field) => ({ field, reason: 'Invalid' })) });

  it('without liquidity is a 404', async () => {
    expect(await quote({ ...price, tokenOut: STRANGER })).toMatchObject({
      status: 404,
      body: failure(
        `0x finds no liquidity for this amount from ${USDC} to 0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE on mainnet`,
      ),
    });
  });

  it.each([
    [
      400,
      'INPUT_INVALID',
      invalid('sellAmount', 'taker'),
      400,
      '0x refuses the swap: it cannot use amount, sender',
    ],
    [400, 'INPUT_INVALID', invalid('sellAmount', 'chainId'), 502, '0x answered 400'],
    [400, 'INPUT_INVALID', {}, 502, '0x answered 400'],
    [
      400,
      'TOKEN_NOT_SUPPORTED',
      {},
      400,
      '0x refuses the swap: it does not know tokenIn or tokenOut on this chain',
    ],
    [400, 'SWAP_VALIDATION_FAILED', {}, 400, '0x refuses the swap: the swap failed in 0x’s simulation'],
    [
      403,
      'TAKER_NOT_AUTHORIZED_FOR_TRADE',
      {},
      400,
      '0x refuses the swap: it does not trade with this sender',
    ],
    [422, 'BUY_TOKEN_NOT_AUTHORIZED_FOR_TRADE', {}, 400, '0x refuses the swap: it does not sell tokenOut'],
    [400, 'SOMETHING_NEW', {}, 502, '0x answered 400'],
    [400, 'constructor', {}, 502, '0x answered 400'],
    [400, 'INPUT_INVALID', invalid('sellAmount', 'toString'), 502, '0x answered 400'],
    [401, 'USER_NOT_AUTHORIZED', {}, 502, '0x refuses the key of this service (401)'],
    [403, '', {}, 502, '0x refuses the key of this service (403)'],
    [206, '', {}, 502, '0x answered 206'],
    [404, 'NOT_FOUND', {}, 502, '0x answered 404'],
    [500, 'INTERNAL_SERVER_ERROR', {}, 502, '0x answered 500'],
    [503, '', {}, 502, '0x answered 503'],
  ])('%i %s %j is a %i in our own words', async (status, name, data, expected, text) => {
    refusing(status, name, data);

    const answer = await quote(order);

    expect(answer).toMatchObject({ status: expected, body: failure(text) });
    expect(JSON.stringify(answer)).not.toContain(KEY);
  });

  it.each([
    [{}, '1'],
    [{ 'retry-after': '7' }, '7'],
    [{ 'retry-after': '999999' }, '3600'],
    [{ 'retry-after': 'soon' }, '1'],
  ])('at its limit, with %j, says when to try again', async (headers, seconds) => {
    zerox.alter(() => ({ status: 429, body: { message: 'Rate limit exceeded' }, headers }) as Reply);

    expect(await quote(order)).toMatchObject({
      status: 429,
      headers: { 'retry-after': seconds },
      body: failure(`Rate limit exceeded: the limit of 0x; try again in ${seconds} s`),
    });
  });

  it('of our key increments the count of the alarm', async () => {
    vi.stubEnv('ZEROX_API_KEY', 'a-key-that-was-revoked');
    const { takeMetrics } = await import('../../../shared/platform/metrics.ts');
    takeMetrics('n');

    const answer = await quote(order);

    expect(answer).toMatchObject({ status: 502, body: failure('0x refuses the key of this service (401)') });
    expect(JSON.parse(takeMetrics('n') ?? '{}')).toMatchObject({ ZeroxAsked: 1, ZeroxKeyRefused: 1 });
  });

  it('never happens without a key, which is a wrong configuration', async () => {
    vi.stubEnv('ZEROX_API_KEY', '');

    expect(await quote(order)).toMatchObject({ status: 500, body: failure('Server configuration error') });
    expect(requests()).toEqual([]);
  });
});

describe('a response that does not match the request', () => {
  const unusable = (text: string) => ({
    status: 502,
    body: failure(`0x gave an unusable answer: ${text}`),
  });

  it.each<[string, (json: Json) => unknown, string]>([
    ['another token sold', (json) => ({ ...json, sellToken: STRANGER }), 'sellToken does not match'],
    ['another token bought', (json) => ({ ...json, buyToken: STRANGER }), 'buyToken does not match'],
    ['another amount', (json) => ({ ...json, sellAmount: '4000000001' }), 'it is for another amount'],
    [
      'less of the amount than its fee explains',
      (json) => ({ ...json, sellAmount: '1' }),
      'it is for another amount',
    ],
    ['another chain', (json) => ({ ...json, chainId: 8453 }), 'it is for another chain'],
    ['nothing for it', (json) => ({ ...json, buyAmount: '0' }), 'its output is zero'],
    ['no minimum', (json) => ({ ...json, minBuyAmount: '0' }), 'its output is zero'],
    ['a negative amount', (json) => ({ ...json, buyAmount: '-1' }), 'buyAmount is not a whole number'],
    ['a fraction', (json) => ({ ...json, buyAmount: '1.5' }), 'buyAmount is not a whole number'],
    [
      'a minimum above the amount',
      (json) => ({ ...json, minBuyAmount: '998500000000000001' }),
      'minBuyAmount is more than buyAmount',
    ],
    [
      'a minimum below the slippage',
      (json) => ({ ...json, minBuyAmount: '993500000000000000' }),
      'minBuyAmount is below what the slippage allows',
    ],
    [
      'another spender',
      (json) => ({ ...json, allowanceTarget: STRANGER }),
      'it names a spender that is not AllowanceHolder',
    ],
    [
      'another spender among the issues',
      (json) => ({
        ...json,
        issues: { ...(json.issues as Json), allowance: { actual: '0', spender: STRANGER } },
      }),
      'it names a spender that is not AllowanceHolder',
    ],
    [
      'a tax of more than everything',
      (json) => ({
        ...json,
        tokenMetadata: { sellToken: { buyTaxBps: '10001', sellTaxBps: null }, buyToken: {} },
      }),
      'buyTaxBps exceeds its maximum',
    ],
    [
      'a block that no chain reaches',
      (json) => ({ ...json, blockNumber: '9'.repeat(20) }),
      'blockNumber exceeds its maximum',
    ],
    [
      'a part that is more than the whole',
      ({ route, ...json }) => {
        const { fills, tokens } = route as { fills: Json[]; tokens: Json[] };
        return { ...json, route: { fills: [{ ...fills[0], proportionBps: '10001' }], tokens } };
      },
      'proportionBps exceeds its maximum',
    ],
    [
      'nothing of liquidity',
      ({ liquidityAvailable, ...json }) => json,
      'liquidityAvailable is neither true nor false',
    ],
    ['no transaction', ({ transaction, ...json }) => json, 'transaction is not an object'],
    ['a list', () => [], 'the answer is not an object'],
    ['null', () => null, 'the answer is not an object'],
    ['HTML', () => '<html>', 'broken JSON'],
    ['an empty text', () => '', 'broken JSON'],
  ])('with %s is a 502', async (_what, change, text) => {
    corrupt(change);

    expect(await quote(order)).toMatchObject(unusable(text));
  });

  const word = (hex: string) => hex.padStart(64, '0');
  const exec = (token: string, amount: bigint, selector = '0x2213bc0b') =>
    selector +
    [STRANGER.slice(2), token.slice(2), amount.toString(16), STRANGER.slice(2)]
      .map(word)
      .join('')
      .toLowerCase();

  it.each([
    ['another contract', { to: STRANGER }, 'the transaction calls another contract'],
    ['the token itself', { to: USDC }, 'the transaction calls another contract'],
    ['a value of ether for a sold token', { value: '1' }, 'value is not what the swap takes'],
    ['no calldata', { data: '0x' }, 'the calldata is not hexadecimal'],
    ['words for calldata', { data: 'swap, please' }, 'the calldata is not hexadecimal'],
    ['half a byte', { data: `${exec(USDC, 1n)}0` }, 'the calldata is not hexadecimal'],
    ['another function', { data: exec(USDC, 1n, '0x095ea7b3') }, "the calldata is not AllowanceHolder's"],
    ['half of its arguments', { data: exec(USDC, 1n).slice(0, 100) }, 'the calldata is cut off'],
    ['another token to take', { data: exec(USDT, 1n) }, 'the calldata takes another token, or more of it'],
    [
      'more of the token to take',
      { data: exec(USDC, 4_000_000_001n) },
      'the calldata takes another token, or more of it',
    ],
  ])('whose transaction has %s is a 502', async (_what, change, text) => {
    corruptTransaction(change);

    expect(await quote(order)).toMatchObject(unusable(text));
  });

  it.each([
    [
      'a token that was approved before',
      exec(USDT, 1n),
      ETHER,
      'the calldata takes another token, or more of it',
    ],
    ['less ether than is sold', exec(NATIVE, 1n), '999999999999999999', 'value is not what the swap takes'],
  ])('that takes %s for ether is a 502', async (_what, data, value, text) => {
    corruptTransaction({ data, value });

    expect(await quote({ ...order, tokenIn: 'ETH', tokenOut: USDC, amount: ETHER })).toMatchObject(
      unusable(text),
    );
  });

  it('that wraps another amount, or not one to one, is a 502', async () => {
    const unwrap = { ...order, tokenIn: WETH, tokenOut: 'ETH', amount: ETHER };
    corruptTransaction({ data: `0x2e1a7d4d${word('1')}` });
    expect(await quote(unwrap)).toMatchObject(unusable('the calldata does not wrap this amount'));

    corrupt((json) => ({ ...json, buyAmount: '1', minBuyAmount: '1' }));
    expect(await quote(unwrap)).toMatchObject(unusable('wrapping is not one to one'));
  });

  it('has token names shortened to one line', async () => {
    corrupt((json) => {
      const { fills, tokens } = json.route as { fills: Json[]; tokens: Json[] };
      const named = tokens.map((token) => ({ ...token, symbol: `USD\n\u202e\u2028${'x'.repeat(100)}` }));
      return { ...json, route: { fills, tokens: named } };
    });

    expect(dataOf(await quote(order))).toMatchObject({ tokens: [{ symbol: `USD ${'x'.repeat(36)}` }, {}] });
  });
});

describe('if 0x is unreachable', () => {
  beforeEach(coldStart);

  it('within the time limit, the response is a 504', async () => {
    vi.stubEnv('UPSTREAM_TIMEOUT_MS', '100');
    await coldStart();
    zerox.alter((proper) => new Promise((resolve) => setTimeout(resolve, 300, proper)));

    expect(await quote(order)).toMatchObject({
      status: 504,
      body: failure('0x timed out: no answer within 0.1 s'),
    });
  });

  it('at all, it is a 502', async () => {
    vi.stubEnv('ZEROX_BASE_URL', 'http://127.0.0.1:1');
    await coldStart();

    expect(await quote(order)).toMatchObject({
      status: 502,
      body: failure('0x is unreachable: ECONNREFUSED'),
    });
  });

  it('a redirect is not followed, so that our key reaches no other host', async () => {
    zerox.alter(() => ({ status: 302, body: '', headers: { location: '/elsewhere' } }));

    expect(await quote(order)).toMatchObject({ status: 502, body: failure('0x answered 302') });
    expect(requests()).toHaveLength(1);
  });
});
