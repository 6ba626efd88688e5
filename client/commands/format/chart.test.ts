import { expect, test } from 'vitest';
import { candles, resolved, type Stubs, stubApi, tickerOf } from '../../../test/client/stub-api.ts';
import { sessionRates } from '../currency.ts';
import { runLine } from '../run.ts';
import { sessionTickers } from '../tickers.ts';
import { resultLines } from './result.ts';
import { plainText } from './text.ts';

const NOW = Date.UTC(2026, 0, 2, 12);
const headers = {
  'x-data-source': 'coinbase',
  'x-data-quality': 'exact',
  'x-data-time': new Date(NOW).toISOString(),
};
const ids: Readonly<Record<string, string>> = { BTC: 'btc-bitcoin', ETH: 'eth-ethereum' };
const stubs: Stubs = {
  resolve: ({ symbol }) => resolved({ symbol, id: ids[symbol] ?? symbol.toLowerCase(), name: symbol }),
  coin: ({ id }) => ({ ...resolved(), id, symbol: id.slice(0, 3).toUpperCase(), is_active: true }) as never,
  ticker: ({ id }) => tickerOf({ id }, { price: id === 'btc-bitcoin' ? 150 : 1 }),
  ohlcv: ({ id, quote = 'usd' }) => {
    const data = candles([
      [id === 'btc-bitcoin' ? 100 : 2, 200, 1, 1],
      [1, 200, 1, 1],
    ]);
    return { coinId: id, interval: '24h', quote, count: data.length, data };
  },
};

async function outputOf(line: string) {
  const { api, calls } = stubApi(stubs, headers);
  const now = () => NOW;
  const context = {
    api,
    rates: sessionRates(api, now),
    tickers: sessionTickers(now),
    now,
    keySetting: '',
    hasKey: () => false,
  };
  const result = await runLine(line, context);
  return { text: plainText(resultLines(result, { width: 80, now: NOW })), result, calls };
}

test('coins that are compared have a line each, with price, period and change', async () => {
  expect((await outputOf('cchart BTC --compare ETH')).text).toBe(
    [
      'BTC, ETH: 2 daily prices in percent',
      'BTC  $150.00  30d +4.00%',
      'ETH    $1.00  30d +4.00%',
      'Source: Coinbase, as of 12:00 UTC; exact candles',
    ].join('\n'),
  );
});

test('prices in bitcoin, and of a time that is over, are compared too', async () => {
  const { text } = await outputOf('cchart BTC --compare ETH --quote btc --start 2026-01-01 --end 2026-01-02');
  expect(text).toContain('\nETH  1.00 BTC  48h -50.00%\n');
});

test.each(['BTC,btc', 'ETH,eth', 'ETH,BTC,ETH', 'ETH,eth-ethereum'])(
  'a coin that is named twice, as in BTC and %s, is one',
  async (list) => {
    const { calls } = await outputOf(`cchart BTC --compare ${list}`);
    const charts = calls.filter((call) => call.startsWith('ohlcv'));
    expect(charts).toHaveLength(new Set(charts).size);
  },
);

test('compared with itself alone a coin has its usual chart', async () => {
  expect((await outputOf('cchart BTC --compare btc')).text).toMatch(/^Bitcoin \(BTC\)|^BTC \(BTC\)/);
});

test.each([
  ['--compare A,B,C,D,E', 'At most 4 coins are compared with one, not 5'],
  ['--compare ETH --candles', 'Coins are compared by lines; leave out one of --compare and --candles'],
  ['--compare', 'Option --compare needs a value'],
])('cchart BTC %s is a usage error', async (options, message) => {
  const { text, calls } = await outputOf(`cchart BTC ${options}`);
  expect(text).toBe(`${message}\nUsage: cchart <symbol> [options]`);
  expect(calls).toEqual([]);
});
