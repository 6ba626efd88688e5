import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import type { Config } from '../../client/cli/config/config.ts';
import { ApiFailure } from '../../client/sdk/index.ts';
import { clockAt } from '../contract/clock.ts';
import { runProgram } from './program.ts';
import { keys, openScreen, type Screen, type ScreenOptions } from './screen.ts';
import { candles, entry, euroRates, resolved, type Stubs, tickerOf } from './stub-api.ts';
import { type StubServiceOptions, startStubService } from './stub-service.ts';

const symbols = ['BTC', 'ETH', 'SOL', 'XRP', 'ADA', 'DOT', 'LTC', 'BCH', 'XLM', 'TRX'];
const idOf = (symbol: string) => `${symbol.toLowerCase()}-coin`;

/** The first costs 1000 dollars, each after it half of the one before; the second fell, the others rose. */
function ticker(id: string) {
  const at = symbols.findIndex((symbol) => idOf(symbol) === id);
  const symbol = symbols[at] ?? '';
  const usd = { price: 1000 / 2 ** at, percent_change_24h: at === 1 ? -3 : at };
  return tickerOf({ id, symbol, name: `Coin ${symbol}`, rank: at + 1 }, usd);
}

function answersOf(ids: readonly string[]) {
  const told = { quality: 'exact', source: 'coinpaprika', dataTime: '2026-01-31T12:00:00Z' } as const;
  return { count: ids.length, results: ids.map((id) => ({ id, ticker: ticker(id), ...told })) };
}

const week = { stepSeconds: 14_400, from: '2026-01-24T12:00:00Z', to: '2026-01-31T12:00:00Z' };

const stubs: Stubs = {
  tickers: ({ ids, limit }) => answersOf(ids ?? symbols.slice(0, limit).map(idOf)),
  sparklines: ({ ids = [] }) => ({
    ...week,
    coins: ids.map((id) => ({ id, prices: [1, 2, 3, 4], quality: 'exact', source: 'coinpaprika' })),
  }),
  search: ({ q }) => {
    const found = symbols.filter((symbol) => symbol.startsWith(q.toUpperCase()));
    const results = found.map((symbol) =>
      entry({ id: idOf(symbol), symbol, name: `Coin ${symbol}`, rank: symbols.indexOf(symbol) + 1 }),
    );
    return { query: q, count: results.length, results };
  },
  resolve: ({ symbol: text }) => {
    const symbol = symbols.find((each) => text === idOf(each)) ?? text;
    return resolved({ symbol, id: idOf(symbol), name: `Coin ${symbol}` });
  },
  ohlcv: ({ id }) => {
    const data = candles([
      [100, 110, 95, 105],
      [105, 120, 100, 118],
    ]);
    return { coinId: id, interval: '24h', quote: 'usd', count: data.length, data };
  },
  rates: () => euroRates(),
  valuation: ({ holdings, currency = 'USD' }) => valuationOf(holdings, currency),
};

/** At the prices of the tickers; a euro is 1.25 dollars. */
function valuationOf(holdings: readonly { id?: string; amount: string; cost?: string }[], currency: string) {
  const origin = { quality: 'exact', source: 'coinpaprika', dataTime: '2026-01-31T12:00:00Z' } as const;
  const positions = holdings.map(({ id = '', amount, cost = null }, index) => {
    const { symbol, name, quotes } = ticker(id);
    const price = (quotes.USD.price ?? 0) * (currency === 'EUR' ? 0.8 : 1);
    const value = Number(amount) * price;
    const profit = cost === null ? null : value - Number(cost);
    return {
      ...{ index, id, symbol, name, amount, price: String(price), value: String(value), cost, ...origin },
      ...{ sharePercent: null, change24hPercent: null, profit: profit === null ? null : String(profit) },
      profitPercent: profit === null ? null : (profit / Number(cost)) * 100,
    };
  });
  const total = String(positions.reduce((sum, { value }) => sum + Number(value), 0));
  return {
    ...{ currency, total, positions, isComplete: true, missing: [], exchangeRate: null },
    ...{
      change24hPercent: null,
      changeCoversPercent: null,
      rounding: '34 significant digits, half to even' as const,
    },
  };
}

async function serviceOf(changes: Stubs = {}, options?: StubServiceOptions) {
  const service = await startStubService({ ...stubs, ...changes }, options);
  onTestFinished(service.close);
  return service;
}

