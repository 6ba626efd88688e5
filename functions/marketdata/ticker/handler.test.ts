import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { type SimulatedSource, startSimulated } from '../../../local/simulated/index.ts';
import { buildRegistry, writeRegistry } from '../../../registry-layer/build.ts';
import { publicFor } from '../../../shared/http/cache-control.ts';
import { compileResponse } from '../../../shared/http/compile-schemas.ts';
import { commonHeaders, failure, refusalHeaders, type TestRequest } from '../../../test/pipeline/event.ts';
import { underTest } from '../../../test/pipeline/under-test.ts';
import { route } from './route.ts';

const NOW = Date.UTC(2026, 8, 18, 4, 10, 30);
/** The simulated provider makes a ticker at each full minute. */
const MADE_AT = '2026-09-18T04:10:00.000Z';
const problems = compileResponse(route.response);

let provider: SimulatedSource;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  provider = (await startSimulated()).provider;
  vi.stubEnv('NODE_ENV', 'test');
  vi.stubEnv('COINPAPRIKA_BASE_URL', provider.url);
  vi.stubEnv('COINPAPRIKA_API_KEY', undefined);
  vi.stubEnv('UPSTREAM_TIMEOUT_MS', '10000');
  vi.stubEnv('TICKER_FRESH_SECONDS', '60');
  vi.stubEnv('STALE_WAIT_MS', '10000');
});
afterEach(async () => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  await provider.close();
});

const served = underTest(route, () => import('./handler.ts'));
/** All requests come from one client by default. */
const ticker = (id = 'btc-bitcoin', asked: TestRequest = {}) =>
  served.ask({ pathParameters: { id }, sourceIp: '192.0.2.1', ...asked });

/** The provider's own response. */
async function upstream(id: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${provider.url}/tickers/${encodeURIComponent(id)}`);
  provider.calls.reset();
  return response.json() as Promise<Record<string, unknown>>; // an object: the test server is ours
}

describe('the ticker of a coin', () => {
  it('is the provider’s, with null for missing figures, and headers for source and time', async () => {
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
      body: {
        success: true,
        data: {
          ...{ ...expected, circulating_supply: null, sources: null },
          quotes: { USD: { ...(expected.quotes as { USD: object }).USD, figures_at: null } },
        },
      },
    });
    expect(problems(expected)).not.toEqual([]); // the free plan has no circulating supply
  });

  it('is cached for a minute with its own time, then fetched again', async () => {
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

  it.each(['btc-bitcoin', 'no-coin'])(
    'is not fetched again for an instance whose clock is a second behind: %s',
    async (id) => {
      await ticker(id);
      vi.setSystemTime(NOW - 1_000);
      await ticker(id);
      expect(provider.calls.total).toBe(1);
    },
  );

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
  it('is a 404 that names an unknown coin, which is fetched once a minute', async () => {
    const expected = {
      status: 404,
      headers: refusalHeaders(100),
      body: failure('Unknown coin id: no-coin'),
    };

    expect(await ticker('no-coin')).toEqual(expected);
    expect(await ticker('no-coin')).toEqual({ ...expected, headers: refusalHeaders(100, 98) });
    expect(provider.calls.total).toBe(1);
  });
});

describe('a provider that fails', () => {
  it.each([
    ['status=503', 2, 502, 'CoinPaprika answered 503'],
    ['hang', 1, 504, 'CoinPaprika timed out: no answer within 1 s'],
    ['limit', 1, 429, "Rate limit exceeded: the provider's (CoinPaprika); try again in 60 s"],
  ])('with %s costs %i requests and is reported in the envelope', async (fault, calls, status, text) => {
    provider.setFault(fault);
    if (status === 504) vi.stubEnv('UPSTREAM_TIMEOUT_MS', '1000');

    const answer = await ticker();

    const [, seconds] = /try again in (\d+) s$/.exec(text) ?? [];
    expect(answer).toEqual({
      status,
      headers: { ...refusalHeaders(100), ...(seconds && { 'retry-after': seconds }) },
      body: failure(text),
    });
    expect(provider.calls.total).toBe(calls);
  });

  it('once only is not noticed', async () => {
    provider.setFault('dropx1');

    expect(await ticker()).toMatchObject({ status: 200, headers: { 'x-data-quality': 'exact' } });
    expect(provider.calls.total).toBe(2);
  });

  it('is bridged by the last good ticker, marked stale, for half a day', async () => {
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

it('a coin whose request failed is not fetched again for ten seconds', async () => {
  await ticker();
  provider.setFault('status=500');
  vi.setSystemTime(NOW + 60_000);
  await ticker();
  const { total } = provider.calls;
  vi.setSystemTime(NOW + 69_000);
  expect(await ticker()).toMatchObject({ status: 200, headers: { 'x-data-quality': 'stale' } });
  expect(provider.calls.total).toBe(total);
});

describe('a coin that is no longer traded', () => {
  it('is fetched once a week, so that the quota is left for active coins', async () => {
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
