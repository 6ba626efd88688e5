import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Loopback, respond, respondJson, startLoopback } from '../../test/pipeline/loopback.ts';
import { SourceLimits } from '../coordination/source-limits.ts';
import type { CoinOffer, ProviderClient } from '../marketdata/provider.ts';
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
  it.each([
    [{}, undefined],
    [{ COINPAPRIKA_API_KEY: 'the-key' }, 'the-key'],
  ])('has the version, accepts JSON, and carries the raw key if there is one: %j', async (variables, key) => {
    let headers: Record<string, unknown> = {};
    server.answer((request, response) => {
      headers = request.headers;
      respondJson(bitcoin)(request, response);
    });

    await clientWith(variables)();

    expect(headers).toMatchObject({
      accept: 'application/json',
      'accept-encoding': 'gzip',
      'user-agent': expect.stringMatching(/^marketdata-api\/\d+\.\d+\.\d+$/),
    });
    expect(headers.authorization).toBe(key);
  });

  it.each([
    ['xch-chia-', 'xch-chia-'],
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
  it('has its source, and is as old as the provider says', async () => {
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
  ])('without a time of its own is as old as its Age header says: %j', async (age, madeAt) => {
    server.answer(
      respondJson({ ...bitcoin, last_updated: null }, 200, { age, 'x-data-source': 'simulated' }),
    );

    const answer = await clientWith()();

    expect(answer).toMatchObject({ source: 'simulated', madeAt });
  });

  it.each(['application/json; charset=UTF-8', 'APPLICATION/JSON;charset=utf-8', 'application/problem+json'])(
    'is read where its type is %s',
    async (type) => {
      server.answer(respond(200, { 'content-type': type }, JSON.stringify(bitcoin)));
      expect((await clientWith()()).data.id).toBe('btc-bitcoin');
    },
  );

  const of = (type: string, body: string) => respond(200, type ? { 'content-type': type } : {}, body);
  it.each([
    ['HTML', of('text/html; charset=UTF-8', '<html>'), 'an unusable answer: HTML instead of JSON'],
    [
      'plain text',
      of('text/plain; a-key', 'a-key'),
      'an unusable answer: another content type instead of JSON',
    ],
    ['of no type', of('', '{}'), 'an unusable answer: no content type instead of JSON'],
    ['an empty body', of('application/json', ''), 'an unusable answer: an empty body'],
    ['half of an object', of('application/json', '{"id":'), 'an unusable answer: broken JSON'],
    ['a wrong shape', respondJson({ result: [] }), 'an unusable answer: quotes is not an object'],
    [
      'a redirect elsewhere',
      respond(301, { location: 'http://elsewhere.invalid/' }),
      'an unusable answer: it redirects to another host',
    ],
  ])('that is %s is a 502 that names the provider', async (_what, listener, message) => {
    server.answer(listener);

    await expect(clientWith()()).rejects.toMatchObject({
      statusCode: 502,
      message: `CoinPaprika gave ${message}`,
    });
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

  it('is a 504 if it takes longer than the configuration allows', async () => {
    server.answer(() => {});

    await expect(clientWith({ UPSTREAM_TIMEOUT_MS: '100' })()).rejects.toMatchObject({
      statusCode: 504,
      message: 'CoinPaprika timed out: no answer within 0.1 s',
    });
  });

  it('is a 504 without a request if the deadline has passed', async () => {
    await expect(clientWith()('btc-bitcoin', 0)).rejects.toMatchObject({ statusCode: 504 });
    expect(server.requests).toEqual([]);
  });
});

describe('a 429 of the provider', () => {
  const limited = (headers = {}) => respondJson({ error: 'too many' }, 429, headers);

  it('with Retry-After stops all requests until then', async () => {
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

  it('stops every client of the container, except those of other sources', async () => {
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

  it('of an hour outlasts one of a minute that arrives later', async () => {
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

  it.each([
    [429, '', '10', 0],
    [429, '86400', '86400', 3_600], // an hour at most
    [418, '86400', '86400', 86_400], // a ban
    [418, '9999999', '259200', 3 * 86_400],
    [418, 'soon', '120', 120],
    [503, '60', undefined, 0],
  ])(
    'or another status %i with Retry-After %j is passed on as %j s, and stops requests for %i s',
    async (status, given, passedOn, kept) => {
      server.answer(respondJson({}, status, { 'retry-after': given }));
      const get = clientWith({ UPSTREAM_TIMEOUT_MS: '700' });

      const error = await get().catch((thrown) => thrown);
      expect(error.headers?.['retry-after']).toBe(passedOn);
      server.answer(respondJson(bitcoin));
      vi.setSystemTime(NOW + kept * 1000 - 1);
      if (kept > 0) await expect(get()).rejects.toMatchObject({ statusCode: 429 });
      vi.setSystemTime(NOW + kept * 1000);
      expect((await get()).data.id).toBe('btc-bitcoin');
    },
  );
});

describe('a request that is not sent in the end', () => {
  /** Its turn comes after `waits`. */
  function request(waits: () => void, beforePaying?: () => void) {
    class Limits extends SourceLimits {
      override mayStart = async () => {
        waits();
        return true;
      };
    }
    const budget = { reserve: vi.fn(async () => ({ allowed: true }) as const) };
    const environment = parseEnvironment({ COINPAPRIKA_BASE_URL: `${server.url}/v1` });
    const coordinate = () => ({ budget, limits: new Limits(coinpaprika) });
    const client = createClient<CoinOffer>(coinpaprika, environment, { coordinate });
    const fetched = client.fetch(client.provider.ticker('btc-bitcoin'), NOW + 10_000, { beforePaying });
    return { budget, fetched };
  }

  it.each<[string, () => void, (() => void) | undefined, object]>([
    ['the process was frozen', () => vi.setSystemTime(NOW + 10_000), undefined, { statusCode: 504 }],
    [
      'its lease was lost',
      () => {},
      () => {
        throw new Error('lost');
      },
      { message: 'lost' },
    ],
  ])('is not paid for: %s', async (_why, waits, beforePaying, error) => {
    const { budget, fetched } = request(waits, beforePaying);
    await expect(fetched).rejects.toMatchObject(error);
    expect(budget.reserve).not.toHaveBeenCalled();
    expect(server.requests).toEqual([]);
  });
});

describe('the requests of one second', () => {
  it('are ten at most, second tries included', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'], now: NOW }); // all within one second, and none after it
    server.answer(respondJson({ error: 'down' }, 503));
    const get = clientWith({ UPSTREAM_TIMEOUT_MS: '900' });

    const ids = Array.from({ length: 8 }, (_, index) => `coin-${index}`);
    await Promise.allSettled(ids.map((id) => get(id)));

    // Fewer, if the machine is so busy that some run out of time.
    expect(server.requests.length).toBeLessThanOrEqual(10);
    expect(server.requests.length).toBeGreaterThan(0);
  });
});
