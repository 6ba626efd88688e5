import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Loopback, respond, respondJson, startLoopback } from '../../test/pipeline/loopback.ts';
import type { CoinOffer } from '../marketdata/provider.ts';
import type { ProviderClient } from '../marketdata/provider-client.ts';
import { parseEnvironment } from '../platform/environment.ts';
import { createClient } from './client.ts';
import { coinpaprika } from './coinpaprika.ts';
import { kraken } from './kraken.ts';

const NOW = Date.UTC(2026, 0, 1, 12);
const bitcoin = {
  id: 'btc-bitcoin',
  name: 'Bitcoin',
  symbol: 'BTC',
  last_updated: '2026-01-01T11:58:00Z',
  quotes: { USD: { price: 84_000 } },
};

let server: Loopback;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  server = await startLoopback(respondJson(bitcoin));
});
afterEach(async () => {
  vi.useRealTimers();
  await server.close();
});

function clientWith(variables: Record<string, string> = {}) {
  const environment = parseEnvironment({ COINPAPRIKA_BASE_URL: `${server.url}/v1`, ...variables });
  const client = createClient<CoinOffer>(coinpaprika, environment);
  return async (id = 'btc-bitcoin', timeMs = 10_000) =>
    client.fetch(client.provider.ticker(id), Date.now() + timeMs);
}

describe('a request', () => {
  it('carries the version, asks for JSON, and has no key where there is none', async () => {
    let headers: unknown;
    server.answer((request, response) => {
      headers = request.headers;
      respondJson(bitcoin)(request, response);
    });

    await clientWith()();

    expect(headers).toMatchObject({
      accept: 'application/json',
      'accept-encoding': 'gzip',
      'user-agent': expect.stringMatching(/^marketdata-api\/\d+\.\d+\.\d+$/),
    });
    expect(headers).not.toHaveProperty('authorization');
  });

  it('carries the key raw', async () => {
    let key: unknown;
    server.answer((request, response) => {
      key = request.headers.authorization;
      respondJson(bitcoin)(request, response);
    });

    await clientWith({ COINPAPRIKA_API_KEY: 'the-key' })();

    expect(key).toBe('the-key');
  });

  it.each([
    ['xch-chia-', 'xch-chia-'],
    ['-doggotothemoon', '-doggotothemoon'],
    ['toto-totoro-inu-?', 'toto-totoro-inu-%3F'],
    ['战旗-战旗', '%E6%88%98%E6%97%97-%E6%88%98%E6%97%97'],
    ['a/../b', 'a%2F..%2Fb'],
    ['a%2e', 'a%252e'],
    ['...', '...'],
  ])('asks for the id %s percent-encoded', async (id, encoded) => {
    server.answer(respondJson({ ...bitcoin, id }));

    await clientWith()(id);

    expect(server.requests).toEqual([`/v1/tickers/${encoded}`]);
  });

  it.each(['.', '..'])('is not made for %j, which a URL cannot hold', async (id) => {
    await expect(clientWith()(id)).rejects.toMatchObject({
      statusCode: 404,
      message: `Unknown coin id: ${id}`,
    });
    expect(server.requests).toEqual([]);
  });
});

describe('an answer', () => {
  it('is told with its source, and is as old as the provider says', async () => {
    const answer = await clientWith()();

    expect(answer).toMatchObject({
      source: 'coinpaprika',
      madeAt: NOW - 120_000,
    });
  });

  it.each([
    ['42', NOW - 42_000],
    ['', NOW],
    ['-5', NOW],
    ['Infinity', NOW],
    ['soon', NOW],
  ])('without a time of its own is as old as its Age header says: %j', async (age, madeAt) => {
    server.answer(
      respondJson({ ...bitcoin, last_updated: null }, 200, { age, 'x-data-source': 'simulated' }),
    );

    const answer = await clientWith()();

    expect(answer).toMatchObject({ source: 'simulated', madeAt });
  });

  it.each([
    [
      'HTML',
      respond(200, { 'content-type': 'text/html' }, '<html>'),
      502,
      'gave an unusable answer: text/html instead of JSON',
    ],
    ['nothing', respond(200, {}), 502, 'gave an unusable answer: an empty body'],
    ['a wrong shape', respondJson({ result: [] }), 502, 'gave an unusable answer: quotes is not an object'],
    ['401', respondJson({ error: 'no' }, 401), 502, 'answered 401: no'],
    [
      'a redirect elsewhere',
      respond(301, { location: 'http://elsewhere.invalid/' }),
      502,
      'gave an unusable answer: it redirects to another host',
    ],
  ])('that is %s is a 502 that names the provider', async (_what, listener, statusCode, message) => {
    server.answer(listener);

    await expect(clientWith()()).rejects.toMatchObject({ statusCode, message: `CoinPaprika ${message}` });
    expect(server.requests).toHaveLength(1);
  });

  it('is a 502 where nobody listens, without the address', async () => {
    const get = clientWith();
    await server.close();

    await expect(get()).rejects.toMatchObject({
      statusCode: 502,
      message: 'CoinPaprika is unreachable: ECONNREFUSED',
    });
    server = await startLoopback();
  });

  it('is a 504 where it does not come in the time of the configuration', async () => {
    server.answer(() => {});

    await expect(clientWith({ UPSTREAM_TIMEOUT_MS: '100' })()).rejects.toMatchObject({
      statusCode: 504,
      message: 'CoinPaprika timed out: no answer within 0.1 s',
    });
  });

  it('is a 504 without asking where the deadline has passed', async () => {
    await expect(clientWith()('btc-bitcoin', 0)).rejects.toMatchObject({ statusCode: 504 });
    expect(server.requests).toEqual([]);
  });
});

