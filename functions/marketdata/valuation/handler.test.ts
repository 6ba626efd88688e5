import { beforeEach, describe, expect, it, vi } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../shared/platform/time.ts';
import { useMoneyWorld } from '../../../test/money/world.ts';
import { commonHeaders, failure } from '../../../test/pipeline/event.ts';
import { underTest } from '../../../test/pipeline/under-test.ts';
import { NOW } from '../../../test/tokens/world.ts';
import { route } from './route.ts';

const world = useMoneyWorld();
beforeEach(() => {
  world().putPrices({ 'btc-bitcoin': 60_000, 'eth-ethereum': 2_500, 'cat-0': 1e-12 }, { change: 25 });
  world().putRates('2026-09-17');
});

const { ask, dataOf: dataOfAsked, renew } = underTest(route, () => import('./handler.ts'));
const asked = (body: unknown) => ({ body: typeof body === 'string' ? body : JSON.stringify(body) });
const valuationOf = (body: unknown) => ask(asked(body));
const dataOf = (body: unknown) => dataOfAsked(asked(body));

describe('a valuation', () => {
  it('has each position, their total and its change, and exactly the documented fields', async () => {
    const answer = await valuationOf({
      holdings: [
        { id: 'btc-bitcoin', amount: '0.50', cost: '20000' },
        { symbol: 'eth', amount: '3.2' },
      ],
      currency: 'eur',
    });

    const coin = { source: 'simulated', quality: 'exact', dataTime: '2026-09-18T04:11:00.000Z' };
    expect(answer).toEqual({
      status: 200,
      headers: {
        ...commonHeaders(100),
        'x-data-source': 'ecb,simulated',
        'x-data-quality': 'exact',
        'x-data-time': '2026-09-17T14:00:00.000Z',
        'x-registry-version': expect.any(String),
        'cache-control': 'no-store',
      },
      body: {
        success: true,
        data: {
          currency: 'EUR',
          total: '30400',
          isComplete: true,
          change24hPercent: 25,
          changeCoversPercent: 100,
          positions: [
            {
              index: 0,
              id: 'btc-bitcoin',
              symbol: 'BTC',
              name: 'Name of btc-bitcoin',
              amount: '0.5',
              price: '48000',
              value: '24000',
              sharePercent: 78.9474,
              change24hPercent: 25,
              cost: '20000',
              profit: '4000',
              profitPercent: 20,
              ...coin,
            },
            {
              index: 1,
              id: 'eth-ethereum',
              symbol: 'ETH',
              name: 'Name of eth-ethereum',
              amount: '3.2',
              price: '2000',
              value: '6400',
              sharePercent: 21.0526,
              change24hPercent: 25,
              cost: null,
              profit: null,
              profitPercent: null,
              ...coin,
            },
          ],
          missing: [],
          exchangeRate: {
            oneUsd: '0.8',
            source: 'ecb',
            quality: 'exact',
            dataTime: '2026-09-17T14:00:00.000Z',
          },
          rounding: '34 significant digits, half to even',
        },
      },
    });
    world().expectNobodyAsked();
  });

  it('is in US dollars by default, and needs no rates then', async () => {
    world().s3.objects.delete('/bucket/snapshot/rates.v1');

    expect(await dataOf({ holdings: [{ symbol: 'BTC', amount: '2' }] })).toMatchObject({
      currency: 'USD',
      total: '120000',
      exchangeRate: null,
    });
  });

  it('keeps holdings of the same coin apart, with a loss and with a cost of 0', async () => {
    const holdings = [
      { id: 'btc-bitcoin', amount: '1', cost: '80000' },
      { id: 'btc-bitcoin', amount: '1', cost: '0' },
    ];

    expect(await dataOf({ holdings })).toMatchObject({
      total: '120000',
      positions: [
        { index: 0, sharePercent: 50, profit: '-20000', profitPercent: -25 },
        { index: 1, sharePercent: 50, profit: '60000', profitPercent: null },
      ],
    });
  });

  it('rounds the total and each profit once, and not their parts', async () => {
    world().putPrices({ 'eth-ethereum': 1 });
    const holding = { symbol: 'eth', amount: '1.0000000000000000000000000000000004', cost: '1' };

    expect(await dataOf({ holdings: [holding, holding] })).toMatchObject({
      total: '2.000000000000000000000000000000001',
      positions: [{ value: '1', profit: '0.0000000000000000000000000000000004' }, { value: '1' }],
    });
    const dearer = { ...holding, cost: '1.0000000000000000000000000000000006' };
    world().putRates('2026-09-17', { USD: '1.2' });
    renew();
    expect(await dataOf({ holdings: [holding, holding, dearer], currency: 'eur' })).toMatchObject({
      total: '2.500000000000000000000000000000001',
      positions: [
        { value: '0.8333333333333333333333333333333337', profit: '-0.1666666666666666666666666666666663' },
        {},
        { profit: '-0.1666666666666666666666666666666669' },
      ],
    });
  });

  it('lists holdings without a price with the reason, and leaves them out of the total', async () => {
    world().putPrices({ 'btc-bitcoin': 60_000, 'eth-ethereum': null });
    const amount = '1.0';
    const holdings = [
      { id: 'no-such', amount },
      { symbol: 'nosuch', amount },
      { id: 'btc-bitcoin', amount },
      { amount },
      { symbol: 'eur', amount },
      { id: 'btc-bitcoin', symbol: 'ETH', amount },
      { symbol: 'eth', amount },
      { id: 'old-coin', amount },
      { id: 'btc-bitcoin', symbol: ' btc ', amount },
    ];

    const { total, isComplete, positions, missing } = await dataOf({ holdings });

    expect({ total, isComplete }).toEqual({ total: '120000', isComplete: false });
    expect(positions.map(({ index }) => index)).toEqual([2, 8]);
    expect(missing.map(({ index, id, reason, message }) => [index, id, reason, message])).toEqual([
      [0, 'no-such', 'unknown', 'Unknown coin id: no-such; /api/marketdata/search finds coins'],
      [1, null, 'unknown', 'Unknown symbol: nosuch; /api/marketdata/search finds coins'],
      [3, null, 'unnamed', 'Neither id nor symbol; give one of the two'],
      [4, null, 'ambiguous', 'eur is the code of a currency; give a coin of that symbol by its id'],
      [5, 'btc-bitcoin', 'ambiguous', 'The symbol of btc-bitcoin is BTC, not ETH; give one of the two'],
      [
        6,
        'eth-ethereum',
        'unpriced',
        expect.stringMatching(/^No price of eth-ethereum is available; .*fetches it$/),
      ],
      [7, 'old-coin', 'unpriced', expect.stringContaining('No price of old-coin is available')],
    ]);
    expect(missing.every((one) => one.amount === '1')).toBe(true);
    world().expectNobodyAsked();
  });

  it('without any value is 0, complete or not', async () => {
    const nothing = { total: '0', change24hPercent: null, changeCoversPercent: null };

    expect(await dataOf({ holdings: [{ id: 'no-such', amount: '1' }] })).toMatchObject({
      ...nothing,
      isComplete: false,
      positions: [],
    });
    expect(await dataOf({ holdings: [{ symbol: 'btc', amount: '0' }] })).toMatchObject({
      ...nothing,
      isComplete: true,
      positions: [{ value: '0', sharePercent: null }],
    });
  });

  it('has the change of the positions with a known change, and their share of the total', async () => {
    world().putTail({ 'tail-coin': 1 });
    const holdings = [
      { symbol: 'eth', amount: '1.2' },
      { id: 'tail-coin', amount: '1000' },
    ];

    expect(await dataOf({ holdings })).toMatchObject({
      total: '4000',
      change24hPercent: 25,
      changeCoversPercent: 75,
      positions: [{ change24hPercent: 25 }, { change24hPercent: null, source: 'defillama' }],
    });
  });

  it.each([
    [-25, -25, 100],
    [-100, null, 0],
    [-250, null, 0],
  ])('with a change of %s percent has a total change of %s', async (change, change24hPercent, covers) => {
    world().putPrices({ 'btc-bitcoin': 150 }, { change });

    expect(await dataOf({ holdings: [{ symbol: 'btc', amount: '2' }] })).toMatchObject({
      change24hPercent,
      changeCoversPercent: covers,
      positions: [{ change24hPercent: change }],
    });
  });

  it('has the weakest quality and the oldest time of its parts', async () => {
    world().putPrices({ 'btc-bitcoin': 1, 'eth-ethereum': 2 }, { isDisputed: (id) => id === 'btc-bitcoin' });
    const holdings = ['btc', 'eth'].map((symbol) => ({ symbol, amount: '1' }));

    const { headers } = await valuationOf({ holdings });
    expect(headers).toMatchObject({ 'x-data-quality': 'disputed', 'x-data-source': 'simulated' });

    vi.setSystemTime(NOW + 5 * DAY_MS);
    world().putPrices({ 'btc-bitcoin': 1 }, { takenAt: NOW + 5 * DAY_MS - HOUR_MS });
    renew();
    expect((await valuationOf({ holdings, currency: 'GBP' })).headers).toMatchObject({
      'x-data-quality': 'stale',
      'x-data-time': '2026-09-17T14:00:00.000Z',
    });
  });
});

