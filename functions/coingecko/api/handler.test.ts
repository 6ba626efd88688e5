import { beforeEach, describe, expect, it, vi } from 'vitest';
import { compileResponse } from '../../../shared/http/compile-schemas.ts';
import { findByPath } from '../../../shared/http/path-pattern.ts';
import { objectNames } from '../../../shared/marketdata/store/names.ts';
import { encodeWeek } from '../../../shared/marketdata/store/week.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/platform/time.ts';
import {
  daysBefore,
  exactCandle,
  objectPath,
  putDays,
  putHours,
  putMonth,
  storedCandle,
} from '../../../test/history/stored.ts';
import { useMoneyWorld } from '../../../test/money/world.ts';
import { underTest } from '../../../test/pipeline/under-test.ts';
import { addressOf, NOW } from '../../../test/tokens/world.ts';
import { routes } from '../routes.ts';
import { route } from './route.ts';

const world = useMoneyWorld();
const TODAY = NOW - (NOW % DAY_MS);
const THIS_HOUR = NOW - (NOW % HOUR_MS);
/** When `putPrices` says that its prices were made. */
const MADE = '2026-09-18T04:11:00.000Z';
const TOKEN = addressOf(0xabc);
const patterns = Object.fromEntries(routes.map(({ name, path }) => [path, name]));
const schemas = new Map(
  routes.flatMap(({ name, response }) =>
    typeof response === 'string' ? [] : [[name, compileResponse(response)] as const],
  ),
);

interface Chart {
  readonly prices: [number, number][];
  readonly market_caps: [number, number | null][];
  readonly total_volumes: [number, number | null][];
}

beforeEach(() => {
  const { putPrices, putRates, putPastRates, putContracts } = world();
  putPrices({ 'btc-bitcoin': 60_000, 'eth-ethereum': 2_500, 'cat-0': 1.23456789e-9, '战旗-战旗': null });
  putRates('2026-09-17');
  putPastRates('E', { '2026-09-17': { USD: '1.25' } });
  putContracts({ ethereum: { [TOKEN]: 'cat-0', [addressOf(1)]: 'eur-euro-coin' } });
});

const served = underTest(route, () => import('./handler.ts'));
async function ask(path: string, given: { headers?: Record<string, string>; method?: string } = {}) {
  const [rawPath = '', query = ''] = `/coingecko/api/v3/${path}`.split('?');
  const { status, headers, body } = await served.send({ path: rawPath, query, ...given });
  const name = findByPath(patterns, rawPath.replace(/\/$/, ''))?.found;
  return { status, headers, body: JSON.parse(body), name };
}

/** The response of a successful request; its body fits the schema of its route. */
async function get(path: string) {
  const answer = await ask(path);
  expect([answer.status, answer.status === 200 ? '' : answer.body]).toEqual([200, '']);
  expect(schemas.get(answer.name ?? '')?.(answer.body)).toEqual([]);
  return answer;
}

const bodyOf = async (path: string) => (await get(path)).body;

