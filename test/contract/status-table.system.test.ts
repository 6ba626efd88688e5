import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dataOf, expectFailure, KEY, type Service, startService } from './service.ts';

const TICKER = '/api/marketdata/ticker/btc-bitcoin';

describe('in development', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.local.close());

  it('answers a ticker in the envelope without a key', async () => {
    const answer = await service.get(TICKER);

    expect(dataOf(answer)).toMatchObject({ id: 'btc-bitcoin', symbol: 'BTC', quotes: { USD: {} } });
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'x-data-source': 'simulated',
      'x-data-quality': 'exact',
      'cache-control': expect.stringMatching(/^public, max-age=[1-5]?\d, must-revalidate, stale-if-error=0$/),
      'x-data-time': expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
  });

  it('names an unknown coin', async () => {
    expectFailure(
      await service.get('/api/marketdata/ticker/no-such-coin'),
      404,
      'Unknown coin id: no-such-coin',
    );
  });

  it.each([
    ['-doggotothemoon', '-doggotothemoon'],
    ['xch-chia-', 'xch-chia-'],
    ['mobilecoin', 'mobilecoin'],
    ['bork-bork-SOL', 'bork-bork-SOL'],
    ['toto-totoro-inu-?', 'toto-totoro-inu-%3F'],
    ['战旗-战旗', encodeURIComponent('战旗-战旗')],
  ])('finds the odd id %s', async (id, encoded) => {
    expect(dataOf(await service.get(`/api/marketdata/ticker/${encoded}`))).toMatchObject({ id });
  });

  it('names a missing path parameter', async () => {
    expectFailure(await service.get('/api/marketdata/ticker/'), 400, 'Missing parameter: id');
  });

  it('names an unknown path with its method', async () => {
    expectFailure(await service.get('/x'), 404, 'No such route: GET /x');
  });

  it('names the methods of a path that has others', async () => {
    const answer = await service.get(TICKER, { method: 'POST' });

    expectFailure(answer, 405, `Method not allowed: POST ${TICKER}; allowed: GET, HEAD`);
    expect(answer.headers.allow).toBe('GET, HEAD');
  });

  it('answers prices of the past in the order of a list, and says which instant cannot be used', async () => {
    const price = '/api/marketdata/price/btc-bitcoin';
    const [now, day] = [Date.now(), 86_400_000];
    const instants = [now - 3 * day, now - 2 * day].map((time) => new Date(time).toISOString());

    const data = dataOf(await service.get(`${price}?at=${instants.join(',')}`));

    const at = instants.map((instant) => `${instant.slice(0, 19)}Z`);
    expect(data).toMatchObject({ coinId: 'btc-bitcoin', count: 2, data: [{ at: at[0] }, { at: at[1] }] });
    expectFailure(await service.get(price), 400, 'Missing parameter: at');
    expectFailure(
      await service.get(`${price}?at=2026-01-01,2126-01-01`),
      400,
      'Invalid parameter at, number 2: "2126-01-01"; allowed: a time that is not in the future',
    );
  });

  it('says what is wrong with a parameter and what is allowed', async () => {
    const answer = await service.get('/api/marketdata/ohlcv/btc-bitcoin?limit=0&interval=5m');

    expectFailure(
      answer,
      400,
      'Invalid parameter interval: "5m"; allowed: 1h, 24h, 7d, 14d, 30d, 90d, 365d; ' +
        'Invalid parameter limit: 0; allowed: an integer from 1 to 366',
    );
  });
});

describe('in production', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ env: { NODE_ENV: 'production', CLIENT_API_KEY: KEY } });
  });
  afterAll(() => service.local.close());

  it.each([
    ['no key', {}],
    ['a wrong key', { 'x-api-key': 'wrong' }],
    ['an empty key', { 'x-api-key': '' }],
    ['the key twice', { 'x-api-key': `${KEY}, ${KEY}` }],
  ])('refuses %s', async (_case, headers: Record<string, string>) => {
    expectFailure(await service.get(TICKER, { headers }), 401, 'Unauthorized');
  });

  it.each(['x-api-key', 'X-API-KEY', 'X-Api-Key'])('lets the key pass as %s', async (name) => {
    expect((await service.get(TICKER, { headers: { [name]: KEY } })).status).toBe(200);
  });

  it('asks for the key before it looks at anything else', async () => {
    expectFailure(await service.get('/api/marketdata/ohlcv/btc-bitcoin?limit=x'), 401, 'Unauthorized');
    expectFailure(await service.get('/x'), 401, 'Unauthorized');
  });
});

it('takes the key before the current one over HTTP while it is being changed', async () => {
  const env = { NODE_ENV: 'production', CLIENT_API_KEY: KEY, CLIENT_API_KEY_PREVIOUS: 'before' };
  const service = await startService({ env });
  try {
    const answers = [];
    for (const key of [KEY, 'before', 'wrong', ''])
      answers.push((await service.get(TICKER, { headers: { 'x-api-key': key } })).status);
    expect(answers).toEqual([200, 200, 401, 401]);
  } finally {
    await service.local.close();
  }
});

it('is never open in production without a configured key', async () => {
  const service = await startService({ env: { NODE_ENV: 'production' } });
  try {
    expectFailure(
      await service.get(TICKER, { headers: { 'x-api-key': '' } }),
      500,
      'Server configuration error',
    );
  } finally {
    await service.local.close();
  }
});
