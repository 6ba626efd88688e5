import { beforeEach, describe, expect, it } from 'vitest';
import { route as coingecko } from '../../functions/coingecko/api/route.ts';
import { route as files } from '../../functions/export/api/route.ts';
import { route as convert } from '../../functions/marketdata/convert/route.ts';
import { route as ohlcv } from '../../functions/marketdata/ohlcv/route.ts';
import { route as price } from '../../functions/marketdata/price/route.ts';
import { route as ticker } from '../../functions/marketdata/ticker/route.ts';
import { route as valuation } from '../../functions/marketdata/valuation/route.ts';
import { route as udf } from '../../functions/udf/api/route.ts';
import { DAY_MS } from '../../shared/platform/time.ts';
import { daysBefore, putDays } from '../history/stored.ts';
import { failure } from '../pipeline/event.ts';
import { underTest } from '../pipeline/under-test.ts';
import { NOW } from '../tokens/world.ts';
import { useMoneyWorld } from './world.ts';

const TODAY = NOW - (NOW % DAY_MS);
const ID = 'old-coin';
const DAYS = 40;

const world = useMoneyWorld();

/** The provider has dropped the coin, whose last stored day ended so many days ago. */
function putLastDay(daysAgo: number): { readonly end: number; readonly lastDay: string } {
  const end = TODAY - daysAgo * DAY_MS;
  putDays(
    world().s3,
    ID,
    daysBefore(end, DAYS, (index) => index + 1),
  );
  putDays(world().s3, 'btc-bitcoin', daysBefore(TODAY, 1600), { from: 0, to: TODAY });
  world().putPastRates('E', { [isoDay(end - 2 * DAY_MS)]: { USD: '1.25' } });
  return { end, lastDay: new Date(end - DAY_MS).toISOString().slice(0, 10) };
}

beforeEach(() => {
  world().putPrices({ 'btc-bitcoin': 60_000 });
  world().putRates('2026-09-17');
  world().gone.add(ID);
});

const isoDay = (time: number) => new Date(time).toISOString().slice(0, 10);
const history = underTest(ohlcv, () => import('../../functions/marketdata/ohlcv/handler.ts'));
const priceAt = underTest(price, () => import('../../functions/marketdata/price/handler.ts'));
const exported = underTest(files, () => import('../../functions/export/api/handler.ts'));
const gecko = underTest(coingecko, () => import('../../functions/coingecko/api/handler.ts'));
const charts = underTest(udf, () => import('../../functions/udf/api/handler.ts'));
const geckoBody = async (path: string) => {
  const [of = '', query = ''] = path.split('?');
  return (await gecko.ask({ path: `/coingecko/api/v3/${of}`, query })).body;
};
const exportOf = async (file: string, query: string) =>
  (await exported.send({ path: `/export/${file}`, query })).body;

/** The last day's close in `daysBefore`. */
const LAST = 44;

