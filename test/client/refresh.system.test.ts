import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, inject, onTestFinished, test } from 'vitest';
import { ApiFailure } from '../../client/sdk/index.ts';
import { clockAt } from '../contract/clock.ts';
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
  let requests = 0;
  const next = () => {
    requests += 1;
    if (failing.includes(requests)) throw new ApiFailure(503, 'provider unreachable');
    return tickerOf({}, { price: 1000 + 100 * requests });
  };
  const origin = { quality: 'exact', source: 'coinbase', dataTime: '2026-01-31T12:00:00Z' } as const;
  const service = await startStubService(
    {
      resolve: () => resolved(),
      ticker: next,
      tickers: ({ ids }) => {
        const ticker = ids ? next() : tickerOf(); // the largest coins are requested without ids
        return { count: 1, results: [{ id: ticker.id, ticker, ...origin }] };
      },
      ohlcv: ({ id }) => ({ coinId: id, interval: '24h', quote: 'usd', count: data.length, data }),
    },
    { headers },
  );
  onTestFinished(service.close);
  return service.url;
}

/** A clock for the programs, so that no test waits for their five seconds. */
function movingClock() {
  const clock = clockAt(Date.now());
  onTestFinished(clock.close);
  return { ...clock, env: { NODE_OPTIONS: clock.execArgv.join(' ') } };
}

test('--watch draws the next price in place of the last, and leaves it when Ctrl-C ends it with 0', async () => {
  const { env, moveBy } = movingClock();
  const screen = openScreen('cprice', ['BTC', '--watch'], { url: await movingService(), env });
  await screen.shows('Price:       $1,100.00');
  await screen.shows(/next in 0:0\d {2}Ctrl-C ends/);
  screen.type('typed\r');
  moveBy(6000);
  await screen.shows('Price:       $1,200.00');
  expect(screen.allLines().filter((line) => line.includes('Price:'))).toHaveLength(1);
  screen.type(keys.ctrlC);
  expect(await screen.ended()).toBe(0);
  const labels = screen.text().match(/Bitcoin \(BTC\)|(?<=│ )\w[^:]*(?=:)/g);
  const rows = ['24h change', '7 days', '24h range', 'Market cap', '24h volume', 'Source'];
  expect(labels).toEqual(['Bitcoin (BTC)', 'Price', ...rows]);
});

test('a chart fits its window with the line below it, also when the window changes', async () => {
  const url = await movingService();
  const screen = openScreen('cchart', ['BTC', '--watch'], { url, columns: 40, rows: 20 });
  await screen.shows('next in');
  expect(screen.lines()[0]).toMatch(/^Bitcoin \(BTC\)/);
  screen.resize(80, 15);
  await screen.shows(/^Bitcoin \(BTC\).*Ctrl-C ends$/s);
  expect(screen.lines().length).toBeLessThanOrEqual(15);
});

test('a failure is shown below the last price until the next one arrives', async () => {
  const { env, moveBy } = movingClock();
  const screen = openScreen('cprice', ['BTC', '--watch'], { url: await movingService([2]), env });
  await screen.shows('next in');
  moveBy(6000);
  await screen.shows('again in');
  expect(screen.text()).toContain('Price:       $1,100.00');
  expect(screen.text()).toMatch(/Price fetch failed for BTC/);
  moveBy(6000);
  await screen.shows('Price:       $1,300.00');
  expect(screen.text()).not.toContain('failed');
});

const jsonLines = (stdout: string): unknown[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

test.each<[string, readonly string[], string, (stdout: string, stderr: string) => void]>([
  [
    'prints each price, and a failure once',
    ['BTC', '--watch', '5'],
    '$1,300.00',
    (stdout, stderr) => {
      expect(stdout.match(/^Price: .*$/gm)).toEqual(['Price:       $1,100.00', 'Price:       $1,300.00']);
      expect(stderr.match(/failed/g)).toHaveLength(1);
    },
  ],
  [
    'with --json prints a document a line',
    ['--watch', '--json'],
    '1300',
    (stdout) =>
      expect(jsonLines(stdout)).toMatchObject([
        [{ symbol: 'BTC', quotes: { USD: { price: 1100 } } }],
        { error: { reason: 'unavailable' } },
        [{ quotes: { USD: { price: 1300 } } }],
      ]),
  ],
  [
    'as CSV has its header once',
    ['BTC', '--watch', '--format', 'csv'],
    ',1300,',
    (stdout) =>
      expect(stdout.trimEnd().split('\n')).toEqual([
        expect.stringMatching(/^symbol,/),
        expect.stringMatching(/^BTC,.*,1100,/),
        expect.stringMatching(/^BTC,.*,1300,/),
      ]),
  ],
])('in a pipe --watch %s', async (_how, args, last, check) => {
  const { env, moveBy } = movingClock();
  const child = spawn(process.execPath, [join(inject('programs'), 'cprice.mjs'), ...args], {
    env: {
      PATH: process.env.PATH,
      HOME: inject('runFolder'),
      MARKETDATA_URL: await movingService([2]),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const stderr = text(child.stderr);
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (printed: string) => {
    stdout += printed;
  });
  await expect
    .poll(
      () => {
        if (stdout !== '' && !stdout.includes(last)) moveBy(6000);
        return stdout;
      },
      { interval: 1000 },
    )
    .toContain(last);
  child.kill('SIGINT');
  expect(await ended).toBe(0);
  check(stdout, await stderr);
});
