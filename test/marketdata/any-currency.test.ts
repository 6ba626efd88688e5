/** One answer to "this price in that currency at that time": whatever door is asked, at the rate of the instant. */
import { beforeEach, describe, expect, it } from 'vitest';
import { route as coingecko } from '../../functions/coingecko/api/route.ts';
import { route as exports } from '../../functions/export/api/route.ts';
import { route as convert } from '../../functions/marketdata/convert/route.ts';
import { route as ohlcv } from '../../functions/marketdata/ohlcv/route.ts';
import { route as price } from '../../functions/marketdata/price/route.ts';
import { route as valuation } from '../../functions/marketdata/valuation/route.ts';
import { currencyCodes } from '../../shared/marketdata/currencies.ts';
import { digitsOf } from '../../shared/marketdata/serve/unit-rate.ts';
import type { StoredCandle } from '../../shared/marketdata/store/stored-candle.ts';
import { DAY_MS, HOUR_MS } from '../../shared/platform/time.ts';
import { daysBefore, putDays, putHours, storedCandle } from '../history/stored.ts';
import { useMoneyWorld } from '../money/world.ts';
import { failure } from '../pipeline/event.ts';
import { underTest } from '../pipeline/under-test.ts';
import { BUCKET, NOW } from '../tokens/world.ts';

const TODAY = NOW - (NOW % DAY_MS);
const DAYS = 370;
const COINS = { 'btc-bitcoin': 'bitcoin', 'eth-ethereum': 'ethereum', 'cat-1': 'cat_1' } as const;
type CoinId = keyof typeof COINS;
/** What they cost on their first day; then a little more on each. */
const first: Readonly<Record<CoinId, number>> = {
  'btc-bitcoin': 64_123.456,
  'eth-ethereum': 2_512.3,
  'cat-1': 1.23456789e-7,
};
/** Units in one euro on the first day. */
const PER_EURO = { UAH: 48.613, TWD: 36.0421, KWD: 0.35412, VND: 30_312.5, XAU: 0.00028713, JPY: 180.55 };
type Code = keyof typeof PER_EURO | 'EUR' | 'USD';
const codes: readonly Code[] = ['EUR', 'UAH', 'TWD', 'KWD', 'VND', 'XAU', 'JPY', 'USD'];

const world = useMoneyWorld();
// Each is a function of its own, in its own container.
const functions = {
  valuation: underTest(valuation, () => import('../../functions/marketdata/valuation/handler.ts')),
  convert: underTest(convert, () => import('../../functions/marketdata/convert/handler.ts')),
  ohlcv: underTest(ohlcv, () => import('../../functions/marketdata/ohlcv/handler.ts')),
  price: underTest(price, () => import('../../functions/marketdata/price/handler.ts')),
  coingecko: underTest(coingecko, () => import('../../functions/coingecko/api/handler.ts')),
  export: underTest(exports, () => import('../../functions/export/api/handler.ts')),
};

/**
 * A function in a new container: what it loads later is from its own modules only until another function starts, and an error of
 * other modules would be none that it knows.
 */
function anew<const Name extends keyof typeof functions>(name: Name): (typeof functions)[Name] {
  functions[name].renew();
  return functions[name];
}

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);
/** A rate that moves from day to day, in at most six figures, as sources write them. */
const moved = (rate: number, index: number) =>
  String(Number((rate * (1 + (index % 7) / 300)).toPrecision(6)));
const ratesOn = (index: number) => {
  const others = Object.entries(PER_EURO).map(([code, rate]) => [code, moved(rate, index)]);
  return { ...Object.fromEntries(others), USD: (1.1 + (index % 11) / 1000).toFixed(4) } as Record<
    string,
    string
  >;
};
const isWeekend = (time: number) => [0, 6].includes(new Date(time).getUTCDay());

