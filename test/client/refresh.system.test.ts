import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
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

/** A price that is 100 dollars more with each request; the requests with these numbers, from 1 on, fail. */
async function movingService(failing: readonly number[] = []) {
  let asked = 0;
  const service = await startStubService(
    {
      resolve: () => resolved(),
      ticker: () => {
        asked += 1;
        if (failing.includes(asked)) throw new ApiFailure(503, 'provider unreachable');
        return tickerOf({}, { price: 1000 + 100 * asked });
      },
      ohlcv: ({ id }) => ({ coinId: id, interval: '24h', quote: 'usd', count: data.length, data }),
    },
    { headers },
  );
  onTestFinished(service.close);
  return { url: service.url, asked: () => asked };
}

/** What a program prints into pipes until so many requests have been made and Ctrl-C ends it. */
async function piped(
  program: string,
  args: readonly string[],
  service: Awaited<ReturnType<typeof movingService>>,
  requests: number,
) {
  const bin = join(import.meta.dirname, '../../client/cli/bin', `${program}.mjs`);
  const child = spawn(process.execPath, [bin, ...args], {
    env: { PATH: process.env.PATH, HOME: inject('runFolder'), MARKETDATA_URL: service.url },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const outputs = Promise.all([text(child.stdout), text(child.stderr)]);
  while (service.asked() < requests) await sleep(50);
  await sleep(500);
  child.kill('SIGINT');
  const [stdout, stderr] = await outputs;
  return { code: await ended, stdout, stderr };
}

test('--watch draws the next price in place of the last, and leaves it when Ctrl-C ends it with 0', async () => {
  const screen = openScreen('cprice', ['BTC', '--watch'], { url: (await movingService()).url });
  await screen.shows('Price:       $1,100.00');
  await screen.shows(/Next refresh \d\d:\d\d:\d\d UTC; Ctrl-C ends/);
  screen.type('typed\r');
  await screen.shows('Price:       $1,200.00');
  expect(screen.allLines().filter((line) => line.startsWith('Price:'))).toHaveLength(1);
  screen.type(keys.ctrlC);
  expect(await screen.ended()).toBe(0);
  expect(screen.allLines().map((line) => line.split(':')[0])).toEqual([
    'Bitcoin (BTC)',
    'Price',
    '24h change',
    'Market cap',
    '24h volume',
    'Source',
  ]);
});

test('a chart fits its window with the line below it, also when the window changes', async () => {
  const screen = openScreen('cchart', ['BTC', '--watch'], {
    url: (await movingService()).url,
    columns: 40,
    rows: 20,
  });
  await screen.shows('Ctrl-C ends');
  expect(screen.lines()[0]).toMatch(/^Bitcoin \(BTC\)/);
  screen.resize(80, 15);
  await sleep(500);
  await screen.shows('Ctrl-C ends');
  expect(screen.lines()[0]).toMatch(/^Bitcoin \(BTC\)/);
  expect(screen.lines().length).toBeLessThanOrEqual(15);
});

test('a failure stands below the last price until there is another', async () => {
  const screen = openScreen('cprice', ['BTC', '--watch'], { url: (await movingService([2])).url });
  await screen.shows('Tries again ');
  expect(screen.text()).toContain('Price:       $1,100.00');
  expect(screen.text()).toMatch(/Price fetch failed for BTC/);
  await screen.shows('Price:       $1,300.00');
  expect(screen.text()).not.toContain('failed');
});

test('in a pipe each price is printed, and a failure once', async () => {
  const { code, stdout, stderr } = await piped(
    'cprice',
    ['BTC', '--watch', '5'],
    await movingService([2]),
    3,
  );
  expect(code).toBe(0);
  expect(stdout.match(/^Price: .*$/gm)).toEqual(['Price:       $1,100.00', 'Price:       $1,300.00']);
  expect(stderr.match(/failed/g)).toHaveLength(1);
}, 30_000);

test('--json brings one document a line', async () => {
  const { code, stdout } = await piped('cprice', ['BTC', '--watch', '--json'], await movingService(), 2);
  expect(code).toBe(0);
  const prices = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).quotes.USD.price);
  expect(prices).toEqual([1100, 1200]);
}, 30_000);

test('CSV has its header once', async () => {
  const args = ['BTC', '--watch', '--format', 'csv'];
  const { stdout } = await piped('cprice', args, await movingService(), 2);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.map((line) => line.split(',')[0])).toEqual(['symbol', 'BTC', 'BTC']);
}, 30_000);

test.each([
  ['coinsearch', ['ether', '--watch'], /--watch is for prices and charts/],
  ['cchart', ['--watch'], /Missing symbol/],
  ['cprice', ['BTC', '--watch=soon'], /--watch needs a whole number from 1 to 86400, not "soon"/],
])('%s %j is a usage error', async (program, args, message) => {
  const service = await startStubService({ search: ({ q }) => ({ query: q, count: 0, results: [] }) });
  onTestFinished(service.close);
  const { code, stdout, stderr } = await runProgram(program, args, { url: service.url });
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(message);
});
