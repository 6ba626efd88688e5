/** One price now: whatever route is asked in the same moment, a coin has the same price. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { route as coingecko } from '../../functions/coingecko/api/route.ts';
import { route as exports } from '../../functions/export/api/route.ts';
import { route as convert } from '../../functions/marketdata/convert/route.ts';
import { route as ohlcv } from '../../functions/marketdata/ohlcv/route.ts';
import { route as overview } from '../../functions/marketdata/overview/route.ts';
import { route as price } from '../../functions/marketdata/price/route.ts';
import { route as sparklines } from '../../functions/marketdata/sparklines/route.ts';
import { route as ticker } from '../../functions/marketdata/ticker/route.ts';
import { route as tickers } from '../../functions/marketdata/tickers/route.ts';
import { route as valuation } from '../../functions/marketdata/valuation/route.ts';
import { route as udf } from '../../functions/udf/api/route.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/platform/time.ts';
import { daysBefore, putDays, putHours, storedCandle } from '../history/stored.ts';
import { cats, useMoneyWorld } from '../money/world.ts';
import { underTest } from '../pipeline/under-test.ts';
import { snapshotOf, tickerOf } from '../snapshot/tickers.ts';
import { putQuotes } from '../snapshot/two-sides.ts';
import { NOW } from '../tokens/world.ts';

const TODAY = NOW - (NOW % DAY_MS);
const [LISTED, TAIL, OWN, BITCOIN] = ['eth-ethereum', 'tail-coin', 'cat-1', 'btc-bitcoin'];

const world = useMoneyWorld();
beforeEach(() => {
  world().putPrices({ [BITCOIN]: 60_000, [LISTED]: 2_500 });
  world().putTail({ [TAIL]: 0.5 });
  world().owned[OWN] = 7;
});

// Each is a function of its own, in its own container.
const functions = {
  ticker: underTest(ticker, () => import('../../functions/marketdata/ticker/handler.ts')),
  tickers: underTest(tickers, () => import('../../functions/marketdata/tickers/handler.ts')),
  valuation: underTest(valuation, () => import('../../functions/marketdata/valuation/handler.ts')),
  convert: underTest(convert, () => import('../../functions/marketdata/convert/handler.ts')),
  ohlcv: underTest(ohlcv, () => import('../../functions/marketdata/ohlcv/handler.ts')),
  overview: underTest(overview, () => import('../../functions/marketdata/overview/handler.ts')),
  price: underTest(price, () => import('../../functions/marketdata/price/handler.ts')),
  sparklines: underTest(sparklines, () => import('../../functions/marketdata/sparklines/handler.ts')),
  coingecko: underTest(coingecko, () => import('../../functions/coingecko/api/handler.ts')),
  export: underTest(exports, () => import('../../functions/export/api/handler.ts')),
  udf: underTest(udf, () => import('../../functions/udf/api/handler.ts')),
};
const theirs: Readonly<Record<string, string>> = { [LISTED]: 'ethereum', [TAIL]: 'tail', [OWN]: 'cat_1' };

/** The price of a coin at each door, in USD. */
const doors: Readonly<Record<string, (id: string) => Promise<number | null | undefined>>> = {
  async ticker(id) {
    return (await functions.ticker.dataOf({ pathParameters: { id } })).quotes.USD.price;
  },
  async list(id) {
    const [item] = (await functions.tickers.dataOf({ query: `ids=${id}` })).results;
    return item && 'ticker' in item ? item.ticker.quotes.USD.price : undefined;
  },
  async valuation(id) {
    const body = JSON.stringify({ holdings: [{ id, amount: '1' }] });
    const [position] = (await functions.valuation.dataOf({ body })).positions;
    return position && Number(position.price);
  },
  async convert(id) {
    return Number((await functions.convert.dataOf({ query: `amount=1&from=${id}&to=usd` })).rate);
  },
  async 'the last close of days'(id) {
    return (await chartOf(id)).at(-1)?.close;
  },
  async 'the last close of hours'(id) {
    return (await chartOf(id, 'interval=1h')).at(-1)?.close;
  },
  async 'the price at this moment'(id) {
    const at = new Date().toISOString();
    return (await functions.price.dataOf({ pathParameters: { id }, query: `at=${at}` })).data[0]?.price;
  },
  async sparkline(id) {
    const [line] = (await functions.sparklines.dataOf({ query: `ids=${id}` })).coins;
    return line && 'prices' in line ? line.prices.at(-1) : undefined;
  },
  async "CoinGecko's prices"(id) {
    const path = '/coingecko/api/v3/simple/price';
    const query = `ids=${theirs[id]},ethereum&vs_currencies=usd&precision=full`;
    return JSON.parse((await functions.coingecko.send({ path, query })).body)[theirs[id] ?? '']?.usd;
  },
  async "CoinGecko's markets"(id) {
    const path = '/coingecko/api/v3/coins/markets';
    const query = `ids=${theirs[id]}&vs_currency=usd&precision=full`;
    return JSON.parse((await functions.coingecko.send({ path, query })).body)[0]?.current_price;
  },
  async export(id) {
    const { body } = await functions.export.send({ path: '/export/prices.csv', query: `ids=${id}` });
    return Number(body.split('\r\n')[1]?.split(',')[3]);
  },
  async 'the symbol of a chart'(id) {
    const { body } = await functions.udf.send({ path: '/udf/symbols', query: `symbol=${id}` });
    // It has no price: only the decimals, which are eight without one.
    return JSON.parse(body).pricescale === 10 ** 8 ? undefined : pricesOf[id];
  },
};
const pricesOf: Readonly<Record<string, number>> = { [LISTED]: 2_500, [TAIL]: 0.5, [OWN]: 7 };
const markets = [
  { exchange: 'coinbase', price: 2_599 },
  { exchange: 'kraken', price: 2_601 },
];

