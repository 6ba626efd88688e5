import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../shared/platform/time.ts';
import type { RegistryEntry } from '../../shared/registry/entries.ts';
import { call } from '../pipeline/event.ts';
import { startTwoSides, type TwoSides } from './two-sides.ts';

const START = Date.UTC(2026, 10, 1, 12);
const LIAR = 'coin-95';
const COINS = 100;

interface Row {
  readonly id: string;
  readonly quotes: { readonly USD: Readonly<Record<string, unknown>> };
  readonly [name: string]: unknown;
}
interface Listed {
  readonly ticker: Row;
  readonly quality: string;
  readonly dataTime: string;
}

let sides: TwoSides;
beforeEach(async () => {
  sides = await startTwoSides(START);
});
afterEach(() => sides.close());

/** The market of a time, in the order of ranks: the first coin is worth 1.2e12, and each next one less. */
function marketAt(time: number): Row[] {
  return Array.from({ length: COINS }, (_, index) => {
    const [price, supply] = [100 + index, 1e10 * 0.95 ** index];
    return {
      id: `coin-${index}`,
      name: `Coin ${index}`,
      symbol: `C${index}`,
      rank: index + 1,
      total_supply: supply,
      max_supply: 0,
      first_data_at: '2020-01-01T00:00:00Z',
      last_updated: new Date(time - MINUTE_MS).toISOString(),
      quotes: {
        USD: {
          price,
          volume_24h: price * supply * 0.05,
          market_cap: price * supply,
          percent_change_24h: index - 5.5,
          ath_price: 1000,
          ath_date: '2021-11-10T16:51:15Z',
        },
      },
    };
  });
}

const firstCoin = (changes: object): Row[] =>
  marketAt(START)
    .slice(0, 1)
    .map((row) => ({ ...row, ...changes }));
const withUsd = (row: Row, usd: object): Row => ({ ...row, quotes: { USD: { ...row.quotes.USD, ...usd } } });
const usdOf = (row: Row, name: string): number => Number(row.quotes.USD[name]);

type Lie = (row: Row) => Row;
const same: Lie = (row) => row;

/** The job's run of a time, over the market of then with some coins' rows changed: by one lie, that of the liar. */
function runAt(time: number, lie: Lie | Readonly<Record<string, Lie>> = same, list = marketAt(time)) {
  const liars: Readonly<Record<string, Lie>> = typeof lie === 'function' ? { [LIAR]: lie } : lie;
  sides.provide(list.map((row) => liars[row.id]?.(row) ?? row));
  return sides.runAt(time);
}

/** Requests from a container that starts now. */
async function get(route: 'overview' | 'tickers' | 'ticker', query = '', id = '') {
  vi.resetModules();
  const handlers = {
    overview: () => import('../../functions/marketdata/overview/handler.ts'),
    tickers: () => import('../../functions/marketdata/tickers/handler.ts'),
    ticker: () => import('../../functions/marketdata/ticker/handler.ts'),
  };
  const { handler } = await handlers[route]();
  const path = `/api/marketdata/${route}${id && `/${id}`}`;
  return call(handler, { path, query, ...(id && { pathParameters: { id } }) });
}

async function page(sort: string): Promise<readonly Listed[]> {
  const { body } = await get('tickers', `sort=${sort}&limit=100`);
  return (body as { data: { results: Listed[] } }).data.results; // as the route's schema has it
}

const idsBy = (rows: readonly Row[], name: string) =>
  rows.toSorted((a, b) => usdOf(b, name) - usdOf(a, name)).map(({ id }) => id);
const sumOf = (rows: readonly Row[], name: string) => rows.reduce((sum, row) => sum + usdOf(row, name), 0);

