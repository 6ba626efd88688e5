import { expect, test } from 'vitest';
import { get, NOW, startForTest, TODAY } from './exchanges.testing.ts';

type Row = readonly [number, string, string, string, string, string, string, number];
interface Answer<T> {
  readonly error: readonly string[];
  readonly result: T;
}
const DAY = 86_400;

test('has names of its own for pairs, and more than one for each', async () => {
  const exchange = await startForTest('kraken');
  const { json } = await get<Answer<Record<string, object>>>(exchange, '/0/public/AssetPairs');
  expect(json.error).toEqual([]);
  expect(json.result.XXBTZUSD).toMatchObject({
    ...{ altname: 'XBTUSD', wsname: 'XBT/USD', base: 'XXBT', quote: 'ZUSD', status: 'online' },
  });
  expect(json.result.XDGUSD).toMatchObject({ altname: 'XDGUSD', base: 'XXDG', quote: 'ZUSD' });
  expect(json.result.XETHZUSD).toMatchObject({ altname: 'ETHUSD' });
  expect(json.result.SOLUSD).toBeDefined();
  for (const pair of ['XXBTZUSD', 'XBTUSD', 'XBT/USD']) {
    const one = await get<Answer<object>>(exchange, `/0/public/Ticker?pair=${encodeURIComponent(pair)}`);
    expect(Object.keys(one.json.result)).toEqual(['XXBTZUSD']);
  }
});

test('marks a halted pair, and has no delisted one', async () => {
  const exchange = await startForTest('kraken');
  const { json } = await get<Answer<Record<string, { status: string }>>>(exchange, '/0/public/AssetPairs');
  const states = Object.values(json.result).map(({ status }) => status);
  expect(states.filter((status) => status === 'cancel_only')).toHaveLength(1);
  expect(states).toHaveLength(exchange.markets.length - 1);
});

test('tells at most the latest 720 candles, ascending, the last one running, whatever `since` says', async () => {
  const exchange = await startForTest('kraken');
  const ask = async (since: string) => {
    const path = `/0/public/OHLC?pair=XBTUSD&interval=1440${since}`;
    const { json } = await get<Answer<{ XXBTZUSD: Row[]; last: number }>>(exchange, path);
    return json.result;
  };
  for (const since of ['', '&since=1500000000']) {
    const { XXBTZUSD: rows, last } = await ask(since);
    expect(rows.map(([time]) => time)).toEqual(
      Array.from({ length: 720 }, (_, index) => TODAY / 1000 - (719 - index) * DAY),
    );
    expect(last).toBe(TODAY / 1000 - DAY);
    for (const row of rows) {
      const [open = 0, high = 0, low = 0, close = 0, average = 0] = row.slice(1, 6).map(Number);
      expect(high).toBeGreaterThanOrEqual(Math.max(open, close, average));
      expect(low).toBeLessThanOrEqual(Math.min(open, close, average));
    }
  }
  const { XXBTZUSD: rest } = await ask(`&since=${TODAY / 1000 - DAY}`);
  expect(rest.map(([time]) => time)).toEqual([TODAY / 1000]);
});

test('tells the last price that the running candle has', async () => {
  const exchange = await startForTest('kraken');
  const ticker = await get<Answer<{ XXBTZUSD: { c: [string, string] } }>>(
    exchange,
    '/0/public/Ticker?pair=XBTUSD',
  );
  const path = `/0/public/OHLC?pair=XBTUSD&interval=60&since=${NOW / 1000 - 3600}`;
  const candles = await get<Answer<{ XXBTZUSD: Row[] }>>(exchange, path);
  expect(candles.json.result.XXBTZUSD.at(-1)?.[4]).toBe(ticker.json.result.XXBTZUSD.c[0]);
});

test('repeats the last price for hours without a trade', async () => {
  const exchange = await startForTest('kraken');
  const silent = exchange.markets.find(({ trap }) => trap === 'silent');
  const pair = `${silent?.base}USD`;
  const path = `/0/public/OHLC?pair=${pair}&interval=60`;
  const { json } = await get<Answer<Record<string, Row[]>>>(exchange, path);
  const rows = json.result[pair] ?? [];
  const flat = rows.filter(([, open, high, low, close, , volume]) => {
    return Number(volume) === 0 && new Set([open, high, low, close]).size === 1;
  });
  expect(rows).toHaveLength(720);
  expect(flat.length).toBeGreaterThan(30);
});

test.each([
  ['Ticker?pair=NO', 'EQuery:Unknown asset pair'],
  ['OHLC', 'EQuery:Unknown asset pair'],
  ['OHLC?pair=XBTUSD&interval=7', 'EGeneral:Invalid arguments'],
  ['Nothing', 'EGeneral:Unknown method'],
])('says in a 200 what is wrong with %s', async (path, error) => {
  const exchange = await startForTest('kraken');
  expect(await get(exchange, `/0/public/${path}`)).toMatchObject({ status: 200, json: { error: [error] } });
});

test('says in a 200 that it was asked too often', async () => {
  let now = NOW;
  const exchange = await startForTest('kraken', { requestsPerSecond: 1, now: () => now });
  const asked = async () => (await get<Answer<object>>(exchange, '/0/public/Time')).json.error[0];
  const first = [];
  for (let count = 0; count < 6; count++) first.push(await asked());
  expect(first).toEqual([...Array(5).fill(undefined), 'EGeneral:Too many requests']);
  now += 1000;
  expect([await asked(), await asked()]).toEqual([undefined, 'EGeneral:Too many requests']);
});
