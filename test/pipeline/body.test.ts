import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { endpoint } from '../../shared/http/endpoint.ts';
import {
  call,
  commonHeaders,
  contextOf,
  eventOf,
  failure,
  refusalHeaders,
  type TestRequest,
} from './event.ts';
import { rpcRoute, swapRoute } from './routes.ts';

const swap = { fromToken: '0xa0', toToken: '0xb1', amount: '1000000000000000000' };

beforeEach(() => vi.stubEnv('X_API_KEY', 'key-of-the-aggregator'));
afterEach(() => vi.unstubAllEnvs());

const handler = () =>
  endpoint(swapRoute, ({ toToken, amount, slippage = 0 }) => ({
    to: toToken,
    data: `0x${slippage * 10}`,
    value: amount,
    gasLimit: '210000',
  }));

const post = (body: unknown, asked: TestRequest = {}) =>
  call(handler(), { method: 'POST', body: JSON.stringify(body), ...asked });

describe('a POST with a JSON body', () => {
  it('returns an unsigned transaction of texts', async () => {
    const answer = await post(swap);

    expect(answer).toEqual({
      status: 200,
      headers: commonHeaders(30),
      body: {
        success: true,
        data: { to: '0xb1', data: '0x5', value: '1000000000000000000', gasLimit: '210000' },
      },
    });
  });

  it('may come in base64', async () => {
    const body = Buffer.from(JSON.stringify({ ...swap, toToken: '0xé' })).toString('base64');

    const answer = await post(undefined, { body, isBase64Encoded: true });

    expect(answer.body).toMatchObject({ data: { to: '0xé' } });
  });

  it('is read beside the path', async () => {
    const answer = await call(
      endpoint(rpcRoute, (input) => input),
      {
        method: 'POST',
        pathParameters: { network: 'base' },
        query: '_=ignored',
        body: '{"method":"eth_call"}',
      },
    );

    expect(answer).toEqual({
      status: 200,
      headers: commonHeaders(10),
      body: { success: true, data: { network: 'base', method: 'eth_call' } },
    });
  });

  it('gets defaults inside its objects, and leaves the event unchanged', async () => {
    const event = eventOf({ method: 'POST', body: JSON.stringify({ ...swap, options: {}, hops: null }) });
    const before = structuredClone(event);
    const echo = endpoint(swapRoute, (input) => ({
      to: '',
      data: JSON.stringify(input),
      value: '',
      gasLimit: '',
    }));

    const answer = await echo(event, contextOf());

    expect(event).toEqual(before);
    const { data } = JSON.parse(answer.body ?? '').data;
    expect(JSON.parse(data)).toEqual({ ...swap, slippage: 0.5, options: { exact: true } });
  });
});

describe('a body that cannot be used', () => {
  const notJson = 'Request body is not valid JSON; send a JSON object, such as {"name":"value"}';
  const notObject = 'Request body must be a JSON object, such as {"name":"value"}';

  it.each([
    ['half of an object', '{"amount":', notJson],
    ['a form', 'amount=1&to=2', notJson],
    ['an array', '[{"amount":"1"}]', notObject],
    ['null', 'null', notObject],
  ])('is refused with what is wrong: %s', async (_what, body, text) => {
    const answer = await post(undefined, { body });

    expect(answer).toEqual({ status: 400, headers: refusalHeaders(30), body: failure(text) });
  });

  it.each([
    ['misspelt', '{"chian":"base","amount":"1"}', '"chian"'],
    ['that every object has', '{"__proto__":{"amount":"1"}}', '"__proto__"'],
    ['that is long', JSON.stringify({ ['x'.repeat(200)]: 1 }), `"${'x'.repeat(80)}"`],
  ])('is refused for a field %s, with those that are known', async (_which, body, shown) => {
    const known = 'fromToken, toToken, amount, slippage, hops, options';
    const answer = await post(undefined, { body });

    expect(answer.body).toEqual(failure(`Unknown field ${shown} in the body; allowed: ${known}`));
    expect(answer.status).toBe(400);
  });

  it('is refused when base64 holds something else', async () => {
    const answer = await post(undefined, { body: JSON.stringify(swap), isBase64Encoded: true });

    expect(answer).toEqual({ status: 400, headers: refusalHeaders(30), body: failure(notJson) });
  });

  it.each([
    ['one byte too many', ' '.repeat(16_385), false],
    ['few characters of many bytes', '€'.repeat(5_462), false],
    ['too large in base64', Buffer.alloc(16_385, 'x').toString('base64'), true],
  ])('is a 413 that says the limit: %s', async (_what, body, isBase64Encoded) => {
    const answer = await post(undefined, { body, isBase64Encoded });

    expect(answer).toEqual({
      status: 413,
      headers: refusalHeaders(30),
      body: failure('Request body too large: the limit is 16384 bytes'),
    });
  });
});

