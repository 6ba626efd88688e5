import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { type SimulatedSource, startSimulated } from '../../../local/simulated/index.ts';
import { buildRegistry, writeRegistry } from '../../../registry-layer/build.ts';
import { publicFor } from '../../../shared/http/cache-control.ts';
import { compileResponse } from '../../../shared/http/compile-schemas.ts';
import type { LambdaHandler } from '../../../shared/http/endpoint.ts';
import { type Asked, call, commonHeaders, failure, refusalHeaders } from '../../../test/pipeline/event.ts';
import { route } from './route.ts';

const NOW = Date.UTC(2026, 8, 18, 4, 10, 30);
/** The simulated provider makes a ticker at each full minute. */
const MADE_AT = '2026-09-18T04:10:00.000Z';
const problems = compileResponse(route.response);

let provider: SimulatedSource;
let handler: LambdaHandler;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  provider = (await startSimulated()).provider;
  vi.stubEnv('NODE_ENV', 'test');
  vi.stubEnv('COINPAPRIKA_BASE_URL', provider.url);
  vi.stubEnv('COINPAPRIKA_API_KEY', undefined);
  vi.stubEnv('UPSTREAM_TIMEOUT_MS', '10000');
  vi.stubEnv('TICKER_FRESH_SECONDS', '60');
  vi.stubEnv('STALE_WAIT_MS', '10000');
  vi.resetModules(); // a cold start
  ({ handler } = await import('./handler.ts'));
});
afterEach(async () => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  await provider.close();
});

const ticker = (id = 'btc-bitcoin', asked: Asked = {}) =>
  call(handler, { path: `/api/marketdata/ticker/${id}`, pathParameters: { id }, ...asked });

/** The provider's own answer, past the service. */
async function upstream(id: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${provider.url}/tickers/${encodeURIComponent(id)}`);
  provider.calls.reset();
  return response.json() as Promise<Record<string, unknown>>; // an object: the test server is ours
}

describe('the ticker of a coin', () => {
  it('is what the provider says, null where it says nothing, with where it comes from and when it was made', async () => {
    const expected = await upstream('btc-bitcoin');

    const answer = await ticker();

    expect(answer).toEqual({
      status: 200,
      headers: {
        ...commonHeaders(100),
        'x-data-source': 'simulated',
        'x-data-quality': 'exact',
        'x-data-time': MADE_AT,
        'cache-control': 'public, max-age=60, must-revalidate, stale-if-error=0',
      },
      body: { success: true, data: { ...expected, circulating_supply: null, sources: null } },
    });
    expect(problems(expected)).not.toEqual([]); // the free plan has no circulating supply
  });

  it('comes from the cache for a minute, made when it was, and then anew', async () => {
    const first = await ticker();
    vi.setSystemTime(NOW + 59_000);
    const second = await ticker();
    expect(provider.calls.total).toBe(1);
    vi.setSystemTime(NOW + 60_000);
    const third = await ticker();

    expect(second.headers).toEqual({
      ...first.headers,
      'ratelimit-remaining': '98',
      'ratelimit-reset': '1',
      'cache-control': publicFor(1),
    });
    expect(second.body).toEqual(first.body);
    expect(third.headers).toMatchObject({
      'x-data-time': '2026-09-18T04:11:00.000Z',
      'cache-control': publicFor(60),
    });
    expect(third.body).not.toEqual(first.body);
    expect(provider.calls.total).toBe(2);
  });

  it.each(['xch-chia-', '-doggotothemoon', 'mobilecoin', 'bork-bork-SOL', 'toto-totoro-inu-?', '战旗-战旗'])(
    'is found by the odd id %s, decoded or not',
    async (id) => {
      const decoded = await ticker(id);
      const encoded = await ticker(encodeURIComponent(id));

      expect(decoded).toMatchObject({ status: 200, body: { data: { id } } });
      expect(encoded.body).toEqual(decoded.body);
      expect(provider.calls.total).toBe(1);
    },
  );
});

describe('a refusal', () => {
  it('is a 404 that names an unknown coin, asked for once a minute', async () => {
    const expected = {
      status: 404,
      headers: refusalHeaders(100),
      body: failure('Unknown coin id: no-coin'),
    };

    expect(await ticker('no-coin')).toEqual(expected);
    expect(await ticker('no-coin')).toEqual({ ...expected, headers: refusalHeaders(100, 98) });
    expect(provider.calls.total).toBe(1);
  });

  it('is a 400 where the id is missing or blank', async () => {
    const expected = { status: 400, body: failure('Missing parameter: id') };

    expect(await call(handler, {})).toMatchObject(expected);
    expect(await ticker(' ')).toMatchObject(expected);
    expect(provider.calls.total).toBe(0);
  });

  it('is a 400 where the id is longer than any', async () => {
    const answer = await ticker('x'.repeat(201));

    expect(answer).toMatchObject({
      status: 400,
      body: failure(`Invalid parameter id: "${'x'.repeat(79)}…; allowed: a coin id such as btc-bitcoin`),
    });
  });

  it('is a 401 in production without the key, and costs no request upstream', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    vi.stubEnv('CLIENT_API_KEY', 'right');

    expect(await ticker()).toEqual({
      status: 401,
      headers: refusalHeaders(100, 100),
      body: failure('Unauthorized'),
    });
    expect(await ticker('btc-bitcoin', { headers: { 'X-API-Key': 'right' } })).toMatchObject({ status: 200 });
    expect(provider.calls.total).toBe(1);
  });
});