describe('prices', () => {
  it('come from stored rows, by ids, names and symbols, without unknown coins and currencies', async () => {
    const { headers, body } = await get(
      'simple/price?ids=bitcoin,ethereum,nonsense&vs_currencies=usd,eur,xxx',
    );
    expect(body).toEqual({ bitcoin: { usd: 60_000, eur: 48_000 }, ethereum: { usd: 2_500, eur: 2_000 } });
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-data-source': 'simulated,ecb',
      'x-data-quality': 'exact',
      'cache-control': expect.stringContaining('max-age='),
    });
    expect(await bodyOf('simple/price?symbols=btc&vs_currencies=btc,sats')).toEqual({
      bitcoin: { btc: 1, sats: 1e8 },
    });
    expect(await bodyOf('simple/price?names=name%20of%20eth-ethereum&vs_currencies=usd')).toEqual({
      ethereum: { usd: 2_500 },
    });
    expect(await bodyOf('simple/price?ids=nonsense&vs_currencies=usd')).toEqual({});
    expect(await bodyOf('simple/price/?ids=bitcoin&vs_currencies=usd')).toEqual({ bitcoin: { usd: 60_000 } });
    world().expectNobodyAsked();
  });

  it('come with the included figures, in percent and unix seconds', async () => {
    world().putPrices({ 'btc-bitcoin': 60_000, 'eth-ethereum': 2_500 }, { change: 20 });
    const flags = 'include_24hr_change=true&include_last_updated_at=true&include_market_cap=true';
    expect(
      await bodyOf(`simple/price?ids=bitcoin&vs_currencies=usd,eth&${flags}&include_24hr_vol=true`),
    ).toEqual({
      bitcoin: {
        ...{ usd: 60_000, usd_24h_change: 20, usd_market_cap: null, usd_24h_vol: null },
        ...{ eth: 24, eth_24h_change: 0, eth_market_cap: null, eth_24h_vol: null },
        last_updated_at: Date.parse(MADE) / 1000,
      },
    });
  });

  it('accept lists in every notation of clients, and ignore undefined', async () => {
    const expected = { bitcoin: { usd: 60_000 }, ethereum: { usd: 2_500 } };
    for (const ids of ['bitcoin,ethereum', 'bitcoin%2Cethereum', 'Bitcoin, ethereum,,bitcoin'])
      expect(await bodyOf(`simple/price?ids=${ids}&vs_currencies=USD&precision=undefined&x=1`)).toEqual(
        expected,
      );
    expect(await bodyOf('simple/price?ids=undefined&symbols=eth&vs_currencies=usd')).toEqual({
      ethereum: { usd: 2_500 },
    });
  });

  it('have six figures below a dollar, or the requested number of decimals', async () => {
    const price = async (precision: string) =>
      (await bodyOf(`simple/price?ids=cat_0&vs_currencies=usd${precision}`)).cat_0.usd;
    expect(await price('')).toBe(1.23457e-9);
    expect(await price('&precision=full')).toBe(1.23456789e-9);
    expect(await price('&precision=10')).toBe(1.2e-9);
  });

  it('of tokens are found by their contracts', async () => {
    const addresses = `${TOKEN.toUpperCase().replace('0X', '0x')},${addressOf(1)},${addressOf(2)}`;
    expect(
      await bodyOf(`simple/token_price/ethereum?contract_addresses=${addresses}&vs_currencies=usd`),
    ).toEqual({
      [TOKEN]: { usd: 1.23457e-9 },
    });
    const unknown = await ask('simple/token_price/moon?contract_addresses=0x1&vs_currencies=usd');
    expect([unknown.status, unknown.body.error]).toEqual([
      404,
      expect.stringContaining('there are ethereum,'),
    ]);
  });

  it('of a single coin are fetched if no store has them, those of a list never', async () => {
    world().owned['cat-7'] = 7;
    world().owned['cat-8'] = 8;
    expect(await bodyOf('simple/price?ids=cat_7,cat_8&vs_currencies=usd')).toEqual({});
    world().expectNobodyAsked();
    expect(await bodyOf('simple/price?ids=cat_7&vs_currencies=usd')).toEqual({ cat_7: { usd: 7 } });
    expect(world().asked).toHaveLength(1);
  });
});

describe('the market', () => {
  it('is a page of rows by market cap, with null for unknown figures', async () => {
    const { headers, body } = await get('coins/markets?vs_currency=eur&price_change_percentage=1h,14d,2h');
    expect(body.map(({ id }: { id: string }) => id)).toEqual(
      expect.arrayContaining(['bitcoin', 'ethereum', 'cat_0']),
    );
    expect(body[0]).toMatchObject({
      ...{ symbol: 'x', high_24h: null, low_24h: null, ath: null, atl: null, roi: null, last_updated: MADE },
      image: expect.stringMatching(/^https:\/\/.*\/logo\.png$/),
      ...{ price_change_percentage_1h_in_currency: null, price_change_percentage_14d_in_currency: null },
    });
    expect(body[0]).not.toHaveProperty('price_change_percentage_2h_in_currency');
    expect(body[0]).not.toHaveProperty('sparkline_in_7d');
    expect(headers).toMatchObject({ 'x-data-source': 'simulated,ecb' });
    world().expectNobodyAsked();
  });

  it('has pages and orders, and an empty page after the last', async () => {
    const ids = async (query: string) =>
      (await bodyOf(`coins/markets?vs_currency=usd&${query}`)).map(({ id }: { id: string }) => id);
    const all = await ids('order=id_asc');
    expect(all).toEqual(all.toSorted());
    expect(await ids('order=id_desc')).toEqual(all.toReversed());
    expect([
      ...(await ids('order=id_asc&per_page=2')),
      ...(await ids('order=id_asc&per_page=2&page=2')),
    ]).toEqual(all);
    expect(await ids('page=9999999')).toEqual([]);
    expect(await ids('per_page=0&page=-3&order=gecko_desc')).toHaveLength(1);
    expect(await ids('ids=ethereum,bitcoin,nonsense')).toEqual(['bitcoin', 'ethereum']);
  });

  it('has a week of hours for each coin, in the currency', async () => {
    const closes = [3, 2, 1].map(
      (hours) =>
        [
          THIS_HOUR - hours * HOUR_MS,
          {
            time: THIS_HOUR - hours * HOUR_MS,
            price: 50_000 + hours,
            quality: 'sampled',
            source: 'coinpaprika',
          } as const,
        ] as const,
    );
    const week = encodeWeek(THIS_HOUR, [['btc-bitcoin', new Map(closes)]]);
    world().s3.objects.set(objectPath(objectNames.week), week);
    const path = 'coins/markets?vs_currency=eur&ids=bitcoin,ethereum&sparkline=true';
    const { headers, body } = await get(path);
    // Times 0.8, in five figures.
    expect(body[0].sparkline_in_7d.price).toEqual([40_002, 40_002, 40_001]);
    expect(body[1].sparkline_in_7d).toEqual({ price: [] });
    expect(headers).toMatchObject({ 'x-data-source': expect.stringContaining('coinpaprika') });
    world().expectNobodyAsked();
  });

  it('as a whole is in every currency', async () => {
    const { data } = await bodyOf('global');
    expect(data).toMatchObject({
      active_cryptocurrencies: 76,
      updated_at: expect.any(Number),
      markets: null,
    });
  });
});