const lies: Readonly<Record<string, Lie>> = {
  'a market cap of 1e300': (row) => withUsd(row, { market_cap: 1e300 }),
  'a hundred times its market cap': (row) => withUsd(row, { market_cap: usdOf(row, 'market_cap') * 100 }),
  'a hundredth of its market cap': (row) => withUsd(row, { market_cap: usdOf(row, 'market_cap') / 100 }),
  'a market cap that is not that of the circulating coins': (row) => ({ ...row, circulating_supply: 1e3 }),
  'a volume of 1e300': (row) => withUsd(row, { volume_24h: 1e300 }),
  'fifty times its volume': (row) => withUsd(row, { volume_24h: usdOf(row, 'volume_24h') * 50 }),
  'a change of -5000 %': (row) => withUsd(row, { percent_change_24h: -5000 }),
  'a change of 1e300 %': (row) => withUsd(row, { percent_change_24h: 1e300 }),
  'a change from another price than was known': (row) => withUsd(row, { percent_change_24h: 900 }),
  'a hundred times its price, without a change': (row) => withUsd(row, { price: usdOf(row, 'price') * 100 }),
  'the rank -5': (row) => ({ ...row, rank: -5 }),
  'half a rank': (row) => ({ ...row, rank: 1.5 }),
  'the rank of the first coin': (row) => ({ ...row, rank: 1 }),
  'no time': (row) => ({ ...row, last_updated: null }),
  'a time in 2099': (row) => ({ ...row, last_updated: '2099-01-01T00:00:00' }),
};

/** Lies that refuse a price; the others cost the figure alone. */
const ofPrices = ['a hundred times its price, without a change', 'no time', 'a time in 2099'];
/** Price and market cap that contradict each other: without a past nothing shows which is wrong. */
const contradictory = [
  'a hundred times its market cap',
  'a market cap that is not that of the circulating coins',
];
/** Lies that nothing shows without a past. */
const untold = [
  'a hundredth of its market cap',
  'fifty times its volume',
  'a change from another price than was known',
  'a hundred times its price, without a change',
];
/** The last coins of the market, which has the largest changes, each with one of the lies. */
const liesOf = (names: readonly string[]): Readonly<Record<string, Lie>> =>
  Object.fromEntries(names.flatMap((name, index) => [[`coin-${COINS - 1 - index}`, lies[name] ?? same]]));
const rowsOf = (rows: readonly Listed[], ids: readonly string[]) =>
  rows.filter(({ ticker }) => ids.includes(ticker.id));

