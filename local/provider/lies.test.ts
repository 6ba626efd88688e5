import { afterAll, beforeAll, expect, test } from 'vitest';
import { readTicker } from '../../shared/marketdata/ticker.ts';
import { DAY_MS } from '../../shared/platform/time.ts';
import { readCandles, readPrices } from '../../shared/providers/coinpaprika/readers.ts';
import type { Candle } from './candles.ts';
import { defaultCoins, type ListedCoin } from './coins.ts';
import type { Tick } from './history.ts';
import { type SimulatedProvider, startSimulatedProvider } from './index.ts';
import { type LieName, lieNames } from './lies.ts';
import { getJson, NOW, startForTest } from './provider.testing.ts';

interface Ticker {
  id: string;
  name: string;
  symbol: string;
  rank: number;
  last_updated: string;
  quotes: { USD: { price: number | null; ath_price: number | null; volume_24h: number } };
}

const window = 'start=2026-02-20&limit=366';
const paths = {
  ticker: '/tickers/btc-bitcoin',
  tickers: '/tickers',
  candles: `/coins/btc-bitcoin/ohlcv/historical?${window}`,
  prices: `/tickers/btc-bitcoin/historical?${window}&interval=1d`,
  coins: '/coins',
};
type Kind = keyof typeof paths;
const kinds: readonly Kind[] = ['ticker', 'tickers', 'candles', 'prices', 'coins'];

const options = { plan: 'paid', coins: defaultCoins.slice(0, 20) } as const;
let provider: SimulatedProvider;
beforeAll(async () => {
  provider = await startSimulatedProvider({ ...options, now: () => NOW });
});
afterAll(() => provider.close());

/** The types of the fields: all that `/coins` promises of a text is that it is one. */
const typesOf = (row: object) => Object.entries(row).map(([name, value]) => [name, typeof value]);
const types = typesOf({ id: '', name: '', symbol: '', rank: 0, is_new: true, is_active: true, type: '' });

const read: Record<Kind, (json: unknown) => void> = {
  ticker: readTicker,
  tickers: (json) => rows(json).map(readTicker),
  candles: readCandles,
  prices: readPrices,
  coins: (json) => rows(json).map((row) => expect(typesOf(row)).toEqual(types)),
};

const rows = (json: unknown) => json as object[]; // fails where it is used if it is no list

const priced: readonly Kind[] = ['ticker', 'tickers', 'candles', 'prices'];
const histories: readonly Kind[] = ['candles', 'prices'];
const lists: readonly Kind[] = ['tickers', 'candles', 'prices', 'coins'];
const named: readonly Kind[] = ['ticker', 'tickers', 'coins'];

const liesAbout: Record<LieName, readonly Kind[]> = {
  identity: kinds,
  noprice: priced,
  zero: priced,
  negative: priced,
  giant: priced,
  scaled: priced,
  future: priced,
  old: priced,
  outside: histories,
  unordered: histories,
  shuffled: lists,
  duplicates: lists,
  emptied: lists,
  halved: lists,
  impossible: ['candles'],
  onebad: ['tickers', 'candles', 'prices'],
  bigtext: named,
  echo: named,
  nameless: named,
  shifted: ['tickers', 'coins'],
  inactive: ['coins'],
  unranked: named,
};

test.each(lieNames)('%s is told in the right shape, where it makes sense', async (lie) => {
  for (const kind of kinds) {
    provider.setFault(null);
    const proper = await fetch(provider.url + paths[kind]);
    provider.setFault(`lie=${lie}`);
    const told = await fetch(provider.url + paths[kind]);
    const body = await told.text();

    expect(told.status).toBe(200);
    expect(told.headers.get('content-type')).toBe(proper.headers.get('content-type'));
    expect(() => read[kind](JSON.parse(body)), kind).not.toThrow();
    expect(body !== (await proper.text()), kind).toBe(liesAbout[lie].includes(kind));
  }
});

/** The JSON of a path, proper and as a lie. */
async function both<T>(lie: LieName, kind: Kind): Promise<{ proper: T; told: T }> {
  provider.setFault(null);
  const proper = await getJson<T>(provider, paths[kind]);
  provider.setFault(`lie=${lie}`);
  return { proper, told: await getJson<T>(provider, paths[kind]) };
}

const priceOf = ({ quotes }: Ticker) => quotes.USD.price;

test('identity gives the figures of another coin', async () => {
  provider.setFault('lie=identity@btc-bitcoin');
  const other = await getJson<Ticker>(provider, paths.ticker);
  expect(other.id).not.toBe('btc-bitcoin');
  expect(other).toEqual(await getJson(provider, `/tickers/${other.id}`));
  for (const kind of histories) {
    expect(await getJson(provider, paths[kind])).toEqual(
      await getJson(provider, paths[kind].replace('btc-bitcoin', other.id)),
    );
  }
});

