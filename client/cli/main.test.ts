import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { newHome, runInside } from '../../test/client/program.ts';
import {
  candles,
  candlesRoute,
  entry,
  euroRates,
  resolved,
  resolveIn,
  type Stubs,
  tickerOf,
} from '../../test/client/stub-api.ts';
import { type StubServiceOptions, startStubService } from '../../test/client/stub-service.ts';
import { configOf, homeWith, tenCoins } from '../../test/client/ten-coins.testing.ts';
import { ApiFailure } from '../sdk/index.ts';
import type { Program } from './own-commands.ts';

const data = candles([[100, 110, 95, 105]]);
const bitcoin: Stubs = {
  resolve: () => resolved(),
  search: ({ q }) => ({
    query: q,
    count: 2,
    results: [entry({ symbol: 'ETH', id: 'eth-ethereum' }), entry({ id: 'weth-weth' })],
  }),
  ohlcv: candlesRoute(data, { JPY: [120] }),
  ticker: () => tickerOf(),
  rates: () => euroRates(),
};
const real = { 'x-data-source': 'coinbase', 'x-data-quality': 'exact' };

async function serviceOf(stubs = bitcoin, headers: StubServiceOptions['headers'] = real) {
  const service = await startStubService(stubs, { headers });
  onTestFinished(service.close);
  return service;
}

/** What a program prints of Bitcoin. */
async function printed(program: Program, args: readonly string[], typed = '', home?: string) {
  const { url } = await serviceOf();
  return await runInside(program, args, { url, typed, ...(home && { home }) });
}

test('partly simulated data is reported on stderr beside the JSON', async () => {
  const sources = { ...real, 'x-data-source': 'coinbase,simulated' };
  const { url } = await serviceOf(bitcoin, sources);
  const { stdout, stderr } = await runInside('cprice', ['BTC', '--json'], { url });
  expect(stderr).toBe('Note: Coinbase, in part simulated data, not real prices\n');
  expect(JSON.parse(stdout)).toMatchObject(tickerOf());
  expect((await printed('cprice', ['BTC', '--json'])).stderr).toBe('');
});

test('--json has the conversion beside the data, and stderr notes a simulated rate', async () => {
  const { url } = await serviceOf(bitcoin, { ...real, 'x-data-source': 'simulated' });
  const { stdout, stderr } = await runInside('cprice', ['BTC', '--json', '--currency', 'eur'], { url });
  expect(JSON.parse(stdout)).toMatchObject({
    ...tickerOf(),
    conversion: {
      from: 'USD',
      to: 'EUR',
      rate: 0.8,
      day: '2026-01-30',
      source: 'simulated',
      quality: 'exact',
    },
  });
  expect(stderr).toMatch(
    /^Note: simulated data, not real prices; in EUR at the rate of 30 January(?: 2026)? \(simulated\)\n$/,
  );
});

test.each([
  [{}, false],
  [{ FORCE_COLOR: '1' }, true],
  [{ FORCE_COLOR: '1', NO_COLOR: '1' }, false],
  [{ FORCE_COLOR: '0' }, false],
])('with %j a pipe gets colour: %s', async (env, isColoured) => {
  const { url } = await serviceOf();
  expect((await runInside('cprice', ['BTC'], { url, env })).stdout.includes('\u001b')).toBe(isColoured);
});

test('the key of a service comes from the environment alone, and the message names the variable', async () => {
  const secured = {
    ...bitcoin,
    resolve: () => {
      throw new ApiFailure(401, 'Unauthorized', { isAnswer: true });
    },
  };
  const { url, requestHeaders } = await serviceOf(secured);
  const run = async (env: Record<string, string>) =>
    (await runInside('cprice', ['BTC'], { url, env })).stderr;
  expect(await run({})).toBe(
    'Unauthorized: the service requires an API key. Set it in the environment variable MARKETDATA_API_KEY.\n',
  );
  expect(await run({ MARKETDATA_API_KEY: 'a-key' })).toBe(
    'Unauthorized: the service does not accept the API key in the environment variable MARKETDATA_API_KEY.\n',
  );
  expect(requestHeaders().map((headers) => headers['x-api-key'])).toEqual([undefined, 'a-key']);
});

test('the address of the service is that of --url before MARKETDATA_URL, and is checked', async () => {
  const { url } = await serviceOf();
  const elsewhere = { url: 'http://127.0.0.1:1' };
  expect(await runInside('cprice', ['BTC', '--url', `${url}/`], elsewhere)).toMatchObject({ code: 0 });
  expect(await runInside('cprice', ['BTC'], { url: 'localhost:3000' })).toEqual({
    stdout: '',
    stderr: 'MARKETDATA_URL must be an http:// or https:// URL, not "localhost:3000"\nTry: help\n',
    code: 2,
  });
});

test('a pipe of lines runs each without a prompt, until exit; the last command decides the status', async () => {
  const typed = '# prices\ncprice btc\n\ncprice BTC --jsno\nexit\ncprice BTC\n';
  const { stdout, stderr, code } = await printed('marketdata', [], typed);
  expect(stdout).toMatch(/^Bitcoin \(BTC\)\nPrice: /);
  expect(stdout.match(/Bitcoin/g)).toHaveLength(1);
  expect(stderr).toMatch(/^Unknown option --jsno; did you mean --json\?\n/);
  expect(code).toBe(2);
});