describe('a wrong row of a list', () => {
  it('keeps its former figures, in lists and totals, and only a wrong price makes it stale', async () => {
    await runAt(START);
    const now = START + 10 * MINUTE_MS;
    const liars = liesOf(Object.keys(lies));
    const ids = Object.keys(liars);
    const ofPrice = ids.filter((_, index) => ofPrices.includes(Object.keys(lies)[index] ?? ''));

    const run = await runAt(now, liars);

    expect(run).toMatchObject({ rows: COINS, carried: ofPrice.length, unreadable: 2, figuresHeld: 12 });
    const rows = marketAt(now);
    for (const [sort, order] of [
      ['rank', rows.map(({ id }) => id)],
      ['volume', idsBy(rows, 'volume_24h')],
      ['change_24h', idsBy(rows, 'percent_change_24h')],
    ] as const) {
      const listed = await page(sort);
      expect(listed.map(({ ticker }) => ticker.id)).toEqual(order);
      for (const { ticker, quality, dataTime } of rowsOf(listed, ids)) {
        const isStale = ofPrice.includes(ticker.id);
        const [proper] = marketAt(isStale ? START : now).filter(({ id }) => id === ticker.id);
        const { market_cap, volume_24h, ...figures } = proper?.quotes.USD ?? {};
        expect({ ticker, quality }).toMatchObject({
          ticker: { rank: proper?.rank, quotes: { USD: figures } },
          quality: isStale ? 'stale' : 'exact',
        });
        expect(ticker.quotes.USD.market_cap).toBeCloseTo(Number(market_cap), -3);
        expect(ticker.quotes.USD.volume_24h).toBeCloseTo(Number(volume_24h), -3);
        expect(ticker.quotes.USD.figures_at).toBe(isStale ? null : new Date(START - MINUTE_MS).toISOString());
        expect(dataTime).toBe(new Date((isStale ? START : now) - MINUTE_MS).toISOString());
      }
    }
    const { data } = (await get('overview')).body as { data: object };
    expect(data).toMatchObject({
      marketCap: { usd: expect.closeTo(sumOf(rows, 'market_cap'), -3), coins: COINS },
      volume24h: { usd: expect.closeTo(sumOf(rows, 'volume_24h'), -3), coins: COINS },
      gainers: idsBy(
        rows.filter(({ id }) => !ofPrice.includes(id)),
        'percent_change_24h',
      )
        .slice(0, 10)
        .map((id) => ({ id })),
    });
  });

  it('of the first list loses the figure that cannot be true, and the price only with that', async () => {
    const liars = liesOf(Object.keys(lies).filter((name) => !untold.includes(name)));
    const names = Object.keys(lies).filter((name) => !untold.includes(name));
    const refused = names.filter((name) => [...ofPrices, ...contradictory].includes(name));
    const run = await runAt(START, liars);
    expect(run).toMatchObject({ rows: COINS - refused.length, carried: 0, unreadable: refused.length });
    const listed = rowsOf(await page('rank'), Object.keys(liars));
    expect(listed.map(({ quality }) => quality)).toEqual(listed.map(() => 'exact'));
    const figures = listed.map(({ ticker }) => {
      const { market_cap, volume_24h, percent_change_24h } = ticker.quotes.USD;
      return [market_cap, volume_24h, percent_change_24h, ticker.rank].filter((figure) => figure === null);
    });
    expect(figures.map(({ length }) => length)).toEqual(listed.map(() => 1));
  });

  it('counts once three lists agree, and the figure before is believed again at once', async () => {
    await runAt(START);
    const more: Lie = (row) => withUsd(row, { volume_24h: usdOf(row, 'volume_24h') * 5 });
    const volumeOf = async (run: number, lie: Lie) => {
      await runAt(START + run * 10 * MINUTE_MS, lie);
      const { volume_24h, figures_at } = sides.published().ticker(LIAR)?.data.quotes.USD ?? {};
      const [proper] = marketAt(START).filter(({ id }) => id === LIAR);
      return [Math.round(Number(volume_24h) / usdOf(proper as Row, 'volume_24h')), figures_at === null];
    };
    expect(await volumeOf(1, more)).toEqual([1, false]);
    expect(await volumeOf(2, more)).toEqual([1, false]);
    expect(await volumeOf(3, more)).toEqual([5, true]);
    expect(await volumeOf(4, more)).toEqual([5, true]);
    expect(await volumeOf(5, same)).toEqual([1, true]);
  });

  it('of the same time as before is no further evidence', async () => {
    await runAt(START);
    const stuck: Lie = (row) => ({
      ...withUsd(row, { price: usdOf(row, 'price') * 9 }),
      last_updated: new Date(START).toISOString(),
    });
    for (const run of [1, 2, 3, 4, 5])
      expect(await runAt(START + run * 10 * MINUTE_MS, stuck)).toMatchObject({ carried: 1 });
  });

  it('is none of a real coin: no market cap, a small coin’s volume, an unknown change', async () => {
    const start = marketAt(START).map((row) =>
      row.id === 'coin-7' ? withUsd(row, { volume_24h: 10 }) : row,
    );
    await runAt(START, undefined, start);
    const real: Readonly<Record<string, Lie>> = {
      'coin-7': (row) => withUsd(row, { volume_24h: 9e5 }),
      'coin-8': (row) => ({ ...withUsd(row, { market_cap: 0 }), rank: 0 }),
      'coin-9': (row) => withUsd(row, { percent_change_24h: null }),
    };
    for (const run of [1, 2, 3])
      expect(await runAt(START + run * 10 * MINUTE_MS, real)).toMatchObject({
        rows: COINS,
        carried: 0,
        such: [],
      });
    const usd = (id: string) => sides.published().ticker(id)?.data.quotes.USD;
    expect(usd('coin-7')).toMatchObject({ volume_24h: 9e5 });
    expect(usd('coin-8')).toMatchObject({ market_cap: 0 });
    expect(usd('coin-9')).toMatchObject({ percent_change_24h: null });
  });

  it('of many makes the list refused', async () => {
    const many = marketAt(START).map((row, index) => (index < 22 ? { ...row, rank: 1 } : row));
    await expect(runAt(START, undefined, many)).rejects.toThrow(
      'Not published: 21 of 100 tickers have another coin’s rank',
    );
  });
});

