import { afterEach, beforeEach, describe, expect, expectTypeOf, test, vi } from 'vitest';
import { type ClientOptions, createClient, type FaucetRequestData, type Quality } from './index.ts';

const NOW = Date.UTC(2026, 0, 31, 12, 0, 0);
const success = (data: unknown) => JSON.stringify({ success: true, data });
const failure = (error: string) => JSON.stringify({ success: false, error });

/** A client whose requests all get this answer; `requests` fills with what was sent. */
function clientOf(body: string, init: ResponseInit = {}, options: Partial<ClientOptions> = {}) {
  const requests: { url: string; init: RequestInit }[] = [];
  const client = createClient({
    baseUrl: 'http://service',
    fetch: async (url, sent = {}) => {
      requests.push({ url: String(url), init: sent });
      return new Response(body, init);
    },
    ...options,
  });
  return { client, requests };
}

describe('a base URL', () => {
  test.each([undefined, null, 'localhost:3000', 'https://', 'ftp://x', '//x', 7])(
    'that is not an address is refused with an explanation: %j',
    (baseUrl) => {
      expect(() => createClient({ baseUrl } as ClientOptions)).toThrow(
        new TypeError(
          `createClient: baseUrl is ${JSON.stringify(baseUrl)}; it must be the service's address, such as https://prices.example.com, or '' for the page's own origin`,
        ),
      );
    },
  );

  test.each([
    ['https://prices.example.com//', 'https://prices.example.com'],
    ['https://example.com/prices/', 'https://example.com/prices'],
    ['/prices', '/prices'],
    ['', ''],
  ])('may be %j', async (baseUrl, start) => {
    const { client, requests } = clientOf(success({}), {}, { baseUrl });
    await client.marketdata.rates({});
    expect(requests[0]?.url).toBe(`${start}/api/marketdata/rates`);
  });
});

describe('a request', () => {
  test.each([
    ['btc-bitcoin', '/api/marketdata/coins/btc-bitcoin'],
    ['toto-totoro-inu-?', '/api/marketdata/coins/toto-totoro-inu-%3F'],
    ['战旗-战旗', '/api/marketdata/coins/%E6%88%98%E6%97%97-%E6%88%98%E6%97%97'],
    ['a/b$&c', '/api/marketdata/coins/a%2Fb%24%26c'],
  ])('carries the id %s in its path', async (id, path) => {
    const { client, requests } = clientOf(success({}));
    await client.marketdata.coin({ id });
    expect(requests.map(({ url }) => url)).toEqual([`http://service${path}`]);
  });

  test.each(['', '.', '..'])('is not sent with "%s" in its path, which would be another path', async (id) => {
    const { client, requests } = clientOf(success({}));
    await expect(client.marketdata.coin({ id })).rejects.toThrow(`A path cannot carry this id: "${id}"`);
    expect(requests).toEqual([]);
  });

  test('carries its defined input fields in its query', async () => {
    const { client, requests } = clientOf(success({}));
    await client.marketdata.ohlcv({ id: 'x', limit: 7, start: undefined, end: '2026-01-31T12:00:00+01:00' });
    expect(requests[0]?.url).toBe(
      'http://service/api/marketdata/ohlcv/x?limit=7&end=2026-01-31T12%3A00%3A00%2B01%3A00',
    );
    expect(requests[0]?.init.body).toBeUndefined();
  });

  test('carries the items of a list with commas between them', async () => {
    const { client, requests } = clientOf(success({}));
    await client.marketdata.tickers({ ids: ['btc-bitcoin', 'toto-totoro-inu-?'] });
    expect(requests[0]?.url).toBe(
      'http://service/api/marketdata/tickers?ids=btc-bitcoin%2Ctoto-totoro-inu-%3F',
    );
    expectTypeOf(client.marketdata.price)
      .parameter(0)
      .toHaveProperty('at')
      .toEqualTypeOf<readonly string[]>();
  });

  test('of a POST carries its fields as JSON, but for those of the path', async () => {
    const { client, requests } = clientOf(success('0x1'));
    await client.rpc.proxy({ chain: 'local', method: 'eth_chainId', params: [] });
    expect(requests).toMatchObject([
      {
        url: 'http://service/api/rpc/local',
        init: {
          method: 'POST',
          body: '{"method":"eth_chainId","params":[]}',
          headers: { 'content-type': 'application/json' },
        },
      },
    ]);
  });

  test.each([
    ['text', 'secret'],
    ['a function', () => 'secret'],
    ['a function that takes its time', async () => 'secret'],
  ])('carries the key that is given as %s', async (_how, apiKey) => {
    const { client, requests } = clientOf(success({}), {}, { apiKey });
    await client.marketdata.coins();
    expect(requests[0]?.init.headers).toEqual({ accept: 'application/json', 'x-api-key': 'secret' });
  });

  test('carries no key without one, and neither leaves nor finds anything in a browser', async () => {
    const { client, requests } = clientOf(success({}));
    await client.marketdata.coins();
    expect(requests[0]?.init).toMatchObject({
      headers: { accept: 'application/json' },
      cache: 'no-store',
      credentials: 'omit',
    });
  });

  test('carries an Idempotency-Key where the route takes one', async () => {
    const { client, requests } = clientOf(success({}));
    const grant = { network: 'local', address: '0x0' } as const;
    await client.faucet.request(grant, { idempotencyKey: 'mine' });
    await client.faucet.request(grant, { retry: true });
    await client.faucet.request(grant);
    expect(requests.map(({ init }) => new Headers(init.headers).get('idempotency-key'))).toEqual([
      'mine',
      expect.stringMatching(/^[0-9a-f]{32}$/),
      null,
    ]);
  });
});