test.each(['tickers', 'coins'] as const)('identity moves the ids of /%s by one row', async (kind) => {
  const { proper, told } = await both<{ id: string; symbol: string }[]>('identity', kind);
  const [first, ...others] = proper.map(({ id }) => id);
  expect(told.map(({ id }) => id)).toEqual([...others, first]);
  expect(told.map((row) => ({ ...row, id: '' }))).toEqual(proper.map((row) => ({ ...row, id: '' })));
});

test('noprice leaves prices null or absent', async () => {
  expect(priceOf((await both<Ticker>('noprice', 'ticker')).told)).toBeNull();
  const prices = (await both<Ticker[]>('noprice', 'tickers')).told.map(priceOf);
  expect(new Set(prices)).toEqual(new Set([null, undefined]));
  for (const kind of histories) {
    const { told } = await both<Candle[]>('noprice', kind);
    expect(told.length).toBeGreaterThan(10);
    expect(read[kind](told)).toEqual([]);
  }
});

test.each([
  ['zero', () => 0, (volume: number) => volume],
  ['negative', (price: number) => -price, (volume: number) => -volume],
  ['giant', () => 1e308, (volume: number) => volume],
  ['scaled', (price: number) => price * 100, (volume: number) => volume],
] as const)('%s changes every price', async (lie, price, volume) => {
  const expected = ({ quotes: { USD } }: Ticker) => [price(Number(USD.price)), volume(USD.volume_24h)];
  const given = ({ quotes: { USD } }: Ticker) => [USD.price, USD.volume_24h];
  const ticker = await both<Ticker>(lie, 'ticker');
  expect(given(ticker.told)).toEqual(expected(ticker.proper));
  const tickers = await both<Ticker[]>(lie, 'tickers');
  expect(tickers.told.map(given)).toEqual(tickers.proper.map(expected));
  const candles = await both<Candle[]>(lie, 'candles');
  expect(candles.told.map((row) => [row.open, row.high, row.low, row.close, row.volume])).toEqual(
    candles.proper.map((row) => [...[row.open, row.high, row.low, row.close].map(price), volume(row.volume)]),
  );
  const ticks = await both<Tick[]>(lie, 'prices');
  expect(ticks.told.map((row) => [row.price, row.volume_24h])).toEqual(
    ticks.proper.map((row) => [price(row.price), volume(row.volume_24h)]),
  );
});

test('future moves every time to 2099', async () => {
  expect((await both<Ticker>('future', 'ticker')).told.last_updated).toBe('2099-03-10T16:42:00Z');
  for (const { last_updated } of (await both<Ticker[]>('future', 'tickers')).told) {
    expect(last_updated).toBe('2099-03-10T16:42:00Z');
  }
  const candles = (await both<Candle[]>('future', 'candles')).told;
  expect(candles[0]).toMatchObject({ time_open: '2099-02-20T00:00:00Z', time_close: '2099-02-20T23:59:59Z' });
  const ticks = (await both<Tick[]>('future', 'prices')).told;
  expect([ticks[0], ticks.at(-1)].map((row) => row?.timestamp)).toEqual([
    '2099-02-20T00:00:00Z',
    '2099-03-10T00:00:00Z',
  ]);
});

test('old is what was right two days ago', async () => {
  const before = await startForTest({ ...options, now: () => NOW - 2 * DAY_MS });
  for (const kind of priced) {
    const { proper, told } = await both('old', kind);
    expect(told).toEqual(await getJson(before, paths[kind]));
    expect(told).not.toEqual(proper);
  }
});

test('old is empty where the window is younger', async () => {
  provider.setFault('lie=old');
  const path = '/coins/btc-bitcoin/ohlcv/historical?start=2026-03-10';
  expect(await getJson(provider, path)).toEqual([]);
});

test.each([
  [window, '2025-02-20', '2025-03-10'],
  ['start=2024-03-10&limit=5000', '2021-03-11', '2023-03-11'], // two years do not leave the window
])('outside gives the days of ?%s from years before', async (query, first, last) => {
  provider.setFault('lie=outside');
  const ticks = await getJson<Tick[]>(provider, `/tickers/btc-bitcoin/historical?${query}&interval=1d`);
  expect([ticks[0], ticks.at(-1)].map((row) => row?.timestamp.slice(0, 10))).toEqual([first, last]);
});

test.each(['unordered', 'shuffled'] as const)('%s keeps every row whole', async (lie) => {
  for (const kind of liesAbout[lie]) {
    const { proper, told } = await both<object[]>(lie, kind);
    expect(new Set(told.map((row) => JSON.stringify(row)))).toEqual(
      new Set(proper.map((row) => JSON.stringify(row))),
    );
    expect(told).not.toEqual(proper);
  }
});

test('unordered mixes any number of days from two on', async () => {
  provider.setFault('lie=unordered');
  for (let limit = 2; limit < 50; limit++) {
    const path = `/coins/btc-bitcoin/ohlcv/historical?start=2026-01-01&limit=${limit}`;
    const times = (await getJson<Candle[]>(provider, path)).map((row) => row.time_open);
    expect(times).not.toEqual(times.toSorted());
  }
});

