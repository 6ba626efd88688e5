import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { endpoint } from '../../shared/http/endpoint.ts';
import { ApiError } from '../../shared/http/errors.ts';
import { call, failure } from './event.ts';
import { swapRoute } from './routes.ts';
import { useWritten } from './written.ts';

const SECRET = 'sk-live-a-key-of-its-own';
const ADDRESS = '0x52908400098527886e0f7030069857d2e4169ee7';
const asked = { method: 'POST', body: JSON.stringify({ fromToken: ADDRESS, toToken: '0xb', amount: '1' }) };

const written = useWritten();

beforeEach(() => {
  vi.stubEnv('NODE_ENV', 'production');
  vi.stubEnv('METRICS', 'off');
  vi.stubEnv('CLIENT_API_KEY', 'client');
  vi.stubEnv('X_API_KEY', SECRET);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

function fail(thrown: unknown) {
  const handler = endpoint(swapRoute, () => {
    throw thrown;
  });
  return call(handler, { ...asked, headers: { 'x-api-key': 'client' } });
}

describe('the texts of failures in production', () => {
  it('are written nowhere unless asked for', async () => {
    await fail(new ApiError(502, 'The node answered 500'));

    expect(written).toEqual([]);
  });

  it('are one line with status, route and request if asked for, without secrets and what the caller wrote', async () => {
    vi.stubEnv('ERROR_TEXTS', 'on');
    await fail(new ApiError(502, `The node refused ${SECRET} for ${ADDRESS}`, { cause: `at ${ADDRESS}` }));

    expect(written.map((line) => JSON.parse(line))).toEqual([
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

    expect(written.map((line) => JSON.parse(line))).toEqual([
      { level: 'ERROR', service: 'test/swap', status: 500, requestId: 'request', ...expected },
    ]);
    expect(written.join()).not.toContain(ADDRESS);
    expect(written.join()).not.toContain(SECRET);
  });

  it('name every setting that cannot be used, which the caller does not learn', async () => {
    vi.stubEnv('ERROR_TEXTS', 'on');
    vi.stubEnv('UPSTREAM_TIMEOUT_MS', 'abc');
    vi.stubEnv('CANDLE_SOURCES', 'coinbase,bitfinex');
    vi.resetModules(); // a container of its own, with this environment
    const { endpoint } = await import('../../shared/http/endpoint.ts');
    const handler = endpoint(swapRoute, () => ({ to: '', data: '', value: '', gasLimit: '' }));

    const answer = await call(handler, { ...asked, headers: { 'x-api-key': 'client' } });

    expect(answer).toMatchObject({ status: 500, body: failure('Server configuration error') });
    expect(written.map((line) => JSON.parse(line).cause)).toEqual([
      expect.stringMatching(/ {2}CANDLE_SOURCES=".+\n {2}UPSTREAM_TIMEOUT_MS="abc" must be /),
    ]);
  });
});