async function chartOf(id: string, query = '') {
  return (await functions.ohlcv.dataOf({ pathParameters: { id }, query: `limit=3&provenance=true&${query}` }))
    .data;
}

/** Stores a history that ends before the hour, with other prices than now. */
function putHistory(id: string, now: number) {
  const [{ s3 }, close] = [world(), 1.1];
  putDays(
    s3,
    id,
    daysBefore(TODAY, 10, () => now / close),
  );
  const hour = (index: number) => storedCandle(TODAY + index * HOUR_MS, HOUR_MS, now * 0.9);
  putHours(s3, TODAY, { [id]: Array.from({ length: 4 }, (_, index) => hour(index)) });
}

async function fetchOwn() {
  expect(await doors.ticker?.(OWN)).toBe(7);
  expect(world().asked).toHaveLength(1);
}

describe('a coin that neither the list nor the tail has', () => {
  it('is in every list once its ticker was fetched, which lists never do', async () => {
    expect(await doors.list?.(OWN)).toBeUndefined();
    expect(await doors.valuation?.(OWN)).toBeUndefined();
    expect(world().asked).toEqual([]);
    for (const name of ['tickers', 'valuation'] as const) functions[name].renew();

    await fetchOwn();

    for (const name of ['list', 'valuation', 'export', "CoinGecko's prices", "CoinGecko's markets"])
      expect([name, await doors[name]?.(OWN)]).toEqual([name, 7]);
    expect(world().asked).toHaveLength(1);
  });

  it('is marked stale in lists once its price is old, and is there for twelve hours more', async () => {
    await fetchOwn();
    const qualityIn = async () => {
      const [item] = (await functions.tickers.dataOf({ query: `ids=${OWN}` })).results;
      return item && 'quality' in item ? item.quality : undefined;
    };
    expect(await qualityIn()).toBe('exact');
    for (const [later, quality] of [
      [2 * MINUTE_MS, 'stale'],
      [12 * HOUR_MS, 'stale'],
      [13 * HOUR_MS, undefined],
    ] as const) {
      vi.setSystemTime(NOW + later);
      expect([later, await qualityIn()]).toEqual([later, quality]);
    }
    expect(world().asked).toHaveLength(1);
  });

  it('is fetched by convert itself, once, into what the others read', async () => {
    expect(await doors.convert?.(OWN)).toBe(7);
    expect(await doors.convert?.(OWN)).toBe(7);
    expect(await doors.list?.(OWN)).toBe(7);
    expect(await doors.ticker?.(OWN)).toBe(7);
    expect(world().asked).toHaveLength(1);
  });

  it('is fetched again for one coin at CoinGecko’s door once its price is old, and for no list', async () => {
    const priceAlone = async () => {
      const query = `ids=${theirs[OWN]}&vs_currencies=usd`;
      const { body } = await functions.coingecko.send({ path: '/coingecko/api/v3/simple/price', query });
      return JSON.parse(body)[theirs[OWN] ?? '']?.usd;
    };
    expect(await priceAlone()).toBe(7);
    vi.setSystemTime(NOW + 2 * MINUTE_MS);
    world().owned[OWN] = 8;
    expect(await doors["CoinGecko's prices"]?.(OWN)).toBe(7);
    expect(await priceAlone()).toBe(8);
    expect(world().asked).toHaveLength(2);
  });

  it('delays a list by four seconds at most while the store hangs, however many such coins it has', async () => {
    const ids = cats.slice(1, 60);
    await functions.tickers.dataOf({ query: `ids=${LISTED},${TAIL}` }); // holds snapshot and tail
    world().s3.delayMs = Number.POSITIVE_INFINITY;
    const startedAt = performance.now();

    const { results } = await functions.tickers.dataOf({ query: `ids=${[LISTED, ...ids].join()}` });

    expect(performance.now() - startedAt).toBeLessThan(4_500);
    expect(results[0]).toMatchObject({ id: LISTED, quality: 'exact' });
    expect(results.slice(1).every((result) => 'error' in result)).toBe(true);
  });

  it('costs a conversion one request for each of two coins, and one for a coin in itself', async () => {
    world().owned['cat-2'] = 14;
    expect(await functions.convert.dataOf({ query: `amount=1&from=cat-2&to=${OWN}` })).toMatchObject({
      rate: '2',
    });
    expect(world().asked).toHaveLength(2);
    world().owned['cat-3'] = 1;
    await functions.convert.dataOf({ query: 'amount=1&from=cat-3&to=cat-3' });
    expect(world().asked).toHaveLength(3);
  });
});