test('duplicates names each row twice, with other figures', async () => {
  const { proper, told } = await both<Candle[]>('duplicates', 'candles');
  expect(told).toHaveLength(2 * proper.length);
  expect(told.filter((_, index) => index % 2 === 0)).toEqual(proper);
  expect(told[1]).toMatchObject({ time_open: proper[0]?.time_open, close: Number(proper[0]?.close) * 2 });
  const coins = (await both<ListedCoin[]>('duplicates', 'coins')).told;
  expect(coins.slice(0, 2).map(({ id, rank }) => [id, rank])).toEqual([
    ['btc-bitcoin', 1],
    ['btc-bitcoin', 2],
  ]);
});

test.each(lists)('emptied and halved thin out the list of %s', async (kind) => {
  expect((await both('emptied', kind)).told).toEqual([]);
  const { proper, told } = await both<object[]>('halved', kind);
  expect(told).toEqual(proper.filter((_, index) => index % 2 === 0));
});

const isImpossible = ({ high, low, close }: Candle) => high < low && close > high && close > low;

test('impossible gives candles that no market makes', async () => {
  const { told } = await both<Candle[]>('impossible', 'candles');
  expect(told.length).toBeGreaterThan(10);
  expect(told.every(isImpossible)).toBe(true);
});

test('onebad spoils one row of a history and two of the tickers', async () => {
  const candles = (await both<Candle[]>('onebad', 'candles')).told;
  expect(candles.filter(isImpossible)).toHaveLength(1);
  const ticks = (await both<Tick[]>('onebad', 'prices')).told;
  expect(ticks.filter(({ price }) => price === -1)).toHaveLength(1);
  const { proper, told } = await both<Ticker[]>('onebad', 'tickers');
  const bad = told.filter((row, index) => priceOf(row) !== priceOf(proper[index] ?? row));
  expect(bad.map(priceOf).toSorted()).toEqual([-1, null]);
});

test('bigtext stays below the 8 MB at which a client stops reading', async () => {
  const { told } = await both<Ticker>('bigtext', 'ticker');
  expect([told.id, told.name.length, told.symbol.length]).toEqual(['btc-bitcoin', 7_500_000, 10_000]);
  for (const body of [told, (await both<Ticker[]>('bigtext', 'tickers')).told]) {
    expect(JSON.stringify(body).length).toBeLessThan(8 * 1024 * 1024);
  }
  const [coin] = (await both<ListedCoin[]>('bigtext', 'coins')).told;
  expect([coin?.name, coin?.symbol.length]).toEqual(['Bitcoin', 10_000]);
});

test('echo repeats the request in texts and in errors', async () => {
  provider.setFault('lie=echo');
  const heard = async (path: string) => {
    const response = await fetch(provider.url + path, { headers: { 'X-Secret': 'told to nobody else' } });
    return { status: response.status, body: await response.text() };
  };
  const found = await heard('/tickers/btc-bitcoin?a=1');
  const { name, symbol } = JSON.parse(found.body) as Ticker;
  for (const text of [name, symbol]) {
    expect(text).toContain('/v1/tickers/btc-bitcoin?a=1');
    expect(text).toContain('"x-secret":"told to nobody else"');
  }
  const missing = await heard('/tickers/none');
  expect(missing.status).toBe(404);
  expect(JSON.parse(missing.body)).toEqual({
    error: expect.stringMatching(/^id not found \/v1\/tickers\/none .*told to nobody else/),
  });
  expect(await heard('/nothing')).toEqual({ status: 404, body: '404 page not found' });
});

test('nameless, inactive and unranked spoil every coin of the list', async () => {
  for (const { name } of (await both<ListedCoin[]>('nameless', 'coins')).told) expect(name).toBe('');
  for (const { rank } of (await both<ListedCoin[]>('unranked', 'coins')).told) expect(rank).toBe(0);
  for (const { is_active } of (await both<ListedCoin[]>('inactive', 'coins')).told)
    expect(is_active).toBe(false);
});

test('shifted moves the symbols by one row', async () => {
  const { proper, told } = await both<ListedCoin[]>('shifted', 'coins');
  const [first, ...others] = proper.map(({ symbol }) => symbol);
  expect(told.map(({ symbol }) => symbol)).toEqual([...others, first]);
  expect(told.map(({ id }) => id)).toEqual(proper.map(({ id }) => id));
});

test('a lie leaves refusals alone, and ends after its requests', async () => {
  provider.setFault('lie=scaledx2');
  const ask = async (path: string) => (await fetch(provider.url + path)).text();
  expect(await ask('/tickers/none')).toBe('{"error":"id not found"}');
  expect(await ask(paths.ticker)).not.toBe(await ask(paths.ticker));
});

test.each(['shuffled', 'onebad'] as const)('%s hits the same rows in every run', async (lie) => {
  const [one, two] = [
    await startForTest({ fault: `lie=${lie}` }),
    await startForTest({ fault: `lie=${lie}` }),
  ];
  expect(await getJson(one, paths.tickers)).toEqual(await getJson(two, paths.tickers));
});