describe('a coin that is new in the list', () => {
  const list = (time: number, change: Lie = same) =>
    marketAt(time).flatMap((row) => (row.id === LIAR ? (time > START ? [change(row)] : []) : [row]));
  const later = (run: number) => START + run * 10 * MINUTE_MS;

  it('is published when three lists agree, and compared with its past if it left for a while', async () => {
    await runAt(START, same, list(START));
    for (const run of [1, 2]) {
      expect(await runAt(later(run), same, list(later(run)))).toMatchObject({ rows: COINS - 1, carried: 0 });
      expect(sides.published().ticker(LIAR)).toBeUndefined();
    }
    await runAt(later(3), same, list(later(3)));
    expect(sides.published().ticker(LIAR)?.data.quotes.USD.price).toBe(195);
    await runAt(
      later(4),
      same,
      marketAt(later(4)).filter(({ id }) => id !== LIAR),
    );
    expect(sides.published().ticker(LIAR)).toBeUndefined();
    const tripled: Lie = (row) => withUsd(row, { price: 3 * usdOf(row, 'price') });
    expect(await runAt(later(5), same, list(later(5), tripled))).toMatchObject({
      held: [`${LIAR}: 585 USD, which was 195`],
    });
    await runAt(later(6), same, list(later(6)));
    expect(sides.published().ticker(LIAR)).toMatchObject({ storedAt: later(6) });
  });
});

describe('a ticker that is fetched alone', () => {
  it.each<[string, object]>([
    ['a volume of 1e300', { quotes: { USD: { volume_24h: null } } }],
    ['a market cap of 1e300', { quotes: { USD: { market_cap: null } } }],
    ['a change of -5000 %', { quotes: { USD: { percent_change_24h: null } } }],
    ['a change of 1e300 %', { quotes: { USD: { percent_change_24h: null } } }],
    ['the rank -5', { rank: null }],
  ])('loses the figure with %s', async (name, data) => {
    sides.provide(marketAt(START).map((row) => (row.id === LIAR ? (lies[name]?.(row) ?? row) : row)));
    expect(await get('ticker', '', LIAR)).toMatchObject({ status: 200, body: { data } });
  });

  it.each(contradictory)('is refused with %s', async (name) => {
    sides.provide(marketAt(START).map((row) => (row.id === LIAR ? (lies[name]?.(row) ?? row) : row)));
    expect(await get('ticker', '', LIAR)).toMatchObject({
      status: 502,
      body: { error: expect.stringMatching(/^CoinPaprika gave an implausible answer: /) },
    });
  });

  const ago = (ms: number) => new Date(START - ms).toISOString();

  it('is stale if its own time is a year ago', async () => {
    const last_updated = ago(365 * 24 * HOUR_MS);
    sides.provide(firstCoin({ last_updated }));
    expect(await get('ticker', '', 'coin-0')).toMatchObject({
      status: 200,
      headers: {
        'x-data-quality': 'stale',
        'x-data-time': last_updated,
        'cache-control': expect.stringContaining('max-age=0'),
      },
    });
  });

  it('is stale, and has no time, without a time of its own', async () => {
    sides.provide(firstCoin({ last_updated: undefined }));
    const { status, headers } = await get('ticker', '', 'coin-0');
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'x-data-quality': 'stale' });
    expect(headers).not.toHaveProperty('x-data-time');
  });

  it('is stale, and left out of totals and gainers, as a year-old row of a list', async () => {
    const last_updated = ago(365 * 24 * HOUR_MS);
    await runAt(START, (row) => ({ ...withUsd(row, { percent_change_24h: 90 }), last_updated }));

    const stale = { 'x-data-quality': 'stale', 'x-data-time': last_updated };
    expect((await get('ticker', '', LIAR)).headers).toMatchObject(stale);
    expect((await page('rank')).find(({ ticker }) => ticker.id === LIAR)).toMatchObject({ quality: 'stale' });
    const { data } = (await get('overview')).body as { data: { gainers: object[] } };
    expect(data).toMatchObject({ marketCap: { coins: COINS - 1 } });
    expect(data.gainers).not.toContainEqual(expect.objectContaining({ id: LIAR }));
  });
});

describe('times', () => {
  it.each([
    ['2026-11-01T11:55:00', '2026-11-01T11:55:00Z'],
    ['2026-11-01T13:55:00.5+02:00', '2026-11-01T11:55:00.500Z'],
  ])('%s of a ticker is %s', async (given, utc) => {
    const times = { first_data_at: given, last_updated: given };
    await runAt(START, (row) => ({ ...withUsd(row, { ath_date: given }), ...times }));
    sides.provide(firstCoin({ ...times, quotes: { USD: { price: 1, ath_date: given } } }));
    vi.setSystemTime(START + 1000);
    const data = { first_data_at: utc, last_updated: utc, quotes: { USD: { ath_date: utc } } };
    const headers = { 'x-data-time': new Date(utc).toISOString(), 'x-data-quality': 'exact' };
    expect(await get('ticker', '', LIAR)).toMatchObject({ headers, body: { data } });
    sides.s3.objects.clear();
    expect(await get('ticker', '', 'coin-0')).toMatchObject({ headers, body: { data } });
  });

  it('that are none, of a first trade or a peak, are left out', async () => {
    const lie: Lie = (row) => ({ ...withUsd(row, { ath_date: 'soon' }), first_data_at: 5 });
    await runAt(START, lie);
    expect((await get('ticker', '', LIAR)).body).toMatchObject({
      data: { first_data_at: null, quotes: { USD: { ath_date: null } } },
    });
  });
});

