import Big from 'big.js';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { publicFor } from '../../../shared/http/cache-control.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../shared/platform/time.ts';
import { cats, useMoneyWorld } from '../../../test/money/world.ts';
import { commonHeaders, failure, refusalHeaders } from '../../../test/pipeline/event.ts';
import { underTest } from '../../../test/pipeline/under-test.ts';
import { NOW } from '../../../test/tokens/world.ts';
import { route } from './route.ts';

const world = useMoneyWorld();
beforeEach(() => {
  world().putPrices({ 'btc-bitcoin': 60_000, 'eth-ethereum': 2_500, 'cat-0': 1e-12, 'eur-euro-coin': 7 });
  world().putRates('2026-09-17');
});

const { ask, dataOf: dataOfQuery, renew } = underTest(route, () => import('./handler.ts'));
const queryOf = (amount: string, from: string, to: string) =>
  new URLSearchParams({ amount, from, to }).toString();
const convert = (...asked: Parameters<typeof queryOf>) => ask({ query: queryOf(...asked) });
const dataOf = (...asked: Parameters<typeof queryOf>) => dataOfQuery({ query: queryOf(...asked) });

describe('an amount in another coin or currency', () => {
  it('has both legs with their times, and exactly the documented fields', async () => {
    const answer = await convert('1.50', 'btc', 'jpy');

    expect(answer).toEqual({
      status: 200,
      headers: {
        ...commonHeaders(100),
        'x-data-source': 'simulated,ecb',
        'x-data-quality': 'exact',
        'x-data-time': '2026-09-17T14:00:00.000Z',
        'x-registry-version': expect.any(String),
        'cache-control': publicFor(540),
      },
      body: {
        success: true,
        data: {
          amount: '1.5',
          from: {
            kind: 'coin',
            id: 'btc-bitcoin',
            symbol: 'BTC',
            name: 'Name of btc-bitcoin',
            source: 'simulated',
            quality: 'exact',
            dataTime: '2026-09-18T04:11:00.000Z',
          },
          to: {
            kind: 'currency',
            code: 'JPY',
            source: 'ecb',
            quality: 'exact',
            dataTime: '2026-09-17T14:00:00.000Z',
          },
          rate: '8666400',
          result: '12999600',
          rounding: '34 significant digits, half to even',
          ageSeconds: (14 * HOUR_MS + 12 * MINUTE_MS) / 1000,
        },
      },
    });
    world().expectNobodyAsked();
  });

  it.each([
    ['coin to coin', '2', 'btc-bitcoin', 'eth-ethereum', '24', '48'],
    ['coin to dollar', '0.1', 'btc-bitcoin', 'usd', '60000', '6000'],
    ['coin to euro', '1', 'btc-bitcoin', 'EUR', '48000', '48000'],
    ['currency to currency', '10', 'Gbp', 'eur', '1.25', '12.5'],
    ['currency to coin', '90000', 'USD', 'btc', '0.00001666666666666666666666666666666667', '1.5'],
    ['a third of a coin', '1', 'eth', 'btc', '0.04166666666666666666666666666666667', null],
    [
      'coin to itself',
      '123456789012345678901234567890.123456789012345678901234567891',
      'btc',
      'BTC',
      '1',
      null,
    ],
    ['dollar to dollar', '1', 'usd', 'USD', '1', '1'],
    ['euro to itself', '1', 'eur', 'EUR', '1', '1'],
    ['nothing', '0.000', 'btc', 'usd', '60000', '0'],
    ['at a tiny price', '1', 'cat', 'usd', '0.000000000001', '0.000000000001'],
    ['into a tiny price', '1', 'usd', 'cat-0', '1000000000000', '1000000000000'],
  ])('is right: %s', async (_what, amount, from, to, rate, result) => {
    const plain = new Big(amount).toFixed();
    expect(await dataOf(amount, from, to)).toMatchObject({
      amount: plain,
      rate,
      result: result ?? expect.any(String),
    });
    if (rate === '1') expect(await dataOf(amount, from, to)).toMatchObject({ result: plain });
  });

  it('is correct for the largest amount and for the most decimals', async () => {
    const amount = `1${'0'.repeat(30)}.${'0'.repeat(29)}1`;

    expect(await dataOf(amount, 'btc', 'usd')).toMatchObject({ amount, result: `6${'0'.repeat(34)}` });
    expect(await dataOf(`0.${'0'.repeat(29)}1`, 'cat-0', 'btc')).toMatchObject({
      result: expect.stringMatching(/^0\.0{46}16{32}7$/),
    });
  });

  it('has no time and no age from dollar to dollar', async () => {
    expect(await dataOf('1', 'usd', 'usd')).toMatchObject({
      from: { code: 'USD', source: null, quality: 'exact', dataTime: null },
      ageSeconds: null,
    });
  });

  it('resolves a symbol by the registry’s rule and returns the id', async () => {
    expect(cats).toHaveLength(65);
    expect((await dataOf('1', 'cAt', 'usd')).from).toMatchObject({ id: 'cat-0', symbol: 'CAT' });
  });

  it('prefers a currency to a coin with the same code, which is reached by its id', async () => {
    expect((await dataOf('1', 'eur', 'usd')).from).toMatchObject({ kind: 'currency', code: 'EUR' });
    expect((await dataOf('1', 'usd', 'usd')).from).toMatchObject({ kind: 'currency', code: 'USD' });
    expect((await dataOf('1', 'eur-euro-coin', 'usd')).from).toMatchObject({ kind: 'coin', symbol: 'EUR' });
  });

  it('has the weaker quality of the two, and is not cached if one is stale', async () => {
    world().putPrices({ 'btc-bitcoin': 1, 'eth-ethereum': 2 }, { isDisputed: (id) => id === 'eth-ethereum' });
    const disputed = await convert('1', 'btc', 'eth');
    expect(disputed.headers['x-data-quality']).toBe('disputed');
    expect(disputed.body).toMatchObject({
      data: { from: { quality: 'exact' }, to: { quality: 'disputed' } },
    });

    vi.setSystemTime(NOW + 5 * DAY_MS); // the rates are too old then
    world().putPrices({ 'btc-bitcoin': 1 }, { takenAt: NOW + 5 * DAY_MS - MINUTE_MS });
    renew();
    const stale = await convert('1', 'btc', 'gbp');
    expect(stale.headers).toMatchObject({ 'x-data-quality': 'stale', 'cache-control': publicFor(0) });
    expect(stale.body).toMatchObject({ data: { from: { quality: 'exact' }, to: { quality: 'stale' } } });
  });
});

