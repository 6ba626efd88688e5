import { beforeEach, describe, expect, it } from 'vitest';
import { publicFor } from '../../../shared/http/cache-control.ts';
import { compileResponse } from '../../../shared/http/compile-schemas.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/platform/time.ts';
import { daysBefore, putDays, putMonth, storedCandle } from '../../../test/history/stored.ts';
import { useMoneyWorld } from '../../../test/money/world.ts';
import { underTest } from '../../../test/pipeline/under-test.ts';
import { NOW } from '../../../test/tokens/world.ts';
import { route } from './route.ts';

const world = useMoneyWorld();
const TODAY = NOW - (NOW % DAY_MS);
const seconds = (at: number) => Math.floor(at / 1000);
const schemas = new Map<string, (answer: unknown) => string[]>(
  route.adapter?.routes.flatMap(({ path, response }) =>
    typeof response === 'string' ? [] : [[path, compileResponse(response)] as const],
  ),
);

beforeEach(() => {
  world().putPrices({ 'btc-bitcoin': 60_000, 'eth-ethereum': 0.5, 'cat-0': 1.25e-9, '战旗-战旗': 1e-20 });
});

const served = underTest(route, () => import('./handler.ts'));
async function get(name: string, query: Readonly<Record<string, string | number>> = {}) {
  const path = `/udf/${name}`;
  const texts = Object.fromEntries(Object.entries(query).map(([key, value]) => [key, String(value)]));
  const { status, headers, body } = await served.send({ path, query: new URLSearchParams(texts).toString() });
  expect(status).toBe(200);
  const answer = JSON.parse(body);
  expect(schemas.get(path)?.(answer) ?? []).toEqual([]);
  return { headers, answer };
}

const history = async (query: Readonly<Record<string, string | number>>) =>
  (await get('history', { symbol: 'btc-bitcoin', resolution: '1D', ...query })).answer;

describe('the data feed', () => {
  it('serves its configuration and the time', async () => {
    const { headers, answer } = await get('config');
    expect(answer).toMatchObject({
      supports_search: true,
      supports_group_request: false,
      supports_time: true,
      supported_resolutions: ['60', '1D', '1W', '1M'],
    });
    expect(headers).toMatchObject({ 'cache-control': publicFor(3600) });
    const time = await get('time');
    expect(time.answer).toBe(seconds(NOW));
    expect(time.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
    });
  });

  it.each([
    ['btc-bitcoin', 'btc-bitcoin'],
    ['BTC-BITCOIN', 'btc-bitcoin'],
    ['BTC', 'btc-bitcoin'],
    ['marketdata:btc', 'btc-bitcoin'],
    ['KRAKEN:eth-ethereum', 'eth-ethereum'],
    ['战旗-战旗', '战旗-战旗'],
  ])('finds the coin of %s', async (symbol, ticker) => {
    const { answer } = await get('symbols', { symbol });
    expect(answer).toMatchObject({
      ticker,
      session: '24x7',
      timezone: 'Etc/UTC',
      has_weekly_and_monthly: false,
    });
  });

  it.each([
    ['btc-bitcoin', 100],
    ['eth-ethereum', 100_000],
    ['cat-0', 1e13],
    ['战旗-战旗', 1e15],
    ['tail-coin', 1e8],
  ])('shows prices of %s with a scale of %d', async (symbol, pricescale) => {
    expect((await get('symbols', { symbol })).answer).toMatchObject({ pricescale });
    world().expectNobodyAsked();
  });

  it.each([
    ['symbols', {}, 'Missing parameter: symbol'],
    ['symbols', { symbol: 'no-coin' }, 'Unknown symbol: no-coin'],
    ['history', { symbol: 'btc-bitcoin', resolution: '1D' }, 'Missing parameter: to'],
    ['history', { symbol: 'btc-bitcoin', resolution: '1D', to: 1 }, 'Missing parameter: from'],
    [
      'history',
      { symbol: 'btc-bitcoin', resolution: '1W', to: 1, from: 0 },
      'Invalid parameter resolution: "1W"; allowed: 60, 1D',
    ],
    [
      'history',
      { symbol: 'btc-bitcoin', resolution: '1D', to: 'x', from: 0 },
      'Invalid parameter to: "x"; allowed: a whole number',
    ],
    [
      'quotes',
      {},
      'No such route: /udf/quotes; there are /udf/config, /udf/time, /udf/symbols, /udf/search, /udf/history',
    ],
  ])('has an error in the status of its response: %s %j', async (name, query, errmsg) => {
    const { headers, answer } = await get(name, query);
    expect(answer).toEqual({ s: 'error', errmsg });
    expect(headers).toMatchObject({ 'cache-control': 'no-store' });
  });
});