describe('a provider that fails', () => {
  it.each([
    ['status=500', 502, 'CoinPaprika answered 500: Internal Server Error'],
    ['status=503', 502, 'CoinPaprika answered 503: Service Unavailable'],
    ['hang', 504, 'CoinPaprika timed out: no answer within 1 s'],
    ['garbage', 502, 'CoinPaprika gave an unusable answer: broken JSON'],
    ['html', 502, 'CoinPaprika answered 403'],
    ['html=200', 502, 'CoinPaprika gave an unusable answer: text/html instead of JSON'],
    ['empty', 502, 'CoinPaprika gave an unusable answer: an empty body'],
    ['drop', 502, 'CoinPaprika is unreachable: ECONNRESET'],
    ['truncate', 502, 'CoinPaprika gave an unusable answer: the answer broke off'],
    ['drip', 504, 'CoinPaprika timed out: no answer within 1 s'],
    ['redirect=elsewhere', 502, 'CoinPaprika gave an unusable answer: it redirects to another host'],
    ['redirect=self', 502, 'CoinPaprika answered 302'],
    ['huge', 502, 'CoinPaprika gave an unusable answer: the answer is larger than 8 MB'],
    ['wrongshape', 502, 'CoinPaprika gave an unusable answer: quotes is not an object'],
    ['status=429', 429, "Rate limit exceeded: the provider's (CoinPaprika); try again in 10 s"],
  ])('is told of in the envelope: %s', async (fault, status, text) => {
    provider.setFault(fault);
    if (status === 504) vi.stubEnv('UPSTREAM_TIMEOUT_MS', '1000');

    const answer = await ticker();

    expect(answer).toEqual({
      status,
      headers: { ...refusalHeaders(100), ...(status === 429 && { 'retry-after': '10' }) },
      body: failure(text),
    });
  });

  it('once only is not noticed', async () => {
    provider.setFault('status=503x1');

    expect(await ticker()).toMatchObject({ status: 200, headers: { 'x-data-quality': 'exact' } });
    expect(provider.calls.total).toBe(2);
  });

  it('is covered by the last good answer, marked stale, for half a day', async () => {
    const good = await ticker();
    provider.setFault('status=500');

    vi.setSystemTime(NOW + 60_000 + 12 * 3_600_000 - 1000);
    const stale = await ticker();
    vi.setSystemTime(NOW + 60_000 + 12 * 3_600_000);
    const over = await ticker();

    expect(stale).toEqual({
      status: 200,
      headers: {
        ...commonHeaders(100),
        'x-data-source': 'simulated',
        'x-data-quality': 'stale',
        'x-data-time': MADE_AT,
        'cache-control': publicFor(0),
      },
      body: good.body,
    });
    expect(over).toMatchObject({ status: 502, headers: { 'cache-control': 'no-store' } });
  });
});

describe('a coin that is no longer traded', () => {
  it('is fetched once a week, and leaves the requests of a day to those that are', async () => {
    const registry = mkdtempSync(join(inject('runFolder'), 'ticker-registry-'));
    const coins = ['btc-bitcoin', 'eth-ethereum', 'sol-solana'].map((id, index) => ({
      id,
      name: id,
      symbol: id.slice(0, 3),
      rank: index + 1,
      is_new: false,
      is_active: id !== 'eth-ethereum',
      type: 'coin' as const,
    }));
    await writeRegistry(registry, buildRegistry(coins, { source: 'simulated' }));
    vi.stubEnv('REGISTRY_PATH', registry);
    vi.stubEnv('TICKER_FRESH_SECONDS', '1');
    vi.resetModules();
    ({ handler } = await import('./handler.ts'));

    const calls: number[] = [];
    for (const [id, day] of [
      ['eth-ethereum', 0],
      ['btc-bitcoin', 0],
      ['eth-ethereum', 6],
      ['btc-bitcoin', 6],
      ['eth-ethereum', 7],
    ] as const) {
      vi.setSystemTime(NOW + day * 86_400_000);
      expect((await ticker(id)).status).toBe(200);
      calls.push(provider.calls.total);
    }
    expect(calls).toEqual([1, 2, 2, 3, 4]);
  });
});

describe('any id', () => {
  it('gets an envelope with a documented status', async () => {
    const id = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('.', '..', '%2e%2e', '%00'),
    );
    await fc.assert(
      fc.asyncProperty(id, fc.ipV4(), async (id, sourceIp) => {
        const { status, body } = await ticker(id, { sourceIp });
        expect([400, 404]).toContain(status);
        expect(body).toEqual({ success: false, error: expect.stringMatching(/id/) });
      }),
      // More than ten requests a second would wait for their turn.
      {
        numRuns: 15,
        examples: [
          ['.', '192.0.2.1'],
          ['..', '192.0.2.1'],
          ['%2e%2e', '192.0.2.1'],
          ['\ud800', '192.0.2.1'],
        ],
      },
    );
  });
});