describe('a listed coin while the list is outdated', () => {
  it('has the price that was fetched for its ticker everywhere, and the list’s own before', async () => {
    putHistory(LISTED, 2_500);
    vi.setSystemTime(NOW + 30 * MINUTE_MS);
    expect(await doors.list?.(LISTED)).toBe(2_500);
    world().owned[LISTED] = 2_600;
    expect(await doors.ticker?.(LISTED)).toBe(2_600);
    functions.tickers.renew(); // which has looked into the coin's object a moment ago

    for (const [name, door] of Object.entries(doors))
      if (name !== 'the symbol of a chart') expect([name, await door(LISTED)]).toEqual([name, 2_600]);
    expect(world().asked).toHaveLength(1);
  });
});

describe('the running candle', () => {
  it.each([
    ['in the tail', TAIL, 0.5, 'defillama'],
    ['of an object of its own', OWN, 7, 'coinpaprika'],
  ])('of a coin %s goes up to its price now', async (_where, id, now, source) => {
    putHistory(id, now);
    if (id === OWN) await fetchOwn();

    const candles = await chartOf(id, 'interval=1h');

    expect(candles.map(({ time_open }) => time_open.slice(11, 13))).toEqual(['02', '03', '04']);
    expect(candles.at(-1)).toMatchObject({ close: now, high: now, source, complete: false });
  });

  it('of a coin in the tail goes up to its price in bitcoin', async () => {
    putHistory(TAIL, 0.5);
    const { s3 } = world();
    const hours = (price: number) =>
      Array.from({ length: 4 }, (_, hour) => storedCandle(TODAY + hour * HOUR_MS, HOUR_MS, price));
    putDays(s3, BITCOIN, daysBefore(TODAY, 10));
    putHours(s3, TODAY, { [TAIL]: hours(0.4), [BITCOIN]: hours(50_000) });

    expect((await chartOf(TAIL, 'quote=btc')).at(-1)).toMatchObject({ close: 0.5 / 60_000 });
  });

  it('of a coin whose price is disputed ends with its own data, although ticker and lists show the price', async () => {
    world().putPrices({ [BITCOIN]: 60_000, [LISTED]: 9_000 }, { isDisputed: (id) => id === LISTED });
    putHistory(LISTED, 2_500);

    expect((await chartOf(LISTED, 'interval=1h')).at(-1)?.close).toBeCloseTo(2_500 * 0.9 * 1.1);
    expect(await doors.ticker?.(LISTED)).toBe(9_000);
    expect(await functions.tickers.dataOf({ query: `ids=${LISTED}` })).toMatchObject({
      results: [{ quality: 'disputed' }],
    });
  });
});

