import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { clockAt } from '../contract/clock.ts';
import { runInside } from './program.ts';
import { keys, openScreen } from './screen.ts';
import { resolved, tickerOf } from './stub-api.ts';
import { startStubService } from './stub-service.ts';

const SHORT = {
  'cache-control': 'public, max-age=1',
  'x-data-source': 'coinbase',
  'x-data-quality': 'exact',
  'x-data-time': '2026-01-31T12:03:00.000Z',
};

/** A service whose prices are these, one after the other, and then the last of them; each with its quality. */
async function serviceOf(...prices: readonly (readonly [price: number, quality?: string])[]) {
  const headers: Record<string, string> = { ...SHORT };
  let requests = 0;
  const service = await startStubService(
    {
      resolve: () => resolved(),
      ticker: () => {
        const [price, quality = 'exact'] = prices[Math.min(requests, prices.length - 1)] ?? [0];
        requests += 1;
        headers['x-data-quality'] = quality;
        return tickerOf({}, { price });
      },
    },
    { headers },
  );
  onTestFinished(service.close);
  return service;
}

const LINE =
  /^Bitcoin \(BTC\) is at \$171,000\.00, above \$170,000\.00 \(Coinbase, as of 2026-01-31 12:03 UTC\)$/;

test.each([
  ['prints the line and ends with 0 if the condition holds', 171_000, 'exact', 0, LINE, /^$/],
  ['is silent and ends with 5 if it does not', 169_000, 'exact', 5, /^$/, /^$/],
  [
    'ends with 4 for a price that is disputed',
    171_000,
    'disputed',
    4,
    /^$/,
    /^No alert yet: exchanges dispute the price; waiting until they agree$/,
  ],
])('alert --once %s', async (_what, price, quality, status, out, err) => {
  const { url } = await serviceOf([price, quality]);
  const { code, stdout, stderr } = await runInside('cprice', ['alert', 'BTC', '>170000', '--once'], { url });
  expect(code).toBe(status);
  expect(stdout.trimEnd()).toMatch(out);
  expect(stderr.trimEnd()).toMatch(err);
});

test('alert --once --json prints a line of JSON', async () => {
  const { url } = await serviceOf([171_000]);
  const { stdout } = await runInside('cprice', ['alert', 'BTC', '> 170000', '--once', '--json'], { url });
  expect(stdout.trimEnd()).not.toContain('\n');
  expect(JSON.parse(stdout)).toMatchObject({
    condition: '>170000',
    id: 'btc-bitcoin',
    _meta: { symbol: 'BTC' },
  });
});

test.each([
  [['alert', 'BTC'], "Missing condition; quote it: cprice alert BTC '>170000'"],
  [['alert', 'BTC', '>1', '--every', '1'], 'Unknown value "1" of --every'],
])('%j is a usage error', async (args, message) => {
  const { code, stdout, stderr } = await runInside('marketdata', args);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(message);
  expect(stderr).toMatch(/\nUsage: cprice alert <symbol> <condition>\n$/);
});

test('an alert waits for a price that is above the limit and not stale, notifies the desktop, and ends', async () => {
  const { url, calls } = await serviceOf([169_000], [171_000, 'stale'], [171_000]);
  const clock = clockAt(Date.now());
  onTestFinished(clock.close);
  const screen = openScreen('cprice', ['alert', 'BTC', '>170000'], {
    url,
    columns: 120,
    env: { DISPLAY: ':0', PATH: 'bin', NODE_OPTIONS: clock.execArgv.join(' ') },
  });
  const file = join(screen.home, 'notified');
  mkdirSync(join(screen.home, 'bin'));
  const program = join(screen.home, 'bin', 'notify-send');
  writeFileSync(program, `#!/bin/sh\nfor word in "$@"; do echo "$word" >> '${file}'; done\n`);
  chmodSync(program, 0o755);
  await screen.shows('Ctrl-C ends.');
  clock.moveBy(6000);
  await screen.shows('No alert yet');
  clock.moveBy(6000);
  expect(await screen.ended()).toBe(0);

  const [waits, doubt, line = ''] = screen.lines();
  expect(waits).toBe('Waiting for >170000: Bitcoin (BTC) is at $169,000.00. Ctrl-C ends.');
  expect(doubt).toMatch(/^No alert yet: the price is stale/);
  expect(line).toMatch(LINE);
  expect(screen.written()).toContain('\u0007');
  const notified = () => readFileSync(file, 'utf8').trimEnd().split('\n');
  await expect.poll(notified).toEqual(['--app-name=marketdata', '--', 'Price alert', line]);
  expect(calls.filter((call) => call.startsWith('ticker'))).toHaveLength(3);
});

test('Ctrl-C ends an alert with 130', async () => {
  const { url } = await serviceOf([169_000]);
  const screen = openScreen('cprice', ['alert', 'BTC', '>170000'], { url });
  await screen.shows('Ctrl-C ends.');
  screen.type(keys.ctrlC);
  expect(await screen.ended()).toBe(130);
});
