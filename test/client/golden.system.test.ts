import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Program } from '../../client/cli/own-commands.ts';
import { keys, openScreen, type Screen } from './screen.ts';
import { candles, entry, resolved, type Stubs, tickerOf } from './stub-api.ts';
import { startStubService } from './stub-service.ts';

/** At which all clocks of these tests stand. */
const NOW = '2026-01-31T12:04:00.000Z';
const headers = {
  date: new Date(NOW).toUTCString(),
  'x-data-source': 'coinbase,kraken',
  'x-data-quality': 'exact',
  'x-data-time': '2026-01-31T12:03:00.000Z',
};

const found = [
  entry({ id: 'weth-weth', symbol: 'WETH', name: 'Wrapped Ether', rank: 19, type: 'token' }),
  entry({
    id: 'seth2-staked-ether-portal',
    symbol: 'SETH2',
    name: 'Staked Ether of the Second Chain (Portal)',
    rank: 1204,
    type: 'token',
  }),
  entry({ id: 'weth-old', symbol: 'WETH', name: '战旗 Ether', rank: 0, type: 'token', is_active: false }),
];

/** Thirty days whose prices rise and fall without chance. */
const month = candles(
  Array.from({ length: 30 }, (_, day) => {
    const priceAt = (x: number) => 67_000 + 4_000 * Math.sin(x / 4) + 900 * Math.cos(x * 2);
    const [open, close] = [priceAt(day), priceAt(day + 1)];
    return [open, Math.max(open, close) + 400, Math.min(open, close) - 300, close];
  }),
);

const stubs: Stubs = {
  resolve: () => resolved({ alternatives: 3 }),
  ticker: () => tickerOf({ last_updated: '2026-01-31T12:02:00Z' }),
  search: ({ q }) => ({ query: q, count: found.length, results: found }),
  ohlcv: ({ id }) => ({ coinId: id, interval: '24h', quote: 'usd', count: month.length, data: month }),
};

const windows = [
  { columns: 40, rows: 20 },
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
] as const;

const lines: readonly (readonly [Program, ...string[]])[] = [
  ['coinsearch', 'ether'],
  ['cchart', 'BTC'],
  ['cchart', 'BTC', '--line'],
];

describe.each(lines)('%s %s', (program, ...args) => {
  test.each(windows)('in a window of $columns × $rows', async ({ columns, rows }) => {
    const service = await startStubService(stubs, { headers });
    onTestFinished(service.close);
    const env = { NO_COLOR: '1' };
    const screen = openScreen(program, args, { url: service.url, time: NOW, columns, rows, env });
    expect(await screen.ended()).toBe(0);

    const output = outputOf(screen);
    const name = [program, ...args].join('-').replace(/-+/g, '-').toLowerCase();
    await expect(output).toMatchFileSnapshot(join(import.meta.dirname, `golden/${name}-${columns}.txt`));
    // A line that is wider than the window would be two in it.
    expect(screen.allLines()).toEqual(output.trimEnd().split('\n'));
    expect(screen.allLines().length).toBeLessThan(rows);
  });
});

/** What a program wrote, without the spinner. */
function outputOf(screen: Screen): string {
  const [last = ''] = screen.written().replaceAll('\r\n', '\n').split('\r').slice(-1);
  return stripVTControlCharacters(last);
}

test('a chart fits a window that became smaller while the prompt was open', async () => {
  const service = await startStubService(stubs, { headers });
  onTestFinished(service.close);
  const screen = openScreen('marketdata', [], { url: service.url });
  await screen.shows('marketdata>');
  screen.resize(40, 20);
  screen.type(`cchart BTC --line${keys.enter}`);
  await screen.shows(/candles\nmarketdata>$/);
  expect(screen.lines()[0]).toMatch(/^Bitcoin \(BTC\), 30 daily/);
});