describe.each([3, 500, 1500])('a coin whose last stored day ended %i days ago', (daysAgo) => {
  let end: number;
  let lastDay: string;
  beforeEach(() => {
    ({ end, lastDay } = putLastDay(daysAgo));
  });
  const range = () => `start=${isoDay(end - DAYS * DAY_MS)}&end=${isoDay(end)}`;

  it('has candles, in dollars and in bitcoin', async () => {
    const dataOf = (query: string) => history.dataOf({ pathParameters: { id: ID }, query });
    expect(await dataOf(`limit=366&${range()}`)).toMatchObject({ count: DAYS });
    if (daysAgo < 1000) {
      expect(await dataOf('limit=366')).toMatchObject({ count: DAYS });
      expect(await dataOf(`limit=366&quote=btc&${range()}`)).toMatchObject({ count: DAYS });
      expect(await dataOf('limit=366&quote=btc')).toMatchObject({ count: DAYS });
    }
  });

  it('has prices at instants, and names the last one at others', async () => {
    const ask = (at: number) =>
      priceAt.ask({ pathParameters: { id: ID }, query: `at=${isoDay(at)}&within=86400` });
    expect(await ask(end)).toMatchObject({ status: 200, body: { data: { data: [{ price: LAST }] } } });
    const { status, body } = await ask(end + 2 * DAY_MS);
    expect([status, body]).toMatchObject([
      404,
      { error: expect.stringContaining(`the nearest known before: ${LAST} at ${isoDay(end)}T`) },
    ]);
    const list = await priceAt.ask({
      pathParameters: { id: ID },
      query: `at=${isoDay(end + 2 * DAY_MS)},${isoDay(end)}`,
    });
    expect(list).toMatchObject({ status: 200, body: { data: { data: [null, { price: LAST }] } } });
  });

  it('is in exports, alone and among others', async () => {
    for (const ids of [ID, `btc-bitcoin,${ID}`]) {
      const csv = await exportOf('history.csv', `ids=${ids}&${range()}`);
      expect(csv.split(`\n${ID},`)).toHaveLength(DAYS + 1);
      const ledger = await exportOf('history.ledger', `ids=${ids}&${range()}`);
      expect(ledger.match(/^P .* OLD /gm)).toHaveLength(DAYS);
    }
    if (daysAgo > 1000) return;
    for (const ids of [ID, `btc-bitcoin,${ID}`])
      expect((await exportOf('history.csv', `ids=${ids}`)).split(`\n${ID},`)).toHaveLength(DAYS + 1);
  });

  it('has its past in CoinGecko’s shapes', async () => {
    const date = isoDay(end).split('-').reverse().join('-');
    expect(await geckoBody(`coins/old/history?date=${date}`)).toMatchObject({
      id: 'old',
      market_data: { current_price: { usd: LAST, btc: expect.any(Number) } },
    });
    expect(await geckoBody('coins/old/market_chart?vs_currency=usd&days=max')).toMatchObject({
      prices: expect.arrayContaining([[end, LAST]]),
    });
    const seconds = [end - 10 * DAY_MS, end].map((time) => time / 1000);
    const path = `coins/old/market_chart/range?vs_currency=usd&from=${seconds[0]}&to=${seconds[1]}`;
    expect(await geckoBody(path)).toMatchObject({ prices: expect.arrayContaining([[end, LAST]]) });
  });

  it('has bars for charts, and says where to continue', async () => {
    const ask = async (to: number) =>
      (
        await charts.ask({
          path: '/udf/history',
          query: `symbol=${ID}&resolution=1D&countback=10&to=${to / 1000}`,
        })
      ).body;
    expect(await ask(end)).toMatchObject({ s: 'ok', c: expect.arrayContaining([LAST]) });
  });

  it('is without a price now, and every answer names the last one and its date', async () => {
    const text = `No price of ${ID} is known now; the last one was ${LAST} USD on ${lastDay}`;
    const ofTicker = underTestOf.ticker;
    expect(await ofTicker.ask({ pathParameters: { id: ID } })).toMatchObject({
      status: 404,
      body: failure(text),
    });
    expect(await underTestOf.convert.ask({ query: `amount=1&from=${ID}&to=usd` })).toMatchObject({
      status: 404,
      body: failure(text),
    });
    const body = JSON.stringify({ holdings: [{ id: ID, amount: '1' }] });
    expect(await underTestOf.valuation.dataOf({ body })).toMatchObject({
      missing: [{ reason: 'unpriced', message: text }],
    });
    expect(await exportOf('prices.ledger', `ids=${ID}`)).toBe(`; ${text}\n`);
    const after = `ids=${ID},btc-bitcoin&start=${isoDay(end + DAY_MS)}&end=${isoDay(end + 2 * DAY_MS)}`;
    expect(await exportOf('history.ledger', after)).toContain(
      `; No history of ${ID} is stored in this time; the last one was ${LAST} USD on ${lastDay}\n`,
    );
  });
});

const underTestOf = {
  ticker: underTest(ticker, () => import('../../functions/marketdata/ticker/handler.ts')),
  convert: underTest(convert, () => import('../../functions/marketdata/convert/handler.ts')),
  valuation: underTest(valuation, () => import('../../functions/marketdata/valuation/handler.ts')),
};

it('the last price of a coin is read once', async () => {
  putLastDay(100);
  const ask = () => underTestOf.ticker.ask({ pathParameters: { id: ID } });
  const first = await ask();
  expect(first.body).toEqual(failure(expect.stringContaining('the last one was')));
  world().s3.requests.length = 0;

  expect((await ask()).body).toEqual(first.body);
  expect(world().s3.requests.filter((request) => request.includes('days.'))).toEqual([]);
  expect(world().asked).toHaveLength(1);
});

it('a coin of which nothing is stored has no last price', async () => {
  expect(await underTestOf.ticker.ask({ pathParameters: { id: ID } })).toMatchObject({
    status: 404,
    body: failure(`Unknown coin id: ${ID}`),
  });
  expect(await exportOf('prices.ledger', `ids=${ID}`)).toBe(
    `; No price of ${ID} is available; /api/marketdata/ticker/${ID} fetches it\n`,
  );
});