describe('an answer', () => {
  test('gives its data with source, quality and time beside it', async () => {
    const headers = {
      'X-Data-Source': 'coinpaprika',
      'X-Data-Quality': 'stale',
      'X-Data-Time': '2026-01-31T11:00:00.000Z',
    };
    const { client } = clientOf(success({ id: 'btc-bitcoin' }), { headers });
    const answer = await client.marketdata.ticker({ id: 'btc-bitcoin' });
    expect(answer).toMatchObject({
      data: { id: 'btc-bitcoin' },
      source: 'coinpaprika',
      quality: 'stale',
      dataTime: new Date('2026-01-31T11:00:00Z'),
    });
    expect(answer.headers.get('x-data-quality')).toBe('stale');
  });

  test.each([{}, { 'x-data-quality': 'excellent', 'x-data-time': 'soon' }])(
    'has no quality and time if its headers cannot be understood: %o',
    async (headers) => {
      const { client } = clientOf(success({}), { headers });
      expect(await client.marketdata.ticker({ id: 'x' })).toMatchObject({
        source: undefined,
        quality: undefined,
        dataTime: undefined,
      });
    },
  );

  test('has a quality in its type where the route has one, and none elsewhere', () => {
    const { client } = clientOf('');
    type AnswerOf<Method extends (...args: never[]) => Promise<unknown>> = Awaited<ReturnType<Method>>;
    expectTypeOf<AnswerOf<typeof client.marketdata.ticker>['quality']>().toEqualTypeOf<Quality | undefined>();
    expectTypeOf<AnswerOf<typeof client.marketdata.coin>>().not.toHaveProperty('quality');
    expectTypeOf<AnswerOf<typeof client.marketdata.coin>['dataTime']>().toEqualTypeOf<Date | undefined>();
    expectTypeOf<AnswerOf<typeof client.faucet.request>['data']>().toEqualTypeOf<FaucetRequestData>();
    expectTypeOf<AnswerOf<typeof client.faucet.request>>().not.toHaveProperty('dataTime');
  });
});