function homeWith(config: Config): string {
  const home = mkdtempSync(join(inject('runFolder'), 'home-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  mkdirSync(dirname(configOf(home)), { recursive: true });
  writeFileSync(configOf(home), JSON.stringify(config));
  return home;
}

const configOf = (home: string) => join(home, '.config/marketdata/config.json');
const readList = (home: string): unknown => JSON.parse(readFileSync(configOf(home), 'utf8')).watchlist;

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

test('a search adds what is chosen, d removes it, u brings it back, and the file has it all', async () => {
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

test.each([
  ['q', 'q'],
  ['Ctrl-C', keys.ctrlC],
])('%s leaves, and the terminal is as it was', async (_name, key) => {
  const screen = await opened({ url: (await serviceOf()).url }, three);
  screen.type(key);
  expect(await screen.ended()).toBe(0);
  expect(screen.lines()).toEqual([]);
  expect(screen.cursor()).toEqual({ column: 0, row: 0 });
  expect(screen.written().replaceAll(showCursor, '')).toMatch(/\[\?1049l$/);
});

test('a program that is ended from elsewhere leaves the terminal as it was', async () => {
  const screen = await opened({ url: (await serviceOf()).url }, three);
  screen.kill('SIGTERM');
  expect(await screen.ended()).toBe(143);
  expect(screen.lines()).toEqual([]);
  expect(screen.written()).toMatch(/\[\?25h.*\[\?1049l$/);
});

test('when the lifetime of the prices ends they are asked for again', async () => {
  let price = 1000;
  const tickers: Stubs['tickers'] = () => {
    const told = { quality: 'exact', source: 'coinpaprika', dataTime: '2026-01-31T12:00:00Z' } as const;
    return {
      count: 1,
      results: [{ id: 'btc-coin', ticker: tickerOf({ id: 'btc-coin' }, { price }), ...told }],
    };
  };
  const clock = clockAt(Date.now());
  onTestFinished(clock.close);
  const headers = { 'cache-control': 'max-age=16' };
  const service = await serviceOf({ tickers }, { headers });
  const env = { NODE_OPTIONS: clock.execArgv.join(' ') };
  const screen = await opened({ url: service.url, env }, { watchlist: ['btc-coin'] });
  expect(screen.text()).toContain('next in 0:16');
  price = 2000;
  clock.moveBy(8000);
  await screen.shows('next in 0:08');
  expect(screen.text()).toContain('$1,000.00');
  clock.moveBy(8000);
  await screen.shows('$2,000.00');
  expect(screen.written()).toContain('\u001b[1;7;32m$2,000.00\u001b');
  expect(screen.written()).not.toContain('\u001b[1;7;32m$1,000.00');
});

test('names from elsewhere neither steer the terminal nor turn its lines around', async () => {
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
  await screen.shows('Ev il ]0;title 2J');
  screen.type('/e');
  await screen.shows('▸ B [2JTC');
  screen.type(keys.enter);
  await screen.shows('B [2JTC is on the list already');
  screen.type(keys.enter);
  await screen.shows('Ev il ]0;title 2J (B [2JTC), 2 daily candles in USD');
  for (const raw of ['\u202e', '\u0007', '\u009b', '\u001b[2J', '\u001b]'])
    expect(screen.written()).not.toContain(raw);
});

test('a service that fails leaves the old prices, with the reason, until it answers again', async () => {
  let isDown = false;
  const tickers: Stubs['tickers'] = (input) => {
    if (isDown) throw new ApiFailure(503, 'The provider is away');
    return answersOf(input.ids ?? []);
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

test('holdings have value, profit and a sum', async () => {
  const screen = await opened(
    { url: (await serviceOf()).url, columns: 120 },
    {
      watchlist: ['btc-coin'],
      holdings: [
        { id: 'btc-coin', amount: '2', cost: '1500' },
        { id: 'eth-coin', amount: '4', cost: '2000', currency: 'eur' },
      ],
    },
  );
  expect(screen.text()).toMatch(/BTC .* 2 +\$2,000\.00 +\+\$500\.00 +\+33\.33%/);
  expect(screen.text()).toMatch(/ETH .* 4 +\$2,000\.00 +-\$500\.00 +-20\.00%/);
  expect(screen.text()).toContain("Sum $4,000.00  profit $0.00 (0.00%)\nSum: cost in EUR at today's rate.");
});

test('without colour the signs stay', async () => {
  const screen = await opened({ url: (await serviceOf()).url, env: { NO_COLOR: '1' } }, three);
  expect(screen.text()).toContain('-3.00%');
  expect(screen.written()).not.toMatch(/\[3\dm/);
});

test('a pipe gets the table once, and --json the data', async () => {
  const { url } = await serviceOf();
  const env = { HOME: homeWith({ ...three, currency: 'eur' }) };
  const table = await runProgram('cprice', [], { url, env });
  expect(table).toMatchObject({ code: 0, stderr: '' });
  expect(table.stdout).toMatch(/^# {2}Symbol .*\n1 {2}BTC +Coin BTC +€800\.00 /);
  const json = await runProgram('cprice', ['--json', '--currency', 'usd'], { url, env });
  expect(JSON.parse(json.stdout)).toMatchObject([
    { id: 'btc-coin', _meta: { source: 'coinpaprika', quality: 'exact' } },
    { id: 'eth-coin' },
    { id: 'sol-coin' },
  ]);
});

test('in any other format the list is data, with what is held', async () => {
  const { url } = await serviceOf();
  const holdings = [{ id: 'btc-coin', amount: '0.5', cost: '300', currency: 'USD' }];
  const env = { HOME: homeWith({ ...three, holdings }) };
  const csv = await runProgram('cprice', ['--format', 'csv'], { url, env });
  const [header, ...rows] = csv.stdout.trimEnd().split('\n');
  expect(header).toMatch(/^symbol,name,id,.*,amount,value,cost$/);
  expect(rows.map((row) => row.split(',').slice(-3).join(','))).toEqual(['0.5,500,300', ',,', ',,']);
  const held = await runProgram('marketdata', ['hold', '--format', 'ndjson'], { url, env });
  expect(JSON.parse(held.stdout)).toMatchObject({ id: 'btc-coin', amount: 0.5, value: 500 });
});

test('a coin that cannot be added is told as in cprice, and so is a service that is down', async () => {
  const { url } = await serviceOf({
    resolve() {
      throw new ApiFailure(404, 'Unknown symbol', { isAnswer: true });
    },
  });
  const unknown = await runProgram('marketdata', ['watch', 'add', 'xyzq', '--json'], { url });
  expect(unknown).toMatchObject({ code: 3, stderr: '' });
  expect(JSON.parse(unknown.stdout)).toMatchObject({ error: { reason: 'not-found' } });
  const down = await runProgram('marketdata', ['watch', 'add', 'BTC'], { url: 'http://127.0.0.1:9' });
  expect(down).toMatchObject({ code: 4, stdout: '' });
});

test('settings stay: a currency, an address, holdings; a broken file is named and left', {
  timeout: 60_000,
}, async () => {
  const { url } = await serviceOf();
  const env = { HOME: homeWith({ url }) };
  const run = (...args: string[]) => runProgram('marketdata', args, { env });
  expect(await run('config', 'set', 'currency', 'EUR')).toMatchObject({ stdout: 'currency: "eur" (new)\n' });
  expect((await run('watch', 'add', 'BTC')).stdout).toBe('Coin BTC (BTC) added\n');
  expect((await run('hold', 'BTC', '0.5', '@', '600', '--currency', 'usd')).stdout).toBe(
    'Coin BTC (BTC): 0.5, cost $300.00 ($600.00 each)\n',
  );
  expect((await run('hold')).stdout).toContain('Sum €400.00  profit +€160.00 (+66.67%)');
  expect((await run('hold', 'BTC', '-0.5')).stdout).toBe('Coin BTC (BTC): nothing held\n');
  expect(await run('config', 'get', 'url')).toMatchObject({ stdout: `${url}\n`, code: 0 });
  expect(await run('config', 'set', 'apiKey', 'x')).toMatchObject({ code: 2 });
  expect((await run('config', 'import', '/dev/null')).stderr).toMatch(/^\/dev\/null is not understood: /);

  writeFileSync(configOf(env.HOME), '{ "currency": ');
  const broken = await run('config');
  expect(broken).toMatchObject({ code: 1, stdout: '' });
  expect(broken.stderr).toContain(`${configOf(env.HOME)} is not understood: `);
  expect(readFileSync(configOf(env.HOME), 'utf8')).toBe('{ "currency": ');
  const asData = await run('config', '--json');
  expect(asData).toMatchObject({ code: 1, stderr: '' });
  expect(JSON.parse(asData.stdout)).toMatchObject({ error: { reason: 'failed' } });
  for (const words of [['--version'], ['help'], ['config', '--help'], ['completion', 'bash']])
    expect(await run(...words)).toMatchObject({ code: 0, stderr: '' });
});