describe('a coin', () => {
  it('has its figures in every supported currency', async () => {
    const coin = await bodyOf('coins/bitcoin');
    const currencies = await bodyOf('simple/supported_vs_currencies');
    expect(currencies).toEqual(['eur', 'gbp', 'jpy', 'ron', 'usd', 'btc', 'eth', 'bits', 'sats']);
    expect(Object.keys(coin.market_data.current_price).toSorted()).toEqual(currencies.toSorted());
    expect(coin).toMatchObject({
      ...{
        id: 'bitcoin',
        symbol: 'btc',
        name: 'Name of btc-bitcoin',
        platforms: {},
        asset_platform_id: null,
      },
      ...{ tickers: [], categories: [], description: { en: '' }, last_updated: MADE },
      image: { thumb: expect.any(String), small: expect.any(String), large: expect.any(String) },
      market_data: { current_price: { usd: 60_000, eur: 48_000, btc: 1 }, ath: {}, roi: null },
    });
    const short = await bodyOf('coins/bitcoin?market_data=false&localization=false&tickers=false');
    for (const name of ['market_data', 'localization', 'tickers']) expect(short).not.toHaveProperty(name);
  });

  it('is found by a contract', async () => {
    const coin = await bodyOf(`coins/ethereum/contract/${TOKEN}`);
    expect(coin).toMatchObject({
      id: 'cat_0',
      asset_platform_id: 'ethereum',
      platforms: { ethereum: TOKEN },
    });
    expect(coin.contract_address).toBe(TOKEN);
    for (const address of [addressOf(1), addressOf(2), 'x'])
      expect(await ask(`coins/ethereum/contract/${address}`)).toMatchObject({ status: 404 });
  });

  it('is in the list if it is active, with its contracts', async () => {
    const list = await bodyOf('coins/list?include_platform=true');
    expect(list).toContainEqual({ id: 'bitcoin', symbol: 'btc', name: 'Name of btc-bitcoin', platforms: {} });
    expect(list).toContainEqual(expect.objectContaining({ id: 'cat_0', platforms: { ethereum: TOKEN } }));
    expect(list).not.toContainEqual(expect.objectContaining({ id: 'old' }));
    expect(await bodyOf('coins/list?status=inactive')).toEqual([
      { id: 'old', symbol: 'old', name: 'Name of old-coin' },
    ]);
  });

  it('is found by a search, with its symbol in capitals', async () => {
    const { coins, exchanges } = await bodyOf('search?query=BTC');
    expect(coins[0]).toMatchObject({ id: 'bitcoin', symbol: 'BTC', market_cap_rank: 1 });
    expect(exchanges).toEqual([]);
    expect(await bodyOf('search/trending')).toEqual({ coins: [], nfts: [], categories: [] });
  });
});