describe('a refusal', () => {
  beforeEach(() => void vi.useFakeTimers({ now: NOW, toFake: ['Date'] }));
  afterEach(() => void vi.useRealTimers());

  test.each([
    ['42', 42],
    ['Sat, 31 Jan 2026 12:01:30 GMT', 90],
    ['Sat, 31 Jan 2026 11:00:00 GMT', 0],
    ['soon', undefined],
  ])('of 429 with Retry-After %s says how long to wait', async (retryAfter, retryAfterSeconds) => {
    const headers = { 'retry-after': retryAfter };
    const { client } = clientOf(failure('Rate limit exceeded'), { status: 429, headers });
    await expect(client.marketdata.coin({ id: 'x' })).rejects.toMatchObject({
      name: 'ApiFailure',
      status: 429,
      message: 'Rate limit exceeded',
      isAnswer: true,
      retryAfterSeconds,
    });
  });

  test('of another server is distinguished from one of the service', async () => {
    const headers = { 'content-type': 'text/html' };
    const { client } = clientOf('<h1>Not found</h1>', { status: 404, headers });
    await expect(client.marketdata.coin({ id: 'x' })).rejects.toMatchObject({
      status: 404,
      isAnswer: false,
      message: 'http://service does not answer as the market-data API does (HTTP 404, text/html)',
    });
  });

  test.each(['null', '[]', '{"success":true}', '{"success":false}', '{"message":"Forbidden"}'])(
    'is what an answer without the envelope is: %s',
    async (body) => {
      const { client } = clientOf(body);
      await expect(client.marketdata.coin({ id: 'x' })).rejects.toMatchObject({ isAnswer: false });
    },
  );

  test("of API Gateway's own throttling is a rate limit too", async () => {
    const { client } = clientOf('{"message":"Too Many Requests"}', { status: 429 });
    await expect(client.marketdata.coin({ id: 'x' })).rejects.toMatchObject({
      message: 'Rate limit exceeded',
    });
  });

  test('of a service that has no such route yet is no word about a coin', async () => {
    const { client } = clientOf(failure('No such route: GET /api/marketdata/coins/x'), { status: 404 });
    await expect(client.marketdata.coin({ id: 'x' })).rejects.toMatchObject({ status: 404, isAnswer: false });
  });
});

/** A `fetch` without an answer: it ends with its signal. */
const silent: typeof fetch = (_url, init) =>
  new Promise((_, reject) => {
    init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
  });

describe('no answer', () => {
  test('has the reason that fetch hides', async () => {
    const refused = [new Error('connect ECONNREFUSED ::1:1'), new Error('connect ECONNREFUSED 127.0.0.1:1')];
    const fetch = () => Promise.reject(new TypeError('fetch failed', { cause: new AggregateError(refused) }));
    const client = createClient({ baseUrl: '', fetch });
    await expect(client.marketdata.coin({ id: 'x' })).rejects.toMatchObject({
      status: undefined,
      headers: undefined,
      message: 'connect ECONNREFUSED ::1:1; connect ECONNREFUSED 127.0.0.1:1',
    });
  });

  test('in time names the time limit, which a call may set', async () => {
    const client = createClient({ baseUrl: '', timeoutMs: 20, fetch: silent });
    await expect(client.marketdata.coin({ id: 'x' })).rejects.toMatchObject({
      message: 'no answer within 0.02 s',
    });
    await expect(client.marketdata.coin({ id: 'x' }, { timeoutMs: 10 })).rejects.toMatchObject({
      message: 'no answer within 0.01 s',
    });
  });

  test('after an abort rejects with the reason of the signal', async () => {
    const client = createClient({ baseUrl: '', fetch: silent });
    const controller = new AbortController();
    const call = client.marketdata.coin({ id: 'x' }, { signal: controller.signal, retry: true });
    controller.abort(new Error('the page was closed'));
    await expect(call).rejects.toThrow('the page was closed');
  });
});