beforeEach(() => {
  const { s3, putPrices, putRates, putPastRates } = world();
  putPrices(Object.fromEntries(Object.entries(first).map(([id, usd]) => [id, usd * 1.5])));
  putRates(dayOf(TODAY - DAY_MS), ratesOn(DAYS - 1));
  const days = Array.from({ length: DAYS }, (_, index) => ({ index, time: TODAY - (DAYS - index) * DAY_MS }));
  for (const group of ['E', 'J', 'K', 'T', 'U', 'V', 'X']) {
    const lines = days.flatMap(({ index, time }) => {
      if (isWeekend(time)) return [];
      const rates = Object.entries(ratesOn(index)).filter(
        ([code]) => code === 'USD' || code.startsWith(group),
      );
      return [[dayOf(time), Object.fromEntries(rates)] as const];
    });
    putPastRates(group, Object.fromEntries(lines));
  }
  const hours: Record<string, StoredCandle[]> = {};
  const today: Record<string, StoredCandle[]> = {};
  for (const [id, usd] of Object.entries(first)) {
    putDays(
      s3,
      id,
      daysBefore(TODAY, DAYS, (index) => usd * (1 + index / 1000)),
    );
    hours[id] = Array.from({ length: 24 }, (_, hour) =>
      storedCandle(TODAY - DAY_MS + hour * HOUR_MS, HOUR_MS, usd * (1.3 + hour / 5000)),
    );
    today[id] = Array.from({ length: 4 }, (_, hour) =>
      storedCandle(TODAY + hour * HOUR_MS, HOUR_MS, usd * 1.4),
    );
  }
  putHours(s3, TODAY - DAY_MS, hours);
  putHours(s3, TODAY, today);
});

/** The rates that counted at a time: of the last weekday whose rates were made before it. */
function rateAt(time: number): Record<string, string> {
  let day = Math.floor(time / DAY_MS) * DAY_MS;
  while (isWeekend(day) || day + 14 * HOUR_MS >= time) day -= DAY_MS;
  return ratesOn(DAYS - (TODAY - day) / DAY_MS);
}

const iso = (time: number) => new Date(time).toISOString().replace('.000', '');
const csv = (body: string) =>
  body
    .trim()
    .split('\r\n')
    .map((line) => line.split(','));

interface Asked {
  readonly id: CoinId;
  readonly code: Code;
  readonly at: number;
  readonly interval: '1h' | '24h';
}

/** The price at an instant at each door. */
const doors: Readonly<Record<string, (asked: Asked) => Promise<number | undefined>>> = {
  async candle({ id, code, at, interval }) {
    const from = at - (interval === '1h' ? HOUR_MS : DAY_MS);
    const query = `interval=${interval}&currency=${code}&start=${iso(from)}&end=${iso(from)}`;
    const { data, quote } = await functions.ohlcv.dataOf({ pathParameters: { id }, query });
    expect(quote).toBe(code.toLowerCase());
    return data[0]?.close;
  },
  async file({ id, code, at, interval }) {
    const from = at - (interval === '1h' ? HOUR_MS : DAY_MS);
    const query = `ids=${id}&interval=${interval}&quote=${code.toLowerCase()}&start=${iso(from)}&end=${iso(from)}`;
    const { body } = await functions.export.send({ path: '/export/history.csv', query });
    return Number(csv(body)[1]?.[5]);
  },
  async "CoinGecko's chart"({ id, code, at, interval }) {
    const path = `/coingecko/api/v3/coins/${COINS[id]}/market_chart/range`;
    const named = interval === '1h' ? 'hourly' : 'daily';
    const query = `vs_currency=${code.toLowerCase()}&from=${at / 1000}&to=${at / 1000}&interval=${named}&precision=full`;
    return JSON.parse((await functions.coingecko.send({ path, query })).body).prices[0]?.[1];
  },
};
/** Those that show all digits of the quotient. */
const exactDoors: typeof doors = {
  async valuation({ id, code, at }) {
    const body = JSON.stringify({ holdings: [{ id, amount: '1' }], currency: code, at: iso(at) });
    return Number((await functions.valuation.dataOf({ body })).positions[0]?.price);
  },
  async conversion({ id, code, at }) {
    const query = `amount=1&from=${id}&to=${code}&at=${iso(at)}`;
    return Number((await functions.convert.dataOf({ query })).rate);
  },
};

async function priceAt({ id, code, at }: Asked) {
  const query = `at=${iso(at)}&currency=${code}`;

  const { data, quote } = await functions.price.dataOf({ pathParameters: { id }, query });
  expect(quote).toBe(code.toLowerCase());
  return data[0];
}

/** A price in dollars in a currency, and how many of its digits are known. */
function inCode(usd: number, code: Code, rates: Readonly<Record<string, string>>) {
  if (code === 'USD') return { wanted: usd, digits: 17 };
  const per = code === 'EUR' ? undefined : rates[code];
  const parts = [usd, rates.USD ?? '', per ?? usd].map(digitsOf);
  return { wanted: (usd * Number(per ?? 1)) / Number(rates.USD), digits: Math.min(...parts) };
}

