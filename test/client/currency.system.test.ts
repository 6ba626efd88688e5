import { afterAll, beforeAll, expect, test } from 'vitest';
import { runProgram } from './program.ts';
import { type ClientService, startService } from './service.ts';

let service: ClientService;
beforeAll(async () => {
  service = await startService({ store: true }); // rates are published there
});
afterAll(() => service.close());

const run = (program: string, args: readonly string[]) => runProgram(program, args, { url: service.url });

const RATE = /at the rate of \d+ \w+(?: \d+)? \(simulated\)/;

test('tells prices in another currency, with its symbol and the rate', async () => {
  const { stdout, stderr, code } = await run('cprice', ['BTC', '--currency', 'eur']);
  expect(stdout).toMatch(/^Price: {7}€[\d,]+\.\d\d$/m);
  expect(stdout).toMatch(/^Market cap: {2}€\d\.\d\dT \(rank #1\)$/m);
  expect(stdout).toMatch(/^Source: .* UTC; in EUR at the rate of \d+ \w+(?: \d+)? \(simulated\)$/m);
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
});

test('draws a chart in it, all candles at one rate', async () => {
  const { stdout, code } = await run('cchart', ['BTC', '--currency', 'JPY']);
  const [title, prices] = stdout.split('\n');
  expect(title).toBe('Bitcoin (BTC), 30 daily prices in JPY');
  expect(prices).toMatch(/^¥[\d,]+ 30d [+-]?[\d.]+% {2}low ¥[\d,]+, high ¥[\d,]+$/);
  expect(stdout).toMatch(/; all in JPY at the rate of /);
  expect(stdout).toMatch(RATE);
  expect(code).toBe(0);
});

test('with --json leaves the data as it came, with the conversion beside it', async () => {
  const { stdout, stderr } = await run('cprice', ['BTC', '--json', '--currency', 'eur']);
  const { conversion, ...data } = JSON.parse(stdout);
  const answer = await fetch(`${service.url}/api/marketdata/rates`);
  const { data: told } = JSON.parse(await answer.text());
  expect(conversion).toEqual({
    from: 'USD',
    to: 'EUR',
    rate: 1 / Number(told.rates.USD),
    day: told.day,
    source: 'simulated',
    quality: 'exact',
  });
  expect(Object.keys(data)).toEqual(Object.keys(JSON.parse((await run('cprice', ['BTC', '--json'])).stdout)));
  expect(stderr).toMatch(RATE);
});

test('of a code that nobody knows exits with 3, like a coin, and names those that there are', async () => {
  const { stdout, stderr, code } = await run('cprice', ['BTC', '--currency', 'xts']);
  expect(stderr).toMatch(
    /^Currency "XTS" was not found: there is no exchange rate of it\.\nKnown: AUD, BRL, [A-Z,\s]+\sZAR\n$/,
  );
  expect({ stdout, code }).toEqual({ stdout: '', code: 3 });
});

test('without rates tells no price at all, and exits with 4', async () => {
  const without = await startService();
  try {
    expect(await runProgram('cprice', ['BTC', '--currency', 'eur'], { url: without.url })).toEqual({
      stdout: '',
      stderr: expect.stringMatching(/^Exchange rate fetch failed for EUR: No exchange rates are at hand/),
      code: 4,
    });
  } finally {
    await without.close();
  }
});
