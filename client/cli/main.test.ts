import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { candles, resolved, tickerOf } from '../../test/client/stub-api.ts';
import { type Program, runProgram } from './main.ts';

const data = candles([[100, 110, 95, 105]]);
const answers: readonly (readonly [RegExp, unknown])[] = [
  [/\/resolve\//, resolved()],
  [/\/ohlcv\//, { coinId: 'btc-bitcoin', interval: '24h', quote: 'usd', count: data.length, data }],
  [/\/ticker\//, tickerOf()],
];

/** A service on loopback whose data is of these sources. */
async function serviceOf(sources: string): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
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

async function printed(program: Program, args: readonly string[], sources: string) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const env = { MARKETDATA_URL: await serviceOf(sources) };
  const code = await runProgram(program, args, { env, stdin, stdout, stderr });
  return { code, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') };
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
  expect(JSON.parse(mixed.stdout)).toEqual(tickerOf());
});
