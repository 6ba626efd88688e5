import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import type { Config } from '../../client/cli/config/config.ts';
import { ApiFailure } from '../../client/sdk/index.ts';
import { clockAt } from '../contract/clock.ts';
import { keys, openScreen, type Screen, type ScreenOptions } from './screen.ts';
import { entry, resolved, type Stubs, tickerOf } from './stub-api.ts';
import { type StubServiceOptions, startStubService } from './stub-service.ts';
import { configOf, homeWith, symbols, tenCoins, tickersOf } from './ten-coins.testing.ts';

const readList = (home: string): unknown => JSON.parse(readFileSync(configOf(home), 'utf8')).watchlist;

async function serviceOf(changes: Stubs = {}, options?: StubServiceOptions) {
  const service = await startStubService({ ...tenCoins, ...changes }, options);
  onTestFinished(service.close);
  return service;
}

async function opened(options: ScreenOptions, config?: Config): Promise<Screen> {
  const home = config && { home: homeWith(config) };
  const screen = openScreen('cprice', [], { ...options, ...home });
  await screen.shows('next in');
  return screen;
}

/** The symbols of the rows from top to bottom, the selected one in brackets. */
function listed(screen: Screen): string {
  const rows = screen.lines().flatMap((line) => {
    const [, mark, symbol] = /^(▸?) +(?:[SOD]+ +)?(?:\d+ +)?([A-Z]{3}) /.exec(line) ?? [];
    return symbol ? [mark ? `[${symbol}]` : symbol] : [];
  });
  return rows.join(' ');
}

const showCursor = '\u001b[?25h';
const three = { watchlist: ['btc-coin', 'eth-coin', 'sol-coin'] };

test('cprice alone shows the ten largest coins, and how to add own ones', async () => {
  const { url, calls } = await serviceOf();
  const screen = await opened({ url });
  await screen.shows(/BTC +Coin BTC +\$1,000\.00 +\+0\.10% +0\.00% +-1\.00% +\$1\.32T +⣀/);
  expect(listed(screen)).toBe(`[BTC] ${symbols.slice(1).join(' ')}`);
  await screen.shows('Press / to add the first of your own.');
  expect(screen.lines()[0]).toBe(`Market data  USD  ${url}`);
  expect(calls.map((call) => call.split(' ')[0])).toEqual(['tickers', 'tickers', 'sparklines']);
});