describe('an invalid valuation', () => {
  const one = { symbol: 'btc', amount: '1' };
  const words =
    'a text of decimal digits, up to 31 before and 64 after the point, without sign or exponent, such as 1.5';
  const list = `a list of 1 to 200 objects with id or symbol, amount, and optionally cost; amount and cost are each ${words}`;
  const body = 'in the body; allowed: holdings, currency, at';

  it.each([
    ['{"holdings":[{"amount":"1"}],"__proto__":1}', `Unknown field "__proto__" ${body}`],
    [
      { holdings: [one, { ...one, Cost: '5' }] },
      'Unknown field "Cost" in holdings/1; allowed: id, symbol, amount, cost',
    ],
    [{ holdings: [] }, `Invalid parameter holdings: []; allowed: ${list}`],
    [{ holdings: Array(201).fill(one) }, `…; allowed: ${list}`],
    [
      { holdings: [one, { ...one, cost: '-5' }] },
      `Invalid parameter holdings/1/cost: "-5"; allowed: ${words}`,
    ],
    [
      { holdings: [one], currency: 'btc' },
      'Invalid parameter currency: "btc"; allowed: an ISO 4217 code such as EUR',
    ],
  ])('is refused with the reason: %j', async (given, error) => {
    const answer = await valuationOf(given);

    expect(answer.body).toEqual(failure(expect.stringContaining(error)));
    expect(answer.status).toBe(400);
  });

  it('is a 503 that names a currency without a rate', async () => {
    world().s3.objects.delete('/bucket/snapshot/rates.v1');
    const error = 'No exchange rate of GBP is available; use USD, or try again later';

    expect(await valuationOf({ holdings: [one], currency: 'gbp' })).toMatchObject({
      status: 503,
      body: failure(error),
    });
  });
});