describe('the past', () => {
  beforeEach(() => {
    const { s3 } = world();
    putDays(s3, 'btc-bitcoin', daysBefore(TODAY, 400), { from: TODAY - 400 * DAY_MS, to: TODAY });
    const hours = Array.from({ length: 40 * 24 }, (_, index) =>
      exactCandle(TODAY - (40 * 24 - index) * HOUR_MS, HOUR_MS, 50_000 + index),
    );
    putMonth(s3, 'btc-bitcoin', hours, { from: TODAY - 40 * DAY_MS, to: TODAY });
    const today = Array.from({ length: 4 }, (_, index) =>
      storedCandle(TODAY + index * HOUR_MS, HOUR_MS, 60_000),
    );
    putHours(s3, TODAY, { 'btc-bitcoin': today });
  });

  const chartOf = (query: string): Promise<Chart> => bodyOf(`coins/bitcoin/market_chart?${query}`);

  it('has days for a long window, each dated by its end, up to now', async () => {
    const { prices, market_caps, total_volumes } = await chartOf('vs_currency=usd&days=200');
    expect(prices.slice(-2)).toEqual(
      [
        [TODAY, 549], // the close of the day before: 499 · 1.1 in the store of 400 days
        [expect.any(Number), 60_000],
      ].map(([time, price]) => [time, expect.closeTo(Number(price), -3)]),
    );
    const times = prices.slice(0, -1).map(([time]) => time);
    expect(times).toEqual(times.map((_, index) => TODAY - (times.length - 1 - index) * DAY_MS));
    expect(prices).toHaveLength(201);
    expect([market_caps.length, total_volumes.length]).toEqual([201, 201]);
    expect(market_caps[0]).toEqual([prices[0]?.[0], 5000]);
    world().expectNobodyAsked();
  });

  it('has hours for a short window, with null for unknown amounts', async () => {
    const { prices, market_caps } = await chartOf('vs_currency=usd&days=7');
    expect(prices).toHaveLength(7 * 24 + 1);
    expect(prices[0]).toEqual([THIS_HOUR - 7 * DAY_MS + HOUR_MS, expect.any(Number)]);
    expect(market_caps[0]?.[1]).toBeNull();
    world().expectNobodyAsked();
  });

  it('has the requested interval, and hours only as far back as they are stored', async () => {
    const daily = await chartOf('vs_currency=usd&days=7&interval=daily');
    expect(daily.prices).toHaveLength(8);
    const long = await chartOf('vs_currency=usd&days=60');
    const steps = new Set(
      long.prices.slice(1, -1).map(([time], index) => time - (long.prices[index]?.[0] ?? 0)),
    );
    expect([...steps].toSorted((a, b) => a - b)).toContain(HOUR_MS);
    expect(Math.max(...steps)).toBe(DAY_MS);
    expect((await chartOf('vs_currency=usd&days=max')).prices.length).toBeGreaterThanOrEqual(400);
  });

  it('between two times begins and ends there', async () => {
    const [from, to] = [TODAY - 20 * DAY_MS, TODAY - 19 * DAY_MS];
    const query = `vs_currency=usd&from=${from / 1000}&to=${to / 1000}`;
    const { prices }: Chart = await bodyOf(`coins/bitcoin/market_chart/range?${query}`);
    expect([prices.length, prices[0]?.[0], prices.at(-1)?.[0]]).toEqual([25, from, to]);
    const iso = `from=${new Date(from).toISOString().slice(0, 16)}&to=${new Date(to).toISOString().slice(0, 10)}`;
    expect(await bodyOf(`coins/bitcoin/market_chart/range?vs_currency=usd&${iso}`)).toEqual(
      expect.objectContaining({ prices }),
    );
  });

  it('in candles is stamped with their ends, by the length of the window', async () => {
    const of = (query: string) => bodyOf(`coins/bitcoin/ohlc?vs_currency=usd&${query}`);
    const [hours, four, days] = [await of('days=1'), await of('days=14'), await of('days=90')];
    expect(hours[0]).toEqual([THIS_HOUR - DAY_MS + HOUR_MS, ...Array(4).fill(expect.any(Number))]);
    expect(four[1][0] - four[0][0]).toBe(4 * HOUR_MS);
    expect(days[2][0] - days[1][0]).toBe(4 * DAY_MS);
    expect((await of('days=90&interval=daily')).length).toBeGreaterThanOrEqual(90);
  });

  it('on a day is the close of the day before', async () => {
    const { body: past, headers } = await get('coins/bitcoin/history?date=18-09-2026');
    // In bitcoin it is derived of two days.
    expect(headers).toMatchObject({ 'x-data-source': 'coinpaprika,ecb', 'x-data-quality': 'derived' });
    const range = `vs_currency=usd&from=${TODAY / 1000}&to=${TODAY / 1000}&interval=daily`;
    const { prices }: Chart = await bodyOf(`coins/bitcoin/market_chart/range?${range}`);
    expect(past.market_data.current_price.usd).toBe(prices[0]?.[1]);
    expect(await bodyOf('coins/bitcoin/history?date=2026-09-18&localization=false')).not.toHaveProperty(
      'localization',
    );
    expect(await bodyOf('coins/bitcoin/history?date=01-01-2030')).not.toHaveProperty('market_data');
  });

  it('in another currency uses the rate of each day, and has no point on a day without one', async () => {
    const day = (days: number) => new Date(TODAY - days * DAY_MS).toISOString().slice(0, 10);
    const rates = { USD: '2', JPY: '200' };
    const days = [10, 9, 8, 7, 6, 5, 4, 3, 2, 1].map((before) => [day(before), rates]);
    world().putPastRates('E', Object.fromEntries(days));
    const usd = await chartOf('vs_currency=usd&days=5');
    const eur = await chartOf('vs_currency=eur&days=5');
    expect(eur.prices[0]).toEqual([usd.prices[0]?.[0], expect.closeTo((usd.prices[0]?.[1] ?? 0) / 2, 0)]);
    const long = await chartOf('vs_currency=eur&days=200');
    expect(long.prices.length).toBeLessThan(12);
  });
});