describe('the search', () => {
  it('finds active coins, whose tickers are their ids', async () => {
    const { answer } = await get('search', { query: 'BTC', type: '', exchange: '', limit: 1 });
    expect(answer).toEqual([
      {
        symbol: 'BTC',
        full_name: 'BTC',
        description: 'Name of btc-bitcoin',
        exchange: 'marketdata',
        ticker: 'btc-bitcoin',
        type: 'crypto',
      },
    ]);
    expect((await get('search', { query: 'OLD' })).answer).not.toContainEqual(
      expect.objectContaining({ ticker: 'old-coin' }),
    );
  });

  it('returns the first coins by rank without words, 30 by default', async () => {
    expect((await get('search', { query: '', limit: 2 })).answer).toMatchObject([
      { ticker: 'btc-bitcoin' },
      { ticker: 'eth-ethereum' },
    ]);
    expect((await get('search', { query: 'cat', limit: 'x' })).answer).toHaveLength(30);
  });
});

describe('the bars', () => {
  beforeEach(() => {
    putDays(world().s3, 'btc-bitcoin', daysBefore(TODAY, 500));
  });

  it('are counted back from a time, exclusive, whatever `from` is', async () => {
    const to = TODAY - 10 * DAY_MS;
    const answer = await history({
      to: seconds(to),
      from: seconds(to - DAY_MS),
      countback: 3,
      firstDataRequest: 'false',
    });
    expect(answer).toEqual({
      s: 'ok',
      t: [3, 2, 1].map((days) => seconds(to - days * DAY_MS)),
      o: [587, 588, 589],
      h: [587, 588, 589].map((price) => price * 1.2),
      l: [587, 588, 589].map((price) => price * 0.9),
      c: [587, 588, 589].map((price) => price * 1.1),
      v: [1000, 1000, 1000],
    });
  });

  it('go from one time to another for a library that does not count', async () => {
    const to = TODAY - 10 * DAY_MS;
    const { t } = await history({ to: seconds(to), from: seconds(to - 5 * DAY_MS) });
    expect(t).toEqual([5, 4, 3, 2, 1].map((days) => seconds(to - days * DAY_MS)));
  });

  it('end with the running one, which has the current price', async () => {
    const { headers, answer } = await get('history', {
      symbol: 'btc-bitcoin',
      resolution: '1D',
      from: seconds(NOW - 2 * DAY_MS),
      to: seconds(NOW + DAY_MS),
      countback: 2,
    });
    expect(answer.t).toEqual([seconds(TODAY - DAY_MS), seconds(TODAY)]);
    expect(answer.c[1]).toBe(60_000);
    expect(answer).not.toHaveProperty('v'); // the volume of the running day is not known
    expect(headers).toMatchObject({ 'x-data-source': 'coinpaprika,simulated' });
  });

  it('of hours begin with theirs', async () => {
    const hours = Array.from({ length: 5 }, (_, index) =>
      storedCandle(TODAY + (index - 5) * HOUR_MS, HOUR_MS, 100),
    );
    putMonth(world().s3, 'btc-bitcoin', hours);
    const { t } = await history({ resolution: '60', to: seconds(TODAY), countback: 2 });
    expect(t).toEqual([seconds(TODAY - 2 * HOUR_MS), seconds(TODAY - HOUR_MS)]);
  });

  it('are the last 366 of more, so that the library pages back', async () => {
    const { t } = await history({ to: seconds(TODAY), countback: 5_000 });
    expect([t.length, t[0]]).toEqual([366, seconds(TODAY - 366 * DAY_MS)]);
    const { t: before } = await history({ to: t[0], countback: 5_000 });
    expect([before.length, before.at(-1)]).toEqual([134, seconds(TODAY - 367 * DAY_MS)]);
  });

  it('that are missing name the last bar before them, or the end of the history', async () => {
    const at = TODAY - 300 * DAY_MS;
    // The provider was asked about all of it.
    putDays(world().s3, 'eth-ethereum', [storedCandle(at, DAY_MS, 1)], {
      from: at - 400 * DAY_MS,
      to: TODAY,
    });
    const barsBefore = (to: number) => history({ symbol: 'eth-ethereum', to: seconds(to), countback: 5 });

    expect(await barsBefore(at + 10 * DAY_MS)).toEqual({ s: 'no_data', nextTime: seconds(at) });
    expect(await barsBefore(at)).toEqual({ s: 'no_data' });
  });

  it.each([0, 1, 86_399])('that end at %d are missing, without an earlier bar', async (to) => {
    for (const countback of [0, 1, 9_999_999_999])
      expect(await history({ to, countback })).toEqual({ s: 'no_data' });
  });

  it('that cannot be fetched are an error, and not the end of the history', async () => {
    expect(await history({ symbol: 'eth-ethereum', to: seconds(TODAY), countback: 5 })).toEqual({
      s: 'error',
      errmsg: expect.stringMatching(/^Rate limit exceeded: the provider's/),
    });
  });
});
