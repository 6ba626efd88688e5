import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { endpoint } from '../../shared/http/endpoint.ts';
import { ApiError } from '../../shared/http/errors.ts';
import { call, endingIn, failure } from './event.ts';
import { pingRoute, swapRoute } from './routes.ts';

const SECRET = 'sk-live-a-key-of-its-own';
const ADDRESS = '0x52908400098527886e0f7030069857d2e4169ee7';
const headers = { 'x-api-key': 'client' };
const swap = JSON.stringify({ fromToken: ADDRESS, toToken: '0xb', amount: '1' });

/** What a test writes to stdout and stderr. */
const written: string[] = [];
const lines = () => written.map((line) => JSON.parse(line));

beforeEach(() => {
  written.length = 0;
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, 'write').mockImplementation((chunk) => {
      written.push(String(chunk));
      return true;
    });
  vi.stubEnv('NODE_ENV', 'production');
  vi.stubEnv('METRICS', 'off');
  vi.stubEnv('CLIENT_API_KEY', 'client');
  vi.stubEnv('X_API_KEY', SECRET);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

function fail(thrown: unknown, body = swap) {
  const handler = endpoint(swapRoute, () => {
    throw thrown;
  });
  return call(handler, { method: 'POST', body, headers });
}

describe('the texts of failures in production', () => {
  it('are written before the function’s own time-out ends a request that took too long', async () => {
    vi.stubEnv('ERROR_TEXTS', 'on');
    const context = endingIn(400);
    const { status } = await call(
      endpoint(pingRoute, () => new Promise(() => {})),
      { headers },
      context,
    );

    expect(context.getRemainingTimeInMillis()).toBeGreaterThan(50);
    expect(status).toBe(504);
    expect(lines()).toEqual([
      expect.objectContaining({ message: expect.stringContaining('took longer'), status: 504 }),
    ]);
  });

  it('are written nowhere unless ERROR_TEXTS is on', async () => {
    await fail(new ApiError(502, 'The node answered 500'));

    expect(written).toEqual([]);
  });

  it('are one line with status, route and request if it is, without secrets and what the caller wrote', async () => {
    vi.stubEnv('ERROR_TEXTS', 'on');
    await fail(new ApiError(502, `The node refused ${SECRET} for ${ADDRESS}`, { cause: `at ${ADDRESS}` }));

    expect(lines()).toEqual([
      expect.objectContaining({
        message: 'The node refused [redacted] for [redacted]',
        cause: 'at [redacted]',
        service: 'test/swap',
        status: 502,
        requestId: 'request',
      }),
    ]);
  });

  it.each([
    ['a fault of ours', new TypeError(`x is not a function, for ${ADDRESS}`), { error: 'TypeError' }],
    [
      'a service of AWS',
      Object.assign(new Error(`may not read ${SECRET}`), { name: 'AccessDeniedException' }),
      { error: 'AccessDeniedException' },
    ],
    [
      'a cause with a code',
      new Error('fetch failed', { cause: Object.assign(new Error(ADDRESS), { code: 'ECONNRESET' }) }),
      { error: 'Error', code: 'ECONNRESET' },
    ],
    ['a setting', ApiError.serverConfiguration(`${SECRET} is none`), { error: 'ConfigurationError' }],
    ['what is no error', ADDRESS, { error: 'ApiError' }],
    [
      'names that hold texts',
      Object.assign(new Error('x'), { name: `Error of ${ADDRESS}`, code: `for ${SECRET}` }),
      { error: 'Error' },
    ],
  ])('of a 500 are its class and its code alone, always: %s', async (_, thrown, expected) => {
    await fail(thrown);

    expect(lines()).toEqual([
      { level: 'ERROR', service: 'test/swap', status: 500, requestId: 'request', ...expected },
    ]);
  });

  it('name every setting that cannot be used, which the caller does not learn', async () => {
    vi.stubEnv('ERROR_TEXTS', 'on');
    vi.stubEnv('UPSTREAM_TIMEOUT_MS', 'abc');
    vi.stubEnv('CANDLE_SOURCES', 'coinbase,bitfinex');
    vi.resetModules(); // a container of its own, with this environment
    const { endpoint } = await import('../../shared/http/endpoint.ts');

    const answer = await call(
      endpoint(pingRoute, () => ''),
      { headers },
    );

    expect(answer).toMatchObject({ status: 500, body: failure('Server configuration error') });
    expect(lines().map(({ cause }) => cause)).toEqual([
      expect.stringMatching(/ {2}CANDLE_SOURCES=".+\n {2}UPSTREAM_TIMEOUT_MS="abc" must be /),
    ]);
  });
});

describe('the log', () => {
  it.each(['test', undefined])('is silent where NODE_ENV is %s', async (name) => {
    vi.stubEnv('NODE_ENV', name);

    await fail(new Error('boom'));

    expect(written).toEqual([]);
  });

  it('has the message without the stack in development', async () => {
    vi.stubEnv('NODE_ENV', 'development');

    await fail(new TypeError('the pool is empty'));

    expect(lines()).toEqual([
      {
        level: 'ERROR',
        message: 'the pool is empty',
        timestamp: expect.any(String),
        service: 'test/swap',
        sampling_rate: 0,
        status: 500,
        requestId: 'request',
        error: 'TypeError',
      },
    ]);
    expect(written.join()).not.toMatch(/log\.test|stack/);
  });

  it('names in development what the caller does not learn, and leaves out what the caller did wrong', async () => {
    vi.stubEnv('NODE_ENV', 'development');
    await fail(new Error('x'), '{"fromToken":"private"}');
    await fail(ApiError.notFound('Unknown coin id: x'));
    expect(written).toEqual([]);

    vi.stubEnv('X_API_KEY', undefined);
    await fail('never');
    const cause = 'The secret X_API_KEY is not set';
    expect(lines()).toMatchObject([{ message: 'Server configuration error', cause }]);
  });

  it('and the response never hold the secret', async () => {
    vi.stubEnv('NODE_ENV', 'development');
    const thrown = new ApiError(502, `message ${SECRET}`, { cause: new Error(`cause ${SECRET}`) });
    const { body } = await fail(thrown);

    expect(body).toEqual(failure('message [redacted]'));
    expect(written.join('').match(/\[redacted\]/g)).toHaveLength(2);
    expect(written.join('')).not.toContain(SECRET);
  });
});
