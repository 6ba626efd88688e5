import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, inject, onTestFinished, test } from 'vitest';
import { ApiFailure } from '../../client/sdk/index.ts';
import { runProgram } from './program.ts';
import { keys, openScreen } from './screen.ts';
import { candles, resolved, tickerOf } from './stub-api.ts';
import { startStubService } from './stub-service.ts';

const headers = {
  'cache-control': 'public, max-age=1',
  'x-data-source': 'coinbase',
  'x-data-quality': 'exact',
};
const data = candles([
  [100, 110, 95, 105],
  [105, 120, 100, 118],
]);

/**
 * A price that is 100 dollars more with each request; the requests with these numbers, from 1 on, fail, and those
 * after `last` get no answer.
 */
async function movingService(failing: readonly number[] = [], last = Number.POSITIVE_INFINITY) {
  let asked = 0;
  const next = () => {
    asked += 1;
    if (failing.includes(asked)) throw new ApiFailure(503, 'provider unreachable');
    return tickerOf({}, { price: 1000 + 100 * asked });
  };
  const told = { quality: 'exact', source: 'coinbase', dataTime: '2026-01-31T12:00:00Z' } as const;
  const service = await startStubService(
    {
      resolve: () => resolved(),
      ticker: next,
      tickers: ({ ids }) => {
        const ticker = ids ? next() : tickerOf(); // the largest coins are asked for by no id
        return { count: 1, results: [{ id: ticker.id, ticker, ...told }] };
      },
      ohlcv: ({ id }) => ({ coinId: id, interval: '24h', quote: 'usd', count: data.length, data }),
    },
    { headers, ready: () => (asked < last ? Promise.resolve() : new Promise(() => {})) },
  );
  onTestFinished(service.close);
  return service.url;
}

/** What a program prints into pipes until it has printed this price and Ctrl-C ends it. */
async function piped(program: string, args: readonly string[], url: string, price: string) {
  const bin = join(inject('programs'), `${program}.mjs`);
  const child = spawn(process.execPath, [bin, ...args], {
    env: { PATH: process.env.PATH, HOME: inject('runFolder'), MARKETDATA_URL: url },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const stderr = text(child.stderr);
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (printed: string) => {
    stdout += printed;
  });
  await expect.poll(() => stdout, { timeout: 40_000 }).toContain(price);
  child.kill('SIGINT');
  return { code: await ended, stdout, stderr: await stderr };
}

test('--watch draws the next price in place of the last, and leaves it when Ctrl-C ends it with 0', async () => {
  const screen = openScreen('cprice', ['BTC', '--watch'], { url: await movingService() });
  await screen.shows(/Price: {7}\$1,\d00\.00/);
  await screen.shows(/next in 0:0\d {2}Ctrl-C ends/);
  screen.type('typed\r');
  await screen.shows(/Price: {7}\$1,(?!100)\d00\.00/);
  expect(screen.allLines().filter((line) => line.includes('Price:'))).toHaveLength(1);
  screen.type(keys.ctrlC);
  expect(await screen.ended()).toBe(0);
  const labels = screen.text().match(/Bitcoin \(BTC\)|(?<=│ )\w[^:]*(?=:)/g);
  expect(labels).toEqual([
    'Bitcoin (BTC)',
    'Price',
    '24h change',
    '7 days',
    '24h range',
    'Market cap',
    '24h volume',
    'Source',
  ]);
});

test('a chart fits its window with the line below it, also when the window changes', async () => {
  const screen = openScreen('cchart', ['BTC', '--watch'], {
    url: await movingService(),
    columns: 40,
    rows: 20,
  });
  await screen.shows('next in');
  expect(screen.lines()[0]).toMatch(/^Bitcoin \(BTC\)/);
  screen.resize(80, 15);
  await screen.shows(/^Bitcoin \(BTC\).*Ctrl-C ends$/s);
  expect(screen.lines().length).toBeLessThanOrEqual(15);
});

test('a failure stands below the last price until there is another', async () => {
  const failing = [2, 3, 4];
  const screen = openScreen('cprice', ['BTC', '--watch'], { url: await movingService(failing) });
  await screen.shows('again in');
  expect(screen.text()).toContain('Price:       $1,100.00');
  expect(screen.text()).toMatch(/Price fetch failed for BTC/);
  failing.length = 0;
  await screen.shows(/Price: {7}\$1,[3-9]00\.00/);
  await expect.poll(() => screen.text()).not.toContain('failed');
}, 40_000);

test('in a pipe each price is printed, and a failure once', async () => {
  const args = ['BTC', '--watch', '5'];
  const { code, stdout, stderr } = await piped('cprice', args, await movingService([2], 3), '$1,300.00');
  expect(code).toBe(0);
  expect(stdout.match(/^Price: .*$/gm)).toEqual(['Price:       $1,100.00', 'Price:       $1,300.00']);
  expect(stderr.match(/failed/g)).toHaveLength(1);
}, 60_000);

test('--json brings one document a line', async () => {
  const args = ['BTC', '--watch', '--json'];
  const { code, stdout } = await piped('cprice', args, await movingService([], 2), '1200');
  expect(code).toBe(0);
  const prices = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).quotes.USD.price);
  expect(prices).toEqual([1100, 1200]);
}, 60_000);

test('so does the list', async () => {
  const { code, stdout } = await piped('cprice', ['--watch', '--json'], await movingService([2]), '1300');
  expect(code).toBe(0);
  const lists = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lists).toMatchObject([
    [{ symbol: 'BTC', quotes: { USD: { price: 1100 } } }],
    { error: { reason: 'unavailable' } },
    [{ quotes: { USD: { price: 1300 } } }],
  ]);
}, 60_000);

test('CSV has its header once', async () => {
  const args = ['BTC', '--watch', '--format', 'csv'];
  const { stdout } = await piped('cprice', args, await movingService([], 2), ',1200,');
  const lines = stdout.trimEnd().split('\n');
  expect(lines.map((line) => line.split(',')[0])).toEqual(['symbol', 'BTC', 'BTC']);
}, 60_000);

test.each([
  ['coinsearch', ['ether', '--watch'], /--watch is for prices and charts/],
  ['cchart', ['--watch'], /Missing symbol/],
  [
    'cprice',
    ['BTC', '--watch=soon'],
    /Unknown value "soon" of --watch; allowed: a whole number from 1 to 86400/,
  ],
])('%s %j is a usage error', async (program, args, message) => {
  const service = await startStubService({ search: ({ q }) => ({ query: q, count: 0, results: [] }) });
  onTestFinished(service.close);
  const { code, stdout, stderr } = await runProgram(program, args, { url: service.url });
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(message);
});