describe('the content type of a body', () => {
  const noType = 'Missing content-type: send a JSON object with the header content-type: application/json';
  const notJson = (given: string) =>
    `Unsupported content-type: ${given}; send a JSON object with the header content-type: application/json`;
  const typed = (type: string) => post(swap, { headers: { 'content-type': type } });

  it.each(['application/json;charset=UTF-8', 'Application/JSON ; profile="x"'])(
    'may have parameters and capitals: %s',
    async (type) => {
      expect((await typed(type)).status).toBe(200);
    },
  );

  it.each(['text/plain', 'multipart/form-data; boundary=application/json', 'application/json,text/plain'])(
    'is a 415 that names what was sent, also with JSON in the body: %s',
    async (type) => {
      expect(await typed(type)).toEqual({
        status: 415,
        headers: refusalHeaders(30),
        body: failure(notJson(type)),
      });
    },
  );

  it('is a 415 if it is missing, because a page can send that without a preflight', async () => {
    const event = eventOf({ method: 'POST', body: JSON.stringify(swap), headers: {} });
    event.headers = {};

    const answer = await handler()(event, contextOf());

    expect([answer.statusCode, JSON.parse(answer.body ?? '')]).toEqual([415, failure(noType)]);
  });
});

describe('a required field of the body', () => {
  it.each([
    ['there is no body', undefined, 'fromToken'],
    ['it is absent', JSON.stringify({ ...swap, toToken: undefined }), 'toToken'],
    ['it is blank', JSON.stringify({ ...swap, amount: ' \n ' }), 'amount'],
    ['it is null', JSON.stringify({ ...swap, amount: null }), 'amount'],
    ['several are missing', JSON.stringify({ slippage: 'x' }), 'fromToken'],
  ])('is named when %s', async (_when, body, name) => {
    expect(await call(handler(), { method: 'POST', ...(body !== undefined && { body }) })).toEqual({
      status: 400,
      headers: refusalHeaders(30),
      body: failure(`Missing required parameter: ${name}`),
    });
  });
});

describe('a malformed field of the body', () => {
  it.each([
    [{ fromToken: 'a0' }, 'Invalid parameter fromToken: "a0"; allowed: a token address'],
    [{ amount: 1 }, 'Invalid parameter amount: 1; allowed: an amount in wei, as a text'],
    [{ toToken: ['0xb1'] }, 'Invalid parameter toToken: ["0xb1"]; allowed: a token address'],
    [{ slippage: 51 }, 'Invalid parameter slippage: 51; allowed: a number from 0 to 50'],
    [{ hops: [1] }, 'Invalid parameter hops: [1]; allowed: a list of addresses'],
    [
      { options: { exact: 'no' } },
      'Invalid parameter options: {"exact":"no"}; allowed: an object of options',
    ],
  ])('is named with what was given and what is allowed: %j', async (change, text) => {
    const answer = await post({ ...swap, ...change });

    expect(answer).toEqual({ status: 400, headers: refusalHeaders(30), body: failure(text) });
  });

  it('is refused like any other when it is nested deeper than JSON.stringify reaches', async () => {
    const deep = `${'['.repeat(8_000)}${']'.repeat(8_000)}`;

    const answer = await post(undefined, { body: JSON.stringify(swap).replace('"0xb1"', deep) });

    expect(answer).toEqual({
      status: 400,
      headers: refusalHeaders(30),
      body: failure('Invalid parameter toToken: a value nested too deeply; allowed: a token address'),
    });
  });
});
