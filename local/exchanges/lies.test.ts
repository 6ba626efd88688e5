import { expect, test } from 'vitest';
import { get, startForTest, TODAY } from './exchanges.testing.ts';
import { lieNames } from './lies.ts';

const DAY = 86_400_000;
/** Few candles: to make them takes longer than to lie about them. */
const start = TODAY - 5 * DAY;
const range = `start=${start / 1000}&end=${TODAY / 1000}`;
const requests = {
  coinbase: [`/products/BTC-USD/candles?granularity=86400&${range}`, '/products/BTC-USD/ticker'],
  kraken: [`/0/public/OHLC?pair=XBTUSD&interval=1440&since=${start / 1000}`, '/0/public/Ticker?pair=XBTUSD'],
  binance: ['/api/v3/klines?symbol=BTCUSDT&interval=1d&limit=6', '/api/v3/ticker/24hr?symbol=BTCUSDT'],
} as const;

const text = async (url: string) => (await fetch(url)).text();

test.each(['coinbase', 'kraken', 'binance'] as const)(
  'every lie changes the candles of %s, and those about prices its tickers',
  async (name) => {
    const exchange = await startForTest(name);
    const [candles, ...tickers] = requests[name];
    const honest = await text(exchange.url + candles);
    for (const lie of lieNames) {
      exchange.setFault(`lie=${lie}`);
      expect(await text(exchange.url + candles), lie).not.toBe(honest);
    }
    for (const ticker of tickers) {
      exchange.setFault(null);
      const proper = await text(exchange.url + ticker);
      for (const lie of ['scaled', 'zero', 'negative', 'nan', 'noprice', 'giant', 'words', 'old']) {
        exchange.setFault(`lie=${lie}`);
        expect(await text(exchange.url + ticker), lie).not.toBe(proper);
      }
    }
  },
);

test('lies about tokens', async () => {
  const source = await startForTest('defillama', { traps: [], fault: 'lie=negative' });
  const name = source.tokens[0]?.name ?? '';
  const { json } = await get<{ coins: Record<string, { price: number }> }>(source, `/prices/current/${name}`);
  expect(json.coins[name]?.price).toBeLessThan(0);
  source.setFault('lie=many');
  const chart = await get<{ coins: Record<string, { prices: object[] }> }>(source, `/chart/${name}?span=3`);
  expect(chart.json.coins[name]?.prices).toHaveLength(100_000);
});

test.each([
  ['XBTUSD', 'XXBTZUSD'],
  ['XETHZUSD', 'XETHZUSD'],
  ['ETHUSD', 'XETHZUSD'],
  ['SOLUSD', 'SOLUSD'],
])('a lie about identity tells another market of Kraken in place of %s', async (pair, id) => {
  const exchange = await startForTest('kraken', { fault: 'lie=identityx1' });
  const path = `/0/public/Ticker?pair=${pair}`;
  const told = await get<{ result: object }>(exchange, path);
  expect(Object.keys(told.json.result)).toEqual([expect.not.stringMatching(id)]);
  const honest = await get<{ result: object }>(exchange, path);
  expect(Object.keys(honest.json.result)).toEqual([id]);
});

test('a lie about identity, or a redirect to another, is of a token that was not asked for', async () => {
  const source = await startForTest('defillama', { traps: [], fault: 'lie=identity' });
  const names = source.tokens.slice(0, 2).map(({ name }) => name);
  const path = `/prices/current/${encodeURIComponent(names.join(',').toUpperCase().replaceAll('0X', '0x'))}`;
  const { json } = await get<{ coins: object }>(source, path);
  expect(Object.keys(json.coins)).toEqual([source.tokens[2]?.name]);
  source.setFault('redirect=other');
  const { headers } = await fetch(source.url + path, { redirect: 'manual' });
  expect(headers.get('location')).toBe(`/prices/current/${encodeURIComponent(source.tokens[2]?.name ?? '')}`);
});

test.each([
  ['coinbase', { requestsPerSecond: 1 }],
  ['binance', { weightPerMinute: 4 }],
] as const)('who is lied to about the time is limited by %s all the same', async (name, limits) => {
  const exchange = await startForTest(name, { ...limits, fault: 'lie=old' });
  const statuses: number[] = [];
  for (let count = 0; count < 10; count++)
    statuses.push((await fetch(exchange.url + requests[name][1])).status);
  expect([statuses[0], statuses.at(-1)]).toEqual([200, 429]);
});

test('errors are left alone', async () => {
  const exchange = await startForTest('binance', { fault: 'lie=scaled' });
  expect(await get(exchange, '/api/v3/klines?symbol=NO&interval=1d')).toMatchObject({
    json: { code: -1121 },
  });
});