describe('a listed coin that exchanges trade', () => {
  const SECOND_MS = 1000;
  beforeEach(() => putQuotes(world().s3, NOW - 5 * SECOND_MS, [[LISTED, markets]]));
  const headersOf = async () => (await functions.ticker.send({ pathParameters: { id: LISTED } })).headers;

  it.each(Object.keys(doors).filter((door) => door !== 'the symbol of a chart'))(
    'has the price of its markets: %s',
    async (door) => {
      putHistory(LISTED, 2_500);
      expect(await doors[door]?.(LISTED)).toBe(2_600);
    },
  );

  it('says who made the price, and when; caches keep it until the next one', async () => {
    expect(await headersOf()).toMatchObject({
      'x-data-source': 'coinbase,kraken',
      'x-data-quality': 'exact',
      'x-data-time': new Date(NOW - 5 * SECOND_MS).toISOString(),
      // A minute after the run began, and ten seconds for the next one.
      'cache-control': expect.stringMatching(/^public, max-age=65,/),
    });
    const { quotes, sources, last_updated } = await functions.ticker.dataOf({
      pathParameters: { id: LISTED },
    });
    expect(last_updated).toBe(new Date(NOW - 5 * SECOND_MS).toISOString().replace('.000', ''));
    expect(sources).toEqual({ agreeing: 2, of: 2, spreadPercent: 0.0769, prices: markets });
    expect(quotes.USD.figures_at).toBe(new Date(NOW - MINUTE_MS).toISOString());
    expect((await functions.tickers.send({ query: `ids=${LISTED}` })).headers['cache-control']).toContain(
      'max-age=65,',
    );
    expect((await functions.tickers.send({ query: 'limit=2' })).headers['cache-control']).toContain(
      'max-age=65,',
    );
  });

  it('has its market cap and changes at that price, and short changes of kept prices alone', async () => {
    const { s3 } = world();
    const ticker = { ...tickerOf(LISTED), last_updated: new Date(NOW - MINUTE_MS).toISOString() };
    const usd = {
      ...{
        price: 2_500,
        market_cap: 25_000,
        volume_24h: 70,
        ath_price: 2_550,
        ath_date: '2026-01-01T00:00:00Z',
      },
      ...{ percent_change_15m: 9, percent_change_30m: 9, percent_change_1h: 0, percent_change_24h: -50 },
    };
    const tickers = [{ ...ticker, quotes: { USD: { ...ticker.quotes.USD, ...usd } } }];
    s3.objects.set(
      '/bucket/snapshot/tickers.v4',
      Buffer.from(snapshotOf([], { tickers, takenAt: NOW - MINUTE_MS })),
    );
    putQuotes(s3, NOW - 5 * SECOND_MS, [[LISTED, markets]], { change15m: 1.5 });

    const { quotes } = await functions.ticker.dataOf({ pathParameters: { id: LISTED } });
    expect(quotes.USD).toMatchObject({
      ...{ price: 2_600, market_cap: 26_000, volume_24h: 70, ath_price: null, ath_date: null },
      ...{ percent_change_15m: 1.5, percent_change_30m: null, percent_change_1h: 4, percent_change_24h: -48 },
    });
  });

  it('is disputed, with the provider’s price among the sources, if that contradicts it', async () => {
    putQuotes(world().s3, NOW - 5 * SECOND_MS, [[LISTED, markets]], { isDisputed: true });
    expect(await headersOf()).toMatchObject({ 'x-data-quality': 'disputed' });
    const { sources } = await functions.ticker.dataOf({ pathParameters: { id: LISTED } });
    expect(sources?.prices.map(({ price: one }) => one)).toEqual([2_599, 2_601, 2_500]);
  });

  it('has the list’s price again five minutes after the trade, and whenever that is newer', async () => {
    vi.setSystemTime(NOW + 5 * MINUTE_MS - 6 * SECOND_MS);
    expect(await headersOf()).toMatchObject({
      'x-data-source': 'coinbase,kraken',
      'x-data-quality': 'exact',
    });
    vi.setSystemTime(NOW + 5 * MINUTE_MS - 5 * SECOND_MS);
    expect(await headersOf()).toMatchObject({ 'x-data-source': 'simulated', 'x-data-quality': 'exact' });

    vi.setSystemTime(NOW);
    functions.ticker.renew();
    putQuotes(world().s3, NOW - 2 * MINUTE_MS, [[LISTED, markets]]);
    expect(await headersOf()).toMatchObject({ 'x-data-source': 'simulated' });
  });

  it('has a price of the list for no longer in caches than until the next run', async () => {
    world().putPrices({ [BITCOIN]: 60_000, [LISTED]: 2_500 }, { takenAt: NOW });
    expect(await headersOf()).toMatchObject({
      'x-data-source': 'simulated',
      'cache-control': expect.stringContaining('max-age=65,'),
    });
    const { headers } = await functions.ticker.send({ pathParameters: { id: BITCOIN } });
    expect(headers['cache-control']).toContain('max-age=600,');
  });

  it('has no other price between two runs that are five minutes apart', async () => {
    const runAt = (time: number) =>
      putQuotes(world().s3, time, [[LISTED, markets]], { intervalSeconds: 300 });
    runAt(NOW);
    for (const seconds of [0, 100, 299, 300, 305, 309]) {
      if (seconds === 305) runAt(NOW + 300 * SECOND_MS);
      vi.setSystemTime(NOW + seconds * SECOND_MS);
      expect([seconds, (await headersOf())['x-data-source']]).toEqual([seconds, 'coinbase,kraken']);
    }
  });

  it('is read once a minute, without content while nothing is new, and never delays a request with a price', async () => {
    const { s3 } = world();
    await headersOf();
    s3.requests.length = 0;
    for (const seconds of [10, 30, 64]) {
      vi.setSystemTime(NOW + seconds * SECOND_MS);
      await headersOf();
    }
    expect(s3.requests).toEqual([]);
    vi.setSystemTime(NOW + 65 * SECOND_MS);
    await headersOf();
    expect(s3.requests).toEqual(['GET /bucket/snapshot/quotes.v1']);

    vi.setSystemTime(NOW + 80 * SECOND_MS);
    s3.delayMs = Number.POSITIVE_INFINITY;
    const startedAt = performance.now();
    expect(await headersOf()).toMatchObject({ 'x-data-source': 'coinbase,kraken' });
    expect(performance.now() - startedAt).toBeLessThan(250);
  });

  it('is on one page of a list alone, in whatever order, although its price moves between them', async () => {
    const ids = [BITCOIN, LISTED, ...cats.slice(0, 6)];
    const tickers = ids.map((id, index) => {
      const ticker = { ...tickerOf(id), last_updated: new Date(NOW - MINUTE_MS).toISOString() };
      const usd = { price: 1 + index, volume_24h: 1e9 - index, percent_change_24h: index };
      return { ...ticker, rank: index + 1, quotes: { USD: { ...ticker.quotes.USD, ...usd } } };
    });
    const { s3 } = world();
    s3.objects.set(
      '/bucket/snapshot/tickers.v4',
      Buffer.from(snapshotOf([], { tickers, takenAt: NOW - MINUTE_MS })),
    );
    for (const sort of ['rank', 'volume', 'change_24h']) {
      vi.setSystemTime(NOW);
      functions.tickers.renew();
      const seen: string[] = [];
      let cursor = '';
      for (let page = 0; page < 4; page += 1) {
        const prices = ids.map((id, index) => {
          const price = (1 + index) * (1 + 0.5 * Math.sin(page * 7 + index));
          return [id, [{ exchange: 'coinbase', price }]] as const;
        });
        putQuotes(s3, Date.now() - 5 * SECOND_MS, prices);
        const query = `limit=2&sort=${sort}${cursor && `&cursor=${cursor}`}`;
        const { results, nextCursor } = await functions.tickers.dataOf({ query });
        seen.push(...results.map(({ id = '' }) => id));
        cursor = nextCursor ?? '';
        vi.setSystemTime(Date.now() + 70 * SECOND_MS);
      }
      expect([sort, seen.toSorted()]).toEqual([sort, ids.toSorted()]);
    }
  });

  it('has the same price and change among the gainers as at its ticker', async () => {
    const { s3 } = world();
    const ticker = { ...tickerOf(LISTED), rank: 2, last_updated: new Date(NOW - MINUTE_MS).toISOString() };
    const usd = { price: 2_500, percent_change_24h: 4 };
    const tickers = [{ ...ticker, quotes: { USD: { ...ticker.quotes.USD, ...usd } } }];
    s3.objects.set(
      '/bucket/snapshot/tickers.v4',
      Buffer.from(snapshotOf([], { tickers, takenAt: NOW - MINUTE_MS })),
    );
    putQuotes(s3, NOW - 5 * SECOND_MS, [[LISTED, markets]]);
    const { quotes } = await functions.ticker.dataOf({ pathParameters: { id: LISTED } });
    const { gainers } = await functions.overview.dataOf({});
    expect(gainers.find(({ id }) => id === LISTED)).toMatchObject({
      price: 2_600,
      change: quotes.USD.percent_change_24h,
    });
  });

  it('keeps its price when newer ones are of an earlier time or cannot be opened', async () => {
    const { s3 } = world();
    const cheap = markets.map((market) => ({ ...market, price: 2_400 }));
    await headersOf();
    for (const damage of [
      () => putQuotes(s3, NOW - MINUTE_MS, [[LISTED, cheap]]),
      () => s3.objects.set('/bucket/snapshot/quotes.v1', Buffer.from('{')),
      () => s3.objects.delete('/bucket/snapshot/quotes.v1'),
    ]) {
      damage();
      vi.setSystemTime(Date.now() + 70 * SECOND_MS);
      expect(await doors.ticker?.(LISTED)).toBe(2_600);
    }
  });
});

describe.each([
  ['in the list', LISTED],
  ['in the tail', TAIL],
  ['of an object of its own', OWN],
])('a coin %s', (_where, id) => {
  it.each(Object.keys(doors))('has the same price as its ticker: %s', async (door) => {
    const now = pricesOf[id] ?? 0;
    putHistory(id, now);
    if (id === OWN) await fetchOwn();

    expect(await doors[door]?.(id)).toBe(now);
    expect(world().asked).toHaveLength(id === OWN ? 1 : 0);
  });
});