describe('a 429 of the provider', () => {
  const limited = (headers = {}) => respondJson({ error: 'too many' }, 429, headers);

  it('with Retry-After is kept to: nothing more is asked until then', async () => {
    server.answer(limited({ 'retry-after': '30' }));
    const get = clientWith();
    const first = await get().catch((error) => error);
    server.answer(respondJson(bitcoin));

    vi.setSystemTime(NOW + 29_000);
    const second = await get('eth-ethereum').catch((error) => error);
    vi.setSystemTime(NOW + 30_000);
    const third = await get();

    expect(first).toMatchObject({ statusCode: 429, headers: { 'retry-after': '30' } });
    expect(second).toMatchObject({ statusCode: 429, headers: { 'retry-after': '1' } });
    expect(third.data.id).toBe('btc-bitcoin');
    expect(server.requests).toEqual(['/v1/tickers/btc-bitcoin', '/v1/tickers/btc-bitcoin']);
  });

  it('is known to every client of the container, and to those of another source not', async () => {
    server.answer(limited({ 'retry-after': '30' }));
    const environment = parseEnvironment({
      COINPAPRIKA_BASE_URL: `${server.url}/v1`,
      KRAKEN_BASE_URL: server.url,
    });
    const fetchWith = (client: ProviderClient<'usage'>) =>
      client.fetch(client.provider.usage(), Date.now() + 1_000);
    const [answers, spare] = (['demand', 'leftover'] as const).map((purpose) =>
      createClient<'usage'>(coinpaprika, environment, { purpose }),
    );
    if (!answers || !spare) throw new Error('There are two');
    await expect(fetchWith(answers)).rejects.toMatchObject({ statusCode: 429 });
    server.answer(respondJson({ error: [], result: {} }));

    await expect(fetchWith(spare)).rejects.toMatchObject({
      statusCode: 429,
      headers: { 'retry-after': '30' },
    });
    expect(server.requests).toHaveLength(1);
    const exchange = createClient<'markets'>(kraken, environment, { purpose: 'scheduled' });
    await exchange.fetch(exchange.provider.markets(), Date.now() + 1_000);
    expect(server.requests).toHaveLength(2);
  });

  it('of an hour is not forgotten for one of a minute that was under way', async () => {
    const waiting: (() => void)[] = [];
    let isFirst = true;
    server.answer((request, response) => {
      const retryAfter = isFirst ? '60' : '3600';
      isFirst = false;
      const answer = () => limited({ 'retry-after': retryAfter })(request, response);
      if (retryAfter === '60') waiting.push(answer);
      else answer();
    });
    const get = clientWith();
    const early = get().catch((error) => error);
    await vi.waitFor(() => expect(waiting).toHaveLength(1));
    vi.setSystemTime(NOW); // waiting turned the clock on
    await get('eth-ethereum').catch(() => {});
    waiting[0]?.();
    await early;

    vi.setSystemTime(NOW + 3_599_000);
    await expect(get('ltc-litecoin')).rejects.toMatchObject({
      statusCode: 429,
      headers: { 'retry-after': '1' },
    });
  });

  it('without Retry-After is passed on, and the next request asks again', async () => {
    server.answer(limited());
    const get = clientWith();

    await expect(get()).rejects.toMatchObject({
      statusCode: 429,
      message: "Rate limit exceeded: the provider's (CoinPaprika); try again in 10 s",
      headers: { 'retry-after': '10' },
    });
    server.answer(respondJson(bitcoin));
    expect((await get()).data.id).toBe('btc-bitcoin');
  });
});

describe('the requests of one second', () => {
  it('are ten at most, second tries included', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'], now: NOW }); // all within one second, and none after it
    server.answer(respondJson({ error: 'down' }, 503));
    const get = clientWith({ UPSTREAM_TIMEOUT_MS: '700' });

    const ids = Array.from({ length: 8 }, (_, index) => `coin-${index}`);
    await Promise.allSettled(ids.map((id) => get(id)));

    expect(server.requests).toHaveLength(10);
  });
});