test('a search adds a coin, d removes it, u restores it, and the file has every change', async () => {
  const screen = await opened({ url: (await serviceOf()).url }, three);
  screen.type('/');
  await screen.shows('Symbol, name or id');
  screen.type('x');
  await screen.shows(/▸ XRP +Coin XRP +#4/);
  screen.type(`${keys.down}${keys.enter}`);
  await screen.shows('XLM added');
  await screen.shows('▸ 9  XLM');
  expect(readList(screen.home)).toEqual([...three.watchlist, 'xlm-coin']);

  screen.type('kkd');
  await screen.shows('ETH removed; u brings it back');
  await screen.shows('▸ 3  SOL');
  expect(readList(screen.home)).toEqual(['btc-coin', 'sol-coin', 'xlm-coin']);
  screen.type('u');
  await screen.shows('ETH is back');
  expect(readList(screen.home)).toEqual(['btc-coin', 'eth-coin', 'sol-coin', 'xlm-coin']);

  screen.type(`/b${keys.escape}`);
  await screen.shows('/ add');
  expect(listed(screen)).toContain('BTC');
});

test('s changes the order, which the header names, and the selection stays with its coin', async () => {
  const screen = await opened({ url: (await serviceOf()).url }, three);
  screen.type('j');
  await screen.shows('▸ 2  ETH');
  screen.type('s');
  await screen.shows('by 24h change');
  expect(listed(screen)).toBe('SOL BTC [ETH]');
});

test('Enter shows the chart of the row in the window, and Escape leads back', async () => {
  const { url, calls } = await serviceOf();
  const screen = await opened({ url, columns: 40, rows: 20 }, three);
  screen.type(keys.enter);
  await screen.shows(/Coin BTC \(BTC\), 2 daily\s+candles in USD/);
  await screen.shows('[1m]');
  expect(screen.lines().length).toBeLessThanOrEqual(20);
  screen.type('\u001b[C');
  await screen.shows('[3m]');
  await screen.shows('Source:');
  const asked = () => calls.filter((call) => call.startsWith('ohlcv'));
  await expect
    .poll(asked)
    .toEqual([
      'ohlcv {"id":"btc-coin","interval":"24h","limit":"30"}',
      'ohlcv {"id":"btc-coin","interval":"24h","limit":"90"}',
    ]);
  screen.type(keys.escape);
  await screen.shows('/ add');
  expect(listed(screen)).toBe('[BTC] ETH SOL');
});

test('a smaller window has fewer columns and no remnants, and a larger one has them again', async () => {
  const screen = await opened({ url: (await serviceOf()).url, columns: 120, rows: 30 }, three);
  const before = screen.lines();
  screen.resize(40, 20);
  await screen.shows(/^ +# +Symbol +Price +24h +7 days$/m);
  expect(screen.lines()).toHaveLength(20);
  for (const line of screen.lines()) expect(line.length).toBeLessThanOrEqual(40);
  screen.resize(120, 30);
  await screen.shows(/1h +24h +7d/);
  expect(screen.lines().filter((line) => !line.includes('next in'))).toEqual(
    before.filter((line) => !line.includes('next in')),
  );
});

test.each<[string, number, (screen: Screen) => void]>([
  ['q', 0, (screen) => screen.type('q')],
  ['Ctrl-C', 0, (screen) => screen.type(keys.ctrlC)],
  ['a signal', 143, (screen) => screen.kill('SIGTERM')],
])('%s ends it, and the terminal is as it was', async (_how, status, end) => {
  const screen = await opened({ url: (await serviceOf()).url }, three);
  end(screen);
  expect(await screen.ended()).toBe(status);
  expect(screen.lines()).toEqual([]);
  expect(screen.cursor()).toEqual({ column: 0, row: 0 });
  expect(screen.written().replaceAll(showCursor, '')).toMatch(/\[\?1049l$/);
  expect(screen.written()).toContain(showCursor);
});

test('just after the lifetime of the prices ends they are fetched again, and changed ones are marked for a moment', async () => {
  let price = 1000;
  const tickers: Stubs['tickers'] = () => {
    const origin = { quality: 'exact', source: 'coinpaprika', dataTime: '2026-01-31T12:00:00Z' } as const;
    return {
      count: 1,
      results: [{ id: 'btc-coin', ticker: tickerOf({ id: 'btc-coin' }, { price }), ...origin }],
    };
  };
  const clock = clockAt(Date.now());
  onTestFinished(clock.close);
  const headers = { 'cache-control': 'max-age=16' };
  const service = await serviceOf({ tickers }, { headers });
  const env = { NODE_OPTIONS: clock.execArgv.join(' ') };
  const screen = await opened({ url: service.url, env }, { watchlist: ['btc-coin'] });
  expect(screen.text()).toContain('next in 0:18');
  price = 2000;
  clock.moveBy(8000);
  await screen.shows('next in 0:10');
  expect(screen.text()).toContain('$1,000.00');
  clock.moveBy(10_000);
  await screen.shows('$2,000.00');
  expect(screen.written()).toContain('\u001b[1;7;32m$2,000.00\u001b');
  expect(screen.written()).not.toContain('\u001b[1;7;32m$1,000.00');
  clock.moveBy(1000);
  await expect.poll(() => screen.written().split('next in 0:17').at(1) ?? '').toMatch(/Bitcoin +\$2,000\.00/);
});

test('external names neither control the terminal nor reverse its lines', async () => {
  const evil = 'Ev\u202eil\u001b]0;title\u0007\u009b2J';
  const named = { id: 'btc-coin', symbol: 'B\u001b[2JTC', name: evil, rank: 1 };
  const { url } = await serviceOf({
    tickers: ({ ids = [] }) => ({
      count: 1,
      results: ids.map((id) => ({
        ...{ id, ticker: tickerOf(named), quality: 'exact', source: 'coinpaprika' },
        dataTime: '2026-01-31T12:00:00Z',
      })),
    }),
    search: ({ q }) => ({ query: q, count: 1, results: [entry(named)] }),
    resolve: () => resolved(named),
  });
  const screen = await opened({ url, columns: 120 }, { watchlist: ['btc-coin'] });
  await screen.shows('Evil]0;title2J');
  screen.type('/e');
  await screen.shows('▸ B[2JTC');
  screen.type(keys.enter);
  await screen.shows('B[2JTC is already on the list');
  screen.type(keys.enter);
  await screen.shows('Evil]0;title2J (B[2JTC), 2 daily candles in USD');
  for (const raw of ['\u202e', '\u0007', '\u009b', '\u001b[2J', '\u001b]'])
    expect(screen.written()).not.toContain(raw);
});

test('a service that fails leaves the old prices, with the reason, until it answers again', async () => {
  let isDown = false;
  const tickers: Stubs['tickers'] = (input) => {
    if (isDown) throw new ApiFailure(503, 'The provider is away');
    return tickersOf(input.ids ?? []);
  };
  const { url } = await serviceOf({ tickers });
  const screen = await opened({ url }, three);
  isDown = true;
  screen.type(`/xrp`);
  await screen.shows('▸ XRP');
  screen.type(keys.enter);
  await screen.shows(
    /hours old {2}again in 0:0\d\nPrice fetch failed for the list: .*The provider is away\n/,
  );
  expect(listed(screen)).toBe('[BTC] ETH SOL');
  isDown = false;
  screen.type('r');
  await screen.shows('next in');
  await screen.shows('4  XRP');
});

test('without a service there is its reason and no table, and q leaves', async () => {
  const screen = openScreen('cprice', [], { url: 'http://127.0.0.1:2' });
  await screen.shows('again in');
  await screen.shows('Price fetch failed for the list');
  screen.type('q');
  expect(await screen.ended()).toBe(0);
});
