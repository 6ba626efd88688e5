import { afterEach, describe, expect, it, vi } from 'vitest';
import { endpoint } from '../../shared/http/endpoint.ts';
import { call, commonHeaders, failure, keyed, refusalHeaders } from './event.ts';
import { pingRoute } from './routes.ts';

const KEY = 'a-key-of-some-length';
type Environment = Readonly<Record<string, string | undefined>>;
const production: Environment = { NODE_ENV: 'production', CLIENT_API_KEY: KEY };

const answers = {
  200: { status: 200, headers: commonHeaders(100), body: { success: true, data: 'pong' } },
  401: { status: 401, headers: refusalHeaders(100, 100), body: failure('Unauthorized') },
  500: { status: 500, headers: refusalHeaders(100, 100), body: failure('Server configuration error') },
};

afterEach(() => vi.unstubAllEnvs());

const inProduction = {
  ...answers,
  200: { ...answers[200], headers: { ...commonHeaders(100), ...keyed } },
  401: { ...answers[401], headers: { ...refusalHeaders(100, 100), ...keyed } },
};

async function expectAnswer(
  status: keyof typeof answers,
  environment: Environment,
  headers: Record<string, string>,
): Promise<void> {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const handle = vi.fn(() => 'pong');

  const expected = environment.NODE_ENV === 'production' ? inProduction : answers;
  expect(await call(endpoint(pingRoute, handle), { headers, query: `_x-api-key=${KEY}` })).toEqual(
    expected[status],
  );
  expect(handle).toHaveBeenCalledTimes(status === 200 ? 1 : 0);
}

describe('in production', () => {
  it.each(['x-api-key', 'X-API-KEY', 'X-Api-Key', 'x-API-key'])('the key is taken from %s', (name) =>
    expectAnswer(200, production, { host: 'x', [name]: KEY }),
  );

  it.each<[string, Record<string, string>]>([
    ['no key but in the query', {}],
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
  ])('%s is refused', (_what, headers) => expectAnswer(401, production, headers));

  it.each([
    ['not set', undefined],
    ['empty', ''],
  ])('no caller gets in while CLIENT_API_KEY is %s', async (_how, key) => {
    for (const given of ['', 'undefined', KEY])
      await expectAnswer(500, { ...production, CLIENT_API_KEY: key }, { 'x-api-key': given });
  });
});

it.each(['development', 'test', '', undefined])('no key is needed where NODE_ENV is %j', (name) =>
  expectAnswer(200, { NODE_ENV: name, CLIENT_API_KEY: undefined }, { 'x-api-key': 'wrong' }),
);