test('a session fetches exchange rates with its first other currency, and not again', async () => {
  const { url, calls } = await serviceOf();
  const typed = 'cprice BTC\ncprice BTC --currency eur\ncchart BTC --currency jpy\n';
  const { stdout } = await runInside('marketdata', [], { url, typed });
  expect(stdout).toMatch(/ \$67,123\.46\n[\s\S]* €53,699\.00\n[\s\S]*¥12,600 /);
  expect(calls.filter((call) => call.startsWith('rates'))).toHaveLength(1);
});

test('a currency that is set in the prompt is that of the next command, unless there is no rate of it', async () => {
  const typed = 'cprice BTC\nconfig set currency eur\ncprice BTC\nconfig set currency xqz\n';
  const { stdout, stderr, code } = await printed('marketdata', [], typed);
  expect(stdout).toMatch(/\$67,123\.46[\s\S]*currency: "eur" \(new\)[\s\S]*€53,699\.00/);
  expect(stderr).toMatch(/^No currency has the code XQZ/);
  expect(code).toBe(3);
});

test("--format table overrides the prompt's --json for one line", async () => {
  const typed = 'cprice BTC --format table\ncprice BTC\n';
  const { stdout } = await printed('marketdata', ['--json'], typed);
  expect(stdout).toMatch(/^Bitcoin \(BTC\)\n[\s\S]*Source: +Coinbase\n\{\n/);
});

test.each([
  [['cprice', '--open'], /\/$/],
  [['cprice', 'BTC', 'ETH', '--open'], /\/#BTC,ETH$/],
  [['cchart', 'BTC', '--compare', 'ETH', '--range', '1y', '--line', '--open'], /\/#BTC\+ETH:line:1y$/],
] as const)('%j prints the address of the page with it', async ([program, ...args], address) => {
  const { stdout, stderr, code } = await printed(program, args);
  expect(stdout.trimEnd()).toMatch(address);
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
});

test('--open takes the coin of a number of the last search, and one coin for the words of its name', async () => {
  const home = newHome();
  const { url } = await serviceOf({
    ...bitcoin,
    resolve: resolveIn([
      entry({ id: 'wbtc-wrapped-bitcoin', symbol: 'WBTC', name: 'Wrapped Bitcoin', rank: 12 }),
    ]),
  });
  const run = async (program: Program, ...args: string[]) =>
    (await runInside(program, args, { url, home })).stdout;
  expect(await run('coinsearch', 'ether')).toContain('weth-weth\n');
  expect(await run('cprice', '2', '--open')).toMatch(/\/#weth-weth\n$/);
  expect(await run('cprice', 'wrapped', 'bitcoin', '--open')).toMatch(/\/#wbtc-wrapped-bitcoin\n$/);
});

test.each([
  [['coinsearch', 'ether', '--open'], '--open is for prices and charts'],
  [['coinsearch', 'ether', '--watch'], '--watch is for prices and charts'],
  [['cchart', '--watch'], 'Missing symbol'],
  [['marketdata', 'completion'], 'Missing shell; known: bash, zsh, fish'],
  [['marketdata', 'completion', 'tcsh'], 'Unknown shell tcsh; known: bash, zsh, fish'],
] as const)('%j is a usage error', async ([program, ...args], message) => {
  const { stdout, stderr, code } = await printed(program, args);
  expect({ stdout, code, message: stderr.split('\n')[0] }).toEqual({ stdout: '', code: 2, message });
});

test('a portfolio that is exported is imported as it was', async () => {
  const [one, other] = [newHome(), newHome()];
  const file = join(one, 'portfolio.json');
  await printed('marketdata', ['hold', 'BTC', '0.25', '@', '60000'], '', one);
  await printed('marketdata', ['watch', 'add', 'BTC'], '', one);
  const exported = await printed('marketdata', ['config', 'export', file], '', one);
  expect(exported.stdout).toBe(`Written to ${file}\n`);
  const imported = await printed('marketdata', ['config', 'import', file], '', other);
  expect(imported.stdout).toMatch(/watchlist: \["btc-bitcoin"\] \(new\)\nholdings: .*"amount":"0.25"/);

  writeFileSync(file, '{"version":2}');
  const wrong = await printed('marketdata', ['config', 'import', file], '', other);
  expect([wrong.code, wrong.stderr]).toEqual([
    1,
    expect.stringMatching(/is not understood: .*"version" is not 1/),
  ]);
});

test('a list without prices is reported as the list, not as an unknown coin', async () => {
  const { code, stderr } = await printed('cprice', []);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^Price fetch failed for the list: /);
});

const three = { watchlist: ['btc-coin', 'eth-coin', 'sol-coin'] };

test('a pipe gets the list once, as a table or as data with the holdings', async () => {
  const { url } = await serviceOf(tenCoins);
  const holdings = [{ id: 'btc-coin', amount: '0.5', cost: '300', currency: 'USD' }];
  const [home, holder] = [homeWith({ ...three, currency: 'eur' }), homeWith({ ...three, holdings })];
  const table = await runInside('cprice', [], { url, home });
  expect(table).toMatchObject({ code: 0, stderr: '' });
  expect(table.stdout).toMatch(/^# {2}Symbol .*\n1 {2}BTC +Coin BTC +€800\.00 /);
  const json = await runInside('cprice', ['--json', '--currency', 'usd'], { url, home });
  expect(JSON.parse(json.stdout)).toMatchObject([
    { id: 'btc-coin', _meta: { source: 'coinpaprika', quality: 'exact' } },
    { id: 'eth-coin' },
    { id: 'sol-coin' },
  ]);
  const csv = await runInside('cprice', ['--format', 'csv'], { url, home: holder });
  const [header, ...rows] = csv.stdout.trimEnd().split('\n');
  expect(header).toMatch(/^symbol,name,id,.*,amount,value,cost$/);
  expect(rows.map((row) => row.split(',').slice(-3).join(','))).toEqual(['0.5,500,300', ',,', ',,']);
  const held = await runInside('marketdata', ['hold', '--format', 'ndjson'], { url, home: holder });
  expect(JSON.parse(held.stdout)).toMatchObject({ id: 'btc-coin', amount: 0.5, value: 500 });
});

test('a cost in another currency is converted, with a note, or left out without a rate', async () => {
  const holdings = [{ id: 'btc-coin', amount: '2', cost: '800', currency: 'EUR' }];
  const listWith = async (rates: Stubs['rates']) => {
    const { url } = await serviceOf({ ...tenCoins, rates });
    return (await runInside('marketdata', ['hold'], { url, home: homeWith({ holdings }) })).stdout;
  };
  expect(await listWith(() => euroRates())).toMatch(
    /Sum \$2,000\.00 {2}profit \+\$1,000\.00 .*Sum: cost in EUR at today's rate\./s,
  );
  const without = await listWith(() => {
    throw new Error('no rates');
  });
  expect(without).toContain('Sum $2,000.00');
  expect(without).not.toMatch(/profit of|rate/);
});

test('a coin that cannot be added is reported as in cprice, and so is a service that is down', async () => {
  const { url } = await serviceOf({});
  const unknown = await runInside('marketdata', ['watch', 'add', 'xyzq', '--json'], { url });
  expect(unknown).toMatchObject({ code: 3, stderr: '' });
  expect(JSON.parse(unknown.stdout)).toMatchObject({ error: { reason: 'not-found' } });
  const down = await runInside('marketdata', ['watch', 'add', 'BTC'], { url: 'http://127.0.0.1:9' });
  expect(down).toMatchObject({ code: 4, stdout: '' });
});

test('settings are stored: a currency, an address, holdings; a broken file is named and left unchanged', async () => {
  const { url } = await serviceOf(tenCoins);
  const home = homeWith({ url });
  const run = (...args: string[]) => runInside('marketdata', args, { home });
  expect(await run('config', 'set', 'currency', 'EUR')).toMatchObject({ stdout: 'currency: "eur" (new)\n' });
  expect((await run('watch', 'add', 'BTC')).stdout).toBe('Coin BTC (BTC) added\n');
  expect((await run('hold', 'BTC', '0.5', '@', '600', '--currency', 'usd')).stdout).toBe(
    'Coin BTC (BTC): 0.5, cost $300.00 ($600.00 each)\n',
  );
  expect((await run('hold')).stdout).toContain('Sum €400.00  profit +€160.00 (+66.67%)');
  expect((await run('hold', 'BTC', '-0.5')).stdout).toBe('Coin BTC (BTC): nothing held\n');
  expect(await run('config', 'get', 'url')).toMatchObject({ stdout: `${url}\n`, code: 0 });
  expect(await run('config', 'set', 'apiKey', 'x')).toMatchObject({ code: 2 });

  const inHryvnias = ['hold', 'BTC', '0.5', '@', '2500000', '--currency', 'uah'];
  expect((await run(...inHryvnias)).stdout).toBe(
    'Coin BTC (BTC): 0.5, cost UAH 1,250,000 (UAH 2,500,000 each)\n',
  );
  expect(await run('config', 'set', 'currency', 'UAH')).toMatchObject({
    stdout: 'currency: "uah", was "eur"\n',
  });
  writeFileSync(configOf(home), '{ "currency": ');
  const broken = await run('config');
  expect(broken).toMatchObject({ code: 1, stdout: '' });
  expect(broken.stderr).toContain(`${configOf(home)} is not understood: `);
  expect(readFileSync(configOf(home), 'utf8')).toBe('{ "currency": ');
  const asData = await run('config', '--json');
  expect(asData).toMatchObject({ code: 1, stderr: '' });
  expect(JSON.parse(asData.stdout)).toMatchObject({ error: { reason: 'failed' } });
  for (const words of [['--version'], ['help'], ['config', '--help'], ['completion', 'bash']])
    expect(await run(...words)).toMatchObject({ code: 0, stderr: '' });
});
