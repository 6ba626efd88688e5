import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Program } from '../../client/cli/own-commands.ts';
import { displayWidth } from '../../client/commands/format/width.ts';
import { runInside } from './program.ts';
import { candles, entry, resolveIn, type Stubs, tickerOf } from './stub-api.ts';
import { startStubService } from './stub-service.ts';

const NOW = '2026-01-31T12:04:00.000Z';
const TIME = '2026-01-31T12:03:00.000Z';
const headers = {
  date: new Date(NOW).toUTCString(),
  'x-data-source': 'coinpaprika',
  'x-data-quality': 'exact',
  'x-data-time': TIME,
};

const coins = [
  entry({ id: 'btc-bitcoin', symbol: 'BTC', name: 'Bitcoin', rank: 1 }),
  entry({ id: 'eth-ethereum', symbol: 'ETH', name: 'Ethereum', rank: 2 }),
  entry({ id: 'shib-shiba-inu', symbol: 'SHIB', name: 'Shiba Inu', rank: 29 }),
  entry({ id: 'cat-simons-cat', symbol: 'CAT', name: "Simon's Cat", rank: 658 }),
  entry({ id: 'cat20-catcoin', symbol: 'CAT', name: 'Catcoin', rank: 1681 }),
];

const prices: Readonly<Record<string, Parameters<typeof tickerOf>[1]>> = {
  'eth-ethereum': { price: 3512.4, percent_change_1h: -0.32, percent_change_24h: -1.05, market_cap: 423e9 },
  'shib-shiba-inu': {
    price: 0.000_012_34,
    percent_change_1h: null,
    percent_change_24h: 12.5,
    percent_change_7d: 104.2,
    market_cap: 7.27e9,
    volume_24h: null,
  },
  'cat-simons-cat': { price: 0.000_004_1, market_cap: 2.77e7, volume_24h: 4.1e6 },
};

function tickerNamed(id: string) {
  const { name = '', symbol = '', rank = 0 } = coins.find((coin) => coin.id === id) ?? {};
  return tickerOf({ id, name, symbol, rank }, prices[id]);
}

/** A week of hours whose prices rise and fall without chance. */
const week = candles(
  Array.from({ length: 168 }, (_, hour) => {
    const priceAt = (x: number) => 65_500 + 1500 * Math.sin(x / 24) + 900 * Math.cos(x / 3);
    const [open, close] = [priceAt(hour), priceAt(hour + 1)];
    return [open, Math.max(open, close) + 400, Math.min(open, close) - 300, close];
  }),
).map((candle, hour) => ({
  ...candle,
  time_open: new Date(Date.parse(NOW) - (168 - hour) * 3_600_000).toISOString(),
}));

const stubs: Stubs = {
  ohlcv: ({ id }) => ({ coinId: id, interval: '1h', quote: 'usd', count: week.length, data: week }),
  resolve: resolveIn(coins),
  search: ({ q }) => {
    const results = coins.filter(({ name }) => name.toLowerCase().startsWith(q.slice(0, 3)));
    return { query: q, count: results.length, results };
  },
  ticker: ({ id }) => tickerNamed(id),
  tickers: ({ ids = [] }) => {
    const results = ids.map((id) => ({
      id,
      ticker: tickerNamed(id),
      source: 'coinpaprika',
      quality: id === 'shib-shiba-inu' ? ('stale' as const) : ('exact' as const),
      dataTime: TIME,
    }));
    return { count: results.length, results };
  },
};

const lines: readonly (readonly [name: string, program: Program, args: readonly string[]])[] = [
  ['card', 'cprice', ['BTC']],
  ['prices', 'cprice', ['BTC', 'ETH', 'SHIB', 'CAT']],
  ['prices-without-one', 'cprice', ['BTC', 'etherum']],
  ['help', 'marketdata', ['help']],
  ['unreachable', 'cprice', ['BTC', '--url', 'http://127.0.0.1:2']],
];

/** What a program writes in windows of these columns, stderr below stdout, while the clock stands. */
test.each(lines)('%s in 40 and 80 columns', async (name, program, args) => {
  const { url, close } = await startStubService(stubs, { headers });
  onTestFinished(close);
  vi.useFakeTimers({ now: new Date(NOW), toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  for (const columns of [40, 80]) {
    const env = { NO_COLOR: '1' };
    const { stdout, stderr, code } = await runInside(program, args, {
      url,
      env,
      columns,
      isTTY: name === 'card',
    });
    const text = `${stdout}${stderr}exit status ${code}\n`;
    await expect(text).toMatchFileSnapshot(join(import.meta.dirname, `golden/${name}-${columns}.txt`));
    const [table = ''] = name.startsWith('help') ? [] : text.split('\nSource');
    for (const line of table.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
  }
});
