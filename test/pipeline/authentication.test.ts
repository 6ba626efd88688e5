import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { endpoint } from '../../shared/http/endpoint.ts';
import { call, commonHeaders, failure, refusalHeaders } from './event.ts';
import { pingRoute } from './routes.ts';

const KEY = 'a-key-of-some-length';
const unauthorized = {
  status: 401,
  headers: refusalHeaders(100, 100),
  body: failure('Unauthorized'),
};

const handle = vi.fn(() => 'pong');
const handler = () => endpoint(pingRoute, handle);

beforeEach(() => {
  handle.mockClear();
  vi.stubEnv('NODE_ENV', 'production');
  vi.stubEnv('CLIENT_API_KEY', KEY);
});
afterEach(() => vi.unstubAllEnvs());

describe('in production', () => {
  it.each(['x-api-key', 'X-API-KEY', 'X-Api-Key', 'x-API-key'])('lets the key pass in %s', async (name) => {
    const answer = await call(handler(), { headers: { host: 'x', [name]: KEY } });

    expect(answer).toEqual({
      status: 200,
      headers: commonHeaders(100),
      body: { success: true, data: 'pong' },
    });
  });

  it.each<[string, Record<string, string>]>([
    ['no key', {}],
    ['an empty key', { 'x-api-key': '' }],
    ['a wrong key of the same length', { 'x-api-key': 'b-key-of-some-length' }],
    ['the beginning of the key', { 'x-api-key': KEY.slice(0, -1) }],
    ['the key and more', { 'x-api-key': `${KEY}x` }],
    ['the key in another case', { 'x-api-key': KEY.toUpperCase() }],
    ['the key with blanks around it', { 'x-api-key': ` ${KEY} ` }],
    ['the key twice, as API Gateway joins repeated headers', { 'x-api-key': `${KEY},${KEY}` }],
    ['the key under two spellings of the name', { 'x-api-key': KEY, 'X-Api-Key': KEY }],
    ['the key beside a wrong one', { 'x-api-key': 'wrong', 'X-API-KEY': KEY }],
    ['the key in another header', { authorization: KEY, 'x-api-keys': KEY, api_key: KEY }],
  ])('refuses %s', async (_what, headers) => {
    const answer = await call(handler(), { headers });

    expect(answer).toEqual(unauthorized);
    expect(handle).not.toHaveBeenCalled();
  });

  it.each([
    ['not set', undefined],
    ['empty', ''],
  ])('answers 500 to every caller while CLIENT_API_KEY is %s', async (_how, key) => {
    vi.stubEnv('CLIENT_API_KEY', key);

    for (const given of [undefined, '', 'undefined', KEY]) {
      const headers: Record<string, string> = given === undefined ? {} : { 'x-api-key': given };
      expect(await call(handler(), { headers })).toEqual({
        status: 500,
        headers: refusalHeaders(100, 100),
        body: failure('Server configuration error'),
      });
    }
    expect(handle).not.toHaveBeenCalled();
  });
});

describe('outside production', () => {
  it.each(['development', 'test', '', undefined])(
    'lets everybody pass where NODE_ENV is %j',
    async (name) => {
      vi.stubEnv('NODE_ENV', name);
      vi.stubEnv('CLIENT_API_KEY', undefined);

      const answer = await call(handler(), { headers: { 'x-api-key': 'wrong' } });

      expect(answer).toMatchObject({ status: 200, body: { success: true, data: 'pong' } });
    },
  );
});
