import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { expect, inject, onTestFinished, test } from 'vitest';
import { candles, euroRates, resolved, tickerOf } from '../../test/client/stub-api.ts';
import { runProgram } from './main.ts';
import type { Program } from './own-commands.ts';

const data = candles([[100, 110, 95, 105]]);
const answers: readonly (readonly [RegExp, unknown])[] = [
  [/\/resolve\//, resolved()],
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

async function printed(program: Program, args: readonly string[], sources: string, typed = '') {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdin.end(typed);
  const asked: string[] = [];
  const env = { HOME: inject('runFolder'), MARKETDATA_URL: await serviceOf(sources, asked) };
  const code = await runProgram(program, args, { env, stdin, stdout, stderr });
  return { code, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? ''), asked };
}

test('the last line of a price names its sources with their titles', async () => {
  const { code, stdout } = await printed('cprice', ['BTC'], 'coinbase,kraken');
  expect(code).toBe(0);
  expect(stdout.trimEnd().split('\n').at(-1)).toBe('Source:      Coinbase and Kraken');
});

test('so does that of a chart', async () => {
  const { code, stdout } = await printed('cchart', ['BTC'], 'coinbase,coinpaprika');
  expect(code).toBe(0);
  expect(stdout.trimEnd().split('\n').at(-1)).toBe('Source: Coinbase and CoinPaprika; exact candles');
});

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
