import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { endpoint, type LambdaHandler } from '../../shared/http/endpoint.ts';
import { call, commonHeaders, failure, keyed, refusalHeaders, type TestRequest } from './event.ts';
import { coinsRoute, pingRoute, rpcRoute, swapRoute } from './routes.ts';

const rpc: TestRequest = {
  method: 'POST',
  pathParameters: { network: 'base' },
  body: '{"method":"eth_call"}',
};
const swap: TestRequest = { method: 'POST', body: '{"fromToken":"0xa","toToken":"0xb","amount":"1"}' };
const transaction = { to: '', data: '', value: '', gasLimit: '' };

const ping = () => endpoint(pingRoute, () => 'pong');

async function callTimes(times: number, handler: LambdaHandler, asked: TestRequest = {}) {
  for (let count = 1; count < times; count += 1) await call(handler, asked);
  return call(handler, asked);
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 1) });
  vi.stubEnv('X_API_KEY', 'secret');
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

describe('the presets', () => {
  it.each<[string, number, () => LambdaHandler, TestRequest]>([
    ['read', 100, ping, {}],
    ['quote', 30, () => endpoint(swapRoute, () => transaction), swap],
    ['proxy', 10, () => endpoint(rpcRoute, () => 'result'), rpc],
  ])('%s allows %i requests a minute and refuses the next', async (_preset, limit, make, asked) => {
    const handler = make();

    const last = await callTimes(limit, handler, asked);
    const refused = await call(handler, asked);

    expect(last).toMatchObject({ status: 200, headers: commonHeaders(limit, 0) });
    expect(refused).toEqual({
      status: 429,
      headers: { ...refusalHeaders(limit, 0), 'retry-after': '60' },
      body: failure(`Rate limit exceeded: this client's, ${limit} requests a minute; try again in 60 s`),
    });
  });
});

describe('a window', () => {
  it('ends 60 s after the first request of the client', async () => {
    const handler = ping();
    await callTimes(100, handler);

    vi.setSystemTime(Date.UTC(2026, 0, 1, 0, 0, 59, 999));
    const inside = await call(handler);
    vi.setSystemTime(Date.UTC(2026, 0, 1, 0, 1));
    const after = await call(handler);

    expect(inside).toMatchObject({
      status: 429,
      headers: { 'retry-after': '1', 'ratelimit-reset': '1', 'ratelimit-remaining': '0' },
    });
    expect(after).toMatchObject({ status: 200, headers: commonHeaders(100, 99, 60) });
  });
});

describe('the order authentication, rate limit, validation', () => {
  const bad: TestRequest = { query: 'limit=0', pathParameters: { chain: 'base', id: 'x' } };
  const badWithKey: TestRequest = { ...bad, headers: { 'x-api-key': 'right' } };
  const coins = () => endpoint(coinsRoute, () => null);

  beforeEach(() => {
    vi.stubEnv('NODE_ENV', 'production');
    vi.stubEnv('CLIENT_API_KEY', 'right');
  });

  it('answers 401 to a wrong key with bad input, and does not count it', async () => {
    const handler = coins();

    const refused = await callTimes(200, handler, { ...bad, headers: { 'x-api-key': 'wrong' } });
    const first = await call(handler, badWithKey);

    expect(refused).toEqual({
      status: 401,
      headers: { ...refusalHeaders(100, 100), ...keyed },
      body: failure('Unauthorized'),
    });
    expect(first).toEqual({
      status: 400,
      headers: { ...refusalHeaders(100, 99), ...keyed },
      body: failure('Missing parameter: q'),
    });
  });

  it('counts requests with bad input, and answers 429 to the 101st of them', async () => {
    const handler = coins();

    const last = await callTimes(100, handler, badWithKey);
    const refused = await call(handler, badWithKey);

    expect(last).toMatchObject({ status: 400, headers: { ...refusalHeaders(100, 0), ...keyed } });
    expect(refused).toEqual({
      status: 429,
      headers: { ...refusalHeaders(100, 0), ...keyed, 'retry-after': '60' },
      body: failure("Rate limit exceeded: this client's, 100 requests a minute; try again in 60 s"),
    });
  });
});