function mix<T>(values: readonly T[], seed: number): T {
  return values[(seed * 7919) % values.length] as T; // it is not empty
}

describe('a price in a currency at an instant', () => {
  it.each([
    ['the end of a day', '24h', 40],
    ['the end of an hour', '1h', 24],
  ] as const)(
    'is the same at every door at %s, to the digit that price and rate have',
    async (_, interval, n) => {
      for (let index = 0; index < n; index++) {
        const id = mix(Object.keys(COINS) as CoinId[], index + 1);
        const code = mix(codes, index + 3);
        const at =
          interval === '1h' ? TODAY - index * HOUR_MS : TODAY - (1 + ((index * 97) % (DAYS - 10))) * DAY_MS;
        const asked = { id, code, at, interval };
        const usd = (await priceAt({ ...asked, code: 'USD' }))?.price ?? 0;
        const { wanted, digits } = inCode(usd, code, rateAt(at));
        const shown = Number(wanted.toPrecision(digits));
        expect([asked, 'price', (await priceAt(asked))?.price]).toEqual([asked, 'price', shown]);
        for (const [door, ask] of Object.entries(doors))
          expect([asked, door, await ask(asked)]).toEqual([asked, door, shown]);
        for (const [door, ask] of Object.entries(exactDoors))
          expect([asked, door, Number((await ask(asked))?.toPrecision(digits))]).toEqual([
            asked,
            door,
            shown,
          ]);
      }
      world().expectNobodyAsked();
    },
  );

  it('is the same at every door now', async () => {
    for (const code of codes) {
      const id = 'eth-ethereum';
      const asked = { id, code, at: NOW, interval: '24h' } as const;
      const shown = (await priceAt(asked))?.price;
      const { body } = await anew('export').send({
        path: '/export/prices.csv',
        query: `ids=${id}&quote=${code.toLowerCase()}`,
      });
      expect([code, Number(csv(body)[1]?.[3])]).toEqual([code, shown]);
      const simple = await anew('coingecko').send({
        path: '/coingecko/api/v3/simple/price',
        query: `ids=ethereum&vs_currencies=${code.toLowerCase()}&precision=full`,
      });
      expect([code, JSON.parse(simple.body).ethereum[code.toLowerCase()]]).toEqual([code, shown]);
      const { data } = await anew('ohlcv').dataOf({
        pathParameters: { id },
        query: `currency=${code}&limit=2`,
      });
      expect([code, data.at(-1)?.close]).toEqual([code, shown]);
      const { digits } = inCode(first[id] * 1.5, code, ratesOn(DAYS - 1));
      const converted = await anew('convert').dataOf({ query: `amount=1&from=${id}&to=${code}` });
      expect([code, Number(Number(converted.rate).toPrecision(digits))]).toEqual([code, shown]);
      const holdings = [{ id, amount: '1' }];
      const valued = await anew('valuation').dataOf({ body: JSON.stringify({ holdings, currency: code }) });
      expect([code, Number(Number(valued.total).toPrecision(digits))]).toEqual([code, shown]);
    }
  });

  it('tells the day and the source of its rate', async () => {
    // The rates of Friday the 11th count on Sunday, too.
    const asked = {
      id: 'eth-ethereum',
      code: 'UAH',
      at: Date.UTC(2026, 8, 13, 12),
      interval: '24h',
    } as const;
    expect(await priceAt(asked)).toMatchObject({
      rate: { day: '2026-09-11', source: 'ecb' },
      source: 'coinpaprika,ecb',
    });
    const { data } = await anew('ohlcv').dataOf({
      pathParameters: { id: asked.id },
      query: 'currency=uah&start=2026-09-13&end=2026-09-13&provenance=true',
    });
    expect(data).toMatchObject([{ rate: { day: '2026-09-11', source: 'ecb' }, source: 'coinpaprika,ecb' }]);
    const plain = await anew('ohlcv').dataOf({ pathParameters: { id: asked.id }, query: 'currency=uah' });
    expect(plain.data[0]).not.toHaveProperty('rate');
  });
});

