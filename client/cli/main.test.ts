import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, inject, onTestFinished, test } from 'vitest';
import { candles, entry, euroRates, resolved, tickerOf } from '../../test/client/stub-api.ts';
import { runProgram } from './main.ts';
import type { Program } from './own-commands.ts';

const data = candles([[100, 110, 95, 105]]);
const answers: readonly (readonly [RegExp, unknown])[] = [
  [
    /\/resolve\/wrapped%20bitcoin/,
    resolved({
      id: 'wbtc-wrapped-bitcoin',
      symbol: 'WBTC',
      name: 'Wrapped Bitcoin',
      rank: 12,
      foundBy: 'name',
    }),
  ],
  [/\/resolve\/wrapped$/, resolved({ id: 'w', symbol: 'WRAPPED', rank: 4000 })],
  [/\/resolve\/bitcoin$/, resolved({ id: 'b', symbol: 'BITCOIN', rank: 4000 })],
  [/\/resolve\//, resolved()],
  [
    /\/search/,
    {
      query: 'ether',
      count: 2,
      results: [entry({ symbol: 'ETH', id: 'eth-ethereum' }), entry({ id: 'weth-weth' })],
    },
  ],
  [/\/ohlcv\//, { coinId: 'btc-bitcoin', interval: '24h', quote: 'usd', count: data.length, data }],
  [/\/ticker\//, tickerOf()],
  [/\/rates$/, euroRates()],
];

/** A service on loopback whose data is of these sources, and which notes what it is asked for. */
async function serviceOf(sources: string, asked: string[]): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    asked.push(url);
    const found = answers.find(([path]) => path.test(url))?.[1];
    response.writeHead(found === undefined ? 404 : 200, {
      'content-type': 'application/json',
      'x-data-source': sources,
      'x-data-quality': 'exact',
    });
    response.end(JSON.stringify({ success: true, data: found }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
}

async function printed(
  program: Program,
  args: readonly string[],
  sources: string,
  typed = '',
  home?: string,
) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdin.end(typed);
  const asked: string[] = [];
  const env = { HOME: home ?? inject('runFolder'), MARKETDATA_URL: await serviceOf(sources, asked) };
  const code = await runProgram(program, args, { env, stdin, stdout, stderr });
  return { code, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? ''), asked };
}

test('--json brings no remark with exact data of several sources, but with data that is simulated in part', async () => {
  const real = await printed('cprice', ['BTC', '--json'], 'coinbase,kraken');
  const mixed = await printed('cprice', ['BTC', '--json'], 'coinbase,simulated');

  expect(real).toMatchObject({ code: 0, stderr: '' });
  expect(mixed.stderr).toBe('Note: Coinbase, in part simulated data, not real prices\n');
  expect(JSON.parse(mixed.stdout)).toMatchObject(tickerOf());
});

test('a session asks for rates with its first other currency, and not again', async () => {
  const typed = 'cprice BTC\ncprice BTC --currency eur\ncchart BTC --currency jpy\n';
  const { stdout, asked } = await printed('marketdata', [], 'coinbase', typed);
  expect(stdout).toMatch(/ \$67,123\.46\n[\s\S]* €53,698\.76\n[\s\S]*¥15,120 /);
  expect(asked.filter((url) => url.endsWith('/rates'))).toHaveLength(1);
});

test('--json brings the conversion beside the data, and says if its rate is simulated', async () => {
  const { stdout, stderr } = await printed('cprice', ['BTC', '--json', '--currency', 'eur'], 'simulated');
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

/** Settings of the test's own home. */
function newHome(): string {
  const home = mkdtempSync(join(inject('runFolder'), 'main-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

test('a currency that is set in the prompt is that of the next command', async () => {
  const { stdout } = await printed(
    'marketdata',
    [],
    'coinbase',
    'cprice BTC\nconfig set currency eur\ncprice BTC\n',
    newHome(),
  );
  expect(stdout).toMatch(/\$67,123\.46[\s\S]*currency: "eur" \(new\)[\s\S]*€53,698\.76/);
});

test('a currency that there is no rate of is not set', async () => {
  const { code, stderr, stdout } = await printed(
    'marketdata',
    ['config', 'set', 'currency', 'xqz'],
    '',
    '',
    newHome(),
  );
  expect([code, stdout]).toEqual([3, '']);
  expect(stderr).toMatch(/^Currency "XQZ" was not found/);
});

test('JSON of a prompt is taken back by --format table, for that line', async () => {
  const typed = 'cprice BTC --format table\ncprice BTC\n';
  const { stdout } = await printed('marketdata', ['--json'], 'coinbase', typed);
  expect(stdout).toMatch(/^Bitcoin \(BTC\)\n[\s\S]*Source: +Coinbase\n\{\n/);
});

test('--open takes the coin of a number of the last search, and one coin for the words of its name', async () => {
  const home = newHome();
  const searched = await printed('coinsearch', ['ether'], 'coinbase', '', home);
  expect(searched.code).toBe(0);
  const numbered = await printed('cprice', ['2', '--open'], 'coinbase', '', home);
  expect(numbered.stdout).toMatch(/\/#weth-weth\n$/);
  const named = await printed('cprice', ['wrapped', 'bitcoin', '--open'], 'coinbase', '', home);
  expect(named.stdout).toMatch(/\/#wbtc-wrapped-bitcoin\n$/);
});

test('--open alone is the page', async () => {
  const { stdout } = await printed('cprice', ['--open'], 'coinbase');
  expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\n$/);
});

test('a portfolio that is exported is imported as it was', async () => {
  const [one, other] = [newHome(), newHome()];
  const file = join(one, 'portfolio.json');
  await printed('marketdata', ['hold', 'BTC', '0.25', '@', '60000'], 'coinbase', '', one);
  await printed('marketdata', ['watch', 'add', 'BTC'], 'coinbase', '', one);
  const exported = await printed('marketdata', ['config', 'export', file], '', '', one);
  expect(exported.stdout).toBe(`Written to ${file}\n`);
  const imported = await printed('marketdata', ['config', 'import', file], '', '', other);
  expect(imported.stdout).toMatch(/watchlist: \["btc-bitcoin"\] \(new\)\nholdings: .*"amount":"0.25"/);

  writeFileSync(file, '{"version":2}');
  const wrong = await printed('marketdata', ['config', 'import', file], '', '', other);
  expect([wrong.code, wrong.stderr]).toEqual([
    1,
    expect.stringMatching(/is not understood: .*"version" is not 1/),
  ]);
});

test('a list whose prices are not found is no coin of that name', async () => {
  const { code, stderr } = await printed('cprice', [], 'coinbase', '', newHome());
  expect(code).toBe(1);
  expect(stderr).toMatch(/^Price fetch failed for the list: /);
});