describe('exchange rates', () => {
  it.each([
    ['none are stored', () => world().s3.objects.delete('/bucket/snapshot/rates.v1')],
    [
      'they cannot be read',
      () => world().s3.objects.set('/bucket/snapshot/rates.v1', Buffer.from('{"day":1}')),
    ],
    ['one is missing', () => world().putRates('2026-09-17', { USD: '1.1' })],
  ])('a 503 names the currency if %s, and US dollars need none', async (_where, spoil) => {
    spoil();
    const error = 'No exchange rate of GBP is available; use USD, or try again later';

    expect(await convert('1', 'btc', 'gbp')).toMatchObject({ status: 503, body: failure(error) });
    expect(await convert('1', 'gbp', 'gbp')).toMatchObject({ status: 503 });
    expect(await dataOf('1', 'btc', 'usd')).toMatchObject({ result: '60000' });
  });
});

describe('what cannot be converted', () => {
  it('is a 404 that names it and what is allowed, if the name is unknown', async () => {
    const answer = await convert('1', 'no-such', 'usd');

    expect(answer).toMatchObject({
      status: 404,
      headers: refusalHeaders(100),
      body: failure(
        expect.stringMatching(
          /^Unknown coin or currency: no-such; allowed: a coin id .* of a currency, such as EUR$/,
        ),
      ),
    });
    expect((await convert('1', 'usd', 'CHX')).status).toBe(404);
    // A symbol may have blanks around it, a code may not: this is the coin of that symbol.
    world().putPrices({ usd: 2 });
    renew();
    expect((await dataOf('1', ' usd', 'eur')).from).toMatchObject({ kind: 'coin', id: 'usd' });
  });

  it.each([
    ['no price', null],
    ['a price of zero', 0],
  ])('is a 404 if the listed coin has %s, and costs no request', async (_what, price) => {
    world().putPrices({ 'btc-bitcoin': price });

    expect(await convert('1', 'usd', 'btc')).toMatchObject({
      status: 404,
      body: failure('No price of btc-bitcoin is known'),
    });
    world().expectNobodyAsked();
  });

  it('is a coin that is not stored only while the provider has no price of it either', async () => {
    const refused = await convert('1', 'cat-1', 'usd');
    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': expect.any(String) } });

    world().owned['cat-1'] = 3;
    vi.setSystemTime(NOW + MINUTE_MS);
    expect(await dataOf('2', 'cat-1', 'usd')).toMatchObject({
      from: { id: 'cat-1', source: 'coinpaprika', quality: 'exact' },
      result: '6',
    });
  });

  it.each(['btc-bitcoin', 'tail-coin'])(
    'is never %s, whose price is fetched once it is too old',
    async (id) => {
      world().putTail({ 'tail-coin': 0.5 });
      world().owned[id] = 5;
      vi.setSystemTime(NOW + 13 * HOUR_MS); // as where the clock is ahead
      world().putRates('2026-09-17');

      expect(await dataOf('1', id, 'usd')).toMatchObject({ result: '5' });
      expect(world().asked).toHaveLength(1);
    },
  );

  it('is neither an inactive coin, whose price is fetched, nor any coin while there is no list', async () => {
    world().s3.objects.delete('/bucket/snapshot/tickers.v4');
    world().owned['old-coin'] = 4;

    expect(await dataOf('1', 'old-coin', 'usd')).toMatchObject({ result: '4' });
    expect(await dataOf('1', 'gbp', 'usd')).toMatchObject({ result: '1.5625' });
    expect(world().asked).toHaveLength(1);
  });

  it.each(['-1', '+1', '1e5', 'NaN', 'Infinity', ' 1', '1 ', '1,5', '.5', '5.', '0x1', '١', '1\n'])(
    'is a 400 that says what is allowed, if the amount is %j',
    async (amount) => {
      expect(await convert(amount, 'btc', 'usd')).toMatchObject({
        status: 400,
        body: failure(
          `Invalid parameter amount: ${JSON.stringify(amount)}; allowed: a text of decimal digits, up to 31 before ` +
            'and 64 after the point, without sign or exponent, such as 1.5',
        ),
      });
    },
  );
});