describe('names', () => {
  const coins = (labels: Partial<Pick<RegistryEntry, 'name' | 'symbol'>> = {}) =>
    Array.from(
      { length: COINS },
      (_, index): RegistryEntry => ({
        id: `coin-${index}`,
        name: `Coin ${index}`,
        symbol: `C${index}`,
        rank: index + 1,
        is_new: false,
        is_active: true,
        type: 'coin',
        ...(`coin-${index}` === LIAR && labels),
      }),
    );
  const listed = async () => (await page('rank')).find(({ ticker }) => ticker.id === LIAR);
  const later = START + 10 * MINUTE_MS;

  it('are the registry’s if only the name differs', async () => {
    await sides.register(coins({ name: 'The Last', symbol: 'c95 ' }));
    await runAt(START, (row) => ({ ...row, name: 'Coin 0' }));
    expect(await listed()).toMatchObject({ ticker: { name: 'The Last', symbol: 'c95 ' }, quality: 'exact' });
    sides.provide(marketAt(later).map((row) => ({ ...row, name: 'Bitcoin' })));
    vi.setSystemTime(later + 20 * MINUTE_MS);
    expect((await get('ticker', '', LIAR)).body).toMatchObject({ data: { name: 'The Last' } });
  });

  it('of another coin hold the row back if its figures are that coin’s, and stay until the registry has them', async () => {
    await sides.register(coins());
    await runAt(START);
    const other = marketAt(later)[0];
    expect(await runAt(later, (row) => ({ ...other, id: row.id }) as Row)).toMatchObject({
      carried: 1,
      such: [`${LIAR}: the symbol "C0" in place of "C95"`],
    });
    expect(await listed()).toMatchObject({ ticker: { name: 'Coin 95', symbol: 'C95' }, quality: 'stale' });
    const renamed: Lie = (row) => ({ ...row, name: 'Coin 0', symbol: 'C0' });
    expect(await runAt(later + 5 * MINUTE_MS, renamed)).toMatchObject({ carried: 0, such: [] });
    expect(await listed()).toMatchObject({ ticker: { name: 'Coin 95', symbol: 'C95' }, quality: 'exact' });

    await sides.register(coins({ name: 'Coin 0', symbol: 'C0' }));
    expect(await runAt(later + 10 * MINUTE_MS, renamed)).toMatchObject({ carried: 0 });
    expect(await listed()).toMatchObject({ ticker: { name: 'Coin 0', symbol: 'C0' }, quality: 'exact' });
  });

  it('of another coin are no answer of a ticker that is fetched alone', async () => {
    await sides.register(coins());
    sides.provide(marketAt(START).map((row) => ({ ...row, symbol: 'C0', name: 'Coin 0' })));
    expect(await get('ticker', '', LIAR)).toMatchObject({ status: 502 });
    expect(await get('ticker', '', 'coin-0')).toMatchObject({ status: 200 });
    sides.provide(marketAt(START).map((row) => ({ ...row, symbol: 'C0' })));
    expect(await get('ticker', '', 'coin-94')).toMatchObject({
      status: 200,
      body: { data: { symbol: 'C94' } },
    });
  });

  it('are returned without lone surrogates, control characters and characters that reverse a text', async () => {
    const dirty = { name: 'Co\ud800in\u0000\n\u202e 战旗\u2066', symbol: '\u200fsUSDS \u0007' };
    const clean = { name: 'Coin  战旗', symbol: 'sUSDS ' };
    await runAt(START, (row) => ({ ...row, ...dirty }));
    expect(await listed()).toMatchObject({ ticker: clean });

    await sides.register(coins(dirty));
    expect(await runAt(later, (row) => ({ ...row, ...dirty }))).toMatchObject({ such: [] });
    expect(await listed()).toMatchObject({ ticker: clean, quality: 'exact' });
  });
});