describe('a currency', () => {
  const codesWithoutRates = currencyCodes.filter(
    (code) => !['EUR', 'USD'].includes(code) && !(code in PER_EURO),
  );

  it('without a rate is one still, and never the coin of that symbol', async () => {
    for (const code of ['CLP', 'PKR', 'AED', 'ARS', 'NGN', 'SAR', 'RUB']) {
      expect(codesWithoutRates).toContain(code);
      const error = `No exchange rate of ${code} is available; use USD, or try again later`;
      expect(await anew('convert').ask({ query: `amount=1&from=btc-bitcoin&to=${code}` })).toMatchObject({
        status: 503,
        body: failure(error),
      });
      for (const answer of [
        await anew('ohlcv').ask({ pathParameters: { id: 'btc-bitcoin' }, query: `currency=${code}` }),
        await anew('price').ask({
          pathParameters: { id: 'btc-bitcoin' },
          query: `at=2026-09-01&currency=${code}`,
        }),
        await anew('coingecko').send({
          path: '/coingecko/api/v3/coins/markets',
          query: `vs_currency=${code.toLowerCase()}`,
        }),
        await anew('export').send({
          path: '/export/history.csv',
          query: `ids=btc-bitcoin&quote=${code.toLowerCase()}`,
        }),
      ])
        expect([code, answer.status, JSON.stringify(answer.body).includes(error)]).toEqual([code, 503, true]);
    }
  });

  it('is refused beside btc, and if there is none of that code', async () => {
    const id = { pathParameters: { id: 'btc-bitcoin' } };
    expect(await anew('ohlcv').ask({ ...id, query: 'currency=eur&quote=btc' })).toMatchObject({
      status: 400,
      body: failure('Candles are in a currency or in btc; give currency or quote'),
    });
    expect(await anew('ohlcv').ask({ ...id, query: 'currency=xxx' })).toMatchObject({
      status: 400,
      body: failure(
        expect.stringMatching(/^Invalid parameter currency: "xxx"; allowed: an ISO 4217 code such as EUR/),
      ),
    });
  });

  it.each([
    ['out of reach', () => world().s3.objects.delete(`/${BUCKET}/snapshot/past-rates/U.v2`)],
    ['not fetched yet', () => world().putPastRates('U', { [dayOf(TODAY - DAY_MS)]: { USD: '1.1' } })],
  ])('whose past rates are %s is an error, and no answer without candles', async (_what, spoil) => {
    spoil();
    const error = 'The exchange rates of past days are out of reach; try again in a minute';
    const id = { pathParameters: { id: 'btc-bitcoin' } };
    const asked = [
      await anew('ohlcv').ask({ ...id, query: 'currency=uah' }),
      await anew('price').ask({ ...id, query: 'at=2026-09-01&currency=uah' }),
      await anew('convert').ask({ query: 'amount=1&from=btc-bitcoin&to=uah&at=2026-09-01' }),
      await anew('coingecko').send({
        path: '/coingecko/api/v3/coins/bitcoin/market_chart',
        query: 'vs_currency=uah&days=5',
      }),
    ];
    for (const { status, body } of asked)
      expect([status, JSON.stringify(body).includes(error)]).toEqual([503, true]);
    expect(await anew('convert').dataOf({ query: 'amount=1&from=btc-bitcoin&to=uah' })).toBeDefined();
  });

  it('that had no rate yet is an error that says so', async () => {
    const id = { pathParameters: { id: 'btc-bitcoin' } };
    const before = dayOf(TODAY - (DAYS - 1) * DAY_MS);
    world().putPastRates('U', { [dayOf(TODAY - 3 * DAY_MS)]: { UAH: '48.1', USD: '1.1' } });
    expect(await anew('ohlcv').ask({ ...id, query: `currency=uah&start=${before}&limit=3` })).toMatchObject({
      status: 404,
      body: failure(expect.stringMatching(/^No exchange rate of UAH is known from .* to .*; use USD$/)),
    });
    expect(await anew('price').ask({ ...id, query: 'at=2026-01-01&currency=uah' })).toMatchObject({
      status: 404,
      body: failure('No exchange rate of UAH is known at 2026-01-01T00:00:00Z'),
    });
  });

  it('at an instant of many coins takes one object of rates', async () => {
    const holdings = Object.keys(COINS).map((id) => ({ id, amount: '2' }));
    await functions.valuation.coldStart();
    world().s3.requests.length = 0;
    const body = JSON.stringify({ holdings, currency: 'uah', at: '2026-08-31' });
    const data = await functions.valuation.dataOf({ body });
    expect(data.positions).toHaveLength(3);
    expect(data.exchangeRate).toMatchObject({ source: 'ecb', dataTime: '2026-08-28T14:00:00.000Z' });
    expect(world().s3.requests.filter((request) => request.includes('rates/'))).toEqual([
      `GET /${BUCKET}/snapshot/past-rates/U.v2`,
    ]);
  });
});