describe('a failure', () => {
  it.each([
    ['coins/nonsense', 404, { error: 'coin not found' }],
    ['coins/markets?vs_currency=xxx', 400, { error: 'invalid vs_currency' }],
    ['coins/markets', 422, { error: 'Missing parameter vs_currency' }],
    ['simple/price?vs_currencies=usd', 422, { error: 'Missing parameter ids' }],
    [
      'coins/bitcoin/history?date=31-02-2026',
      400,
      { error: 'invalid date: 31-02-2026; allowed: dd-mm-yyyy, yyyy-mm-dd' },
    ],
    [
      'coins/bitcoin/market_chart/range?vs_currency=usd&from=2026-01-01&to=2026-02-30',
      400,
      { error: 'invalid to: 2026-02-30; allowed: unix seconds, or YYYY-MM-DDTHH:MM' },
    ],
    [
      'coins/bitcoin/market_chart?vs_currency=usd&days=x',
      400,
      { error: 'invalid days: x; allowed: a number from 1, max' },
    ],
    [
      'simple/price?ids=bitcoin&vs_currencies=usd&precision=19',
      400,
      { error: 'invalid precision: 19; allowed: full, 0 to 18' },
    ],
    [
      'coins/bitcoin/market_chart/range?vs_currency=usd&from=2&to=1',
      400,
      { error: expect.stringMatching(/^invalid date range/) },
    ],
    [
      `simple/price?vs_currencies=usd&ids=${Array.from({ length: 251 }, (_, index) => index)}`,
      422,
      { error: 'Too many ids: 251; allowed: 250' },
    ],
    ['exchanges', 404, { error: expect.stringMatching(/^No such route: .*there are .*simple\/price/) }],
    ['coins/%zz', 404, { error: 'coin not found' }],
  ])('has CoinGecko’s shape: %s', async (path, status, expected) => {
    const { status: found, body, headers } = await ask(path);
    expect([found, body]).toEqual([status, expected]);
    expect(headers).toMatchObject({ 'cache-control': 'no-store' });
    world().expectNobodyAsked();
  });

  it('of the key or the limit has a status in its body, and says when to try again', async () => {
    expect((await ask('ping', { method: 'POST' })).status).toBe(405);
    const limited = { headers: { 'x-api-key': 'right' } };
    vi.stubEnv('NODE_ENV', 'production');
    vi.stubEnv('CLIENT_API_KEY', 'right');
    served.renew();
    expect(await ask('ping')).toMatchObject({
      ...{ status: 401, body: { status: { error_code: 10_002, error_message: 'Unauthorized' } } },
    });
    for (const name of ['x-cg-demo-api-key', 'x-cg-pro-api-key'])
      expect(await ask('ping', { headers: { [name]: 'right' } })).toMatchObject({ status: 200 });
    expect(await ask('ping?x_cg_demo_api_key=right')).toMatchObject({ status: 200 });
    const { body, headers } = await ask('key', limited);
    expect(body).toMatchObject({ plan: 'default', current_remaining_monthly_calls: null });
    expect(headers).toMatchObject({
      'x-ratelimit-limit': String(body.rate_limit_request_per_minute),
      'x-ratelimit-remaining': expect.stringMatching(/^\d+$/),
      'x-ratelimit-reset': expect.stringMatching(/^2026-09-18 04:\d\d:\d\d \+0000$/),
    });
  });
});
