import { describe, expect, onTestFinished, test } from 'vitest';
import { runInside } from '../../test/client/program.ts';
import {
  candles,
  candlesRoute,
  entry,
  euroRates,
  resolved,
  type Stubs,
  tickerOf,
} from '../../test/client/stub-api.ts';
import { type StubServiceOptions, startStubService } from '../../test/client/stub-service.ts';
import { ApiFailure } from '../sdk/index.ts';
import type { Program } from './own-commands.ts';

const TIME = '2026-01-31T12:03:00.000Z';
const headers = { 'x-data-source': 'coinbase,kraken', 'x-data-quality': 'exact', 'x-data-time': TIME };

const coins = {
  BTC: { id: 'btc-bitcoin', symbol: 'BTC', name: 'Bitcoin', rank: 1 },
  ODD: { id: 'odd-coin', symbol: 'ODD', name: 'Odd, "quoted"\ncoin', rank: 90 },
};

function coinOf(symbol: string) {
  const coin = Object.values(coins).find((each) => each.symbol === symbol);
  if (!coin) throw new ApiFailure(404, 'Unknown symbol', { isAnswer: true });
  return coin;
}

const oddPrices = { price: 0.000_000_012_5, market_cap: null, percent_change_7d: null };
const ticker = (id: string) => (id === 'odd-coin' ? tickerOf(coins.ODD, oddPrices) : tickerOf(coins.BTC));
const data = candles([
  [100, 110, 95, 105],
  [105, 120, 104, 118],
]);

const stubs: Stubs = {
  resolve: ({ symbol }) => resolved(coinOf(symbol)),
  ticker: ({ id }) => ticker(id),
  tickers: ({ ids = [] }) => ({
    count: 2,
    results: ids.map((id) => ({
      id,
      ticker: ticker(id),
      source: 'coinbase,simulated',
      quality: 'stale' as const,
      dataTime: TIME,
    })),
  }),
  ohlcv: candlesRoute(data, { EUR: [0.5, 0.6] }),
  search: ({ q }) => ({ query: q, count: 1, results: q === 'none' ? [] : [entry(coins.ODD)] }),
  rates: () => euroRates(),
};

/** A program on pipes, against the stubs. */
async function run(program: Program, ...args: string[]) {
  return await runWith(headers, program, ...args);
}

async function runWith(origin: StubServiceOptions['headers'], program: Program, ...args: string[]) {
  const { url, close } = await startStubService(stubs, { headers: origin });
  onTestFinished(close);
  return await runInside(program, args, { url });
}

async function json(program: Program, ...args: string[]) {
  const { code, stdout, stderr } = await run(program, ...args, '--json');
  return { code, stderr, data: JSON.parse(stdout) };
}

const meta = {
  id: 'btc-bitcoin',
  symbol: 'BTC',
  source: 'coinbase,kraken',
  quality: 'exact',
  dataTime: TIME,
  simulated: false,
};

describe('--json', () => {
  test('of several prices is an array, each with its own', async () => {
    const { data, code } = await json('cprice', 'BTC', 'ODD');
    const origin = { source: 'coinbase,simulated', quality: 'stale', dataTime: TIME, simulated: true };
    expect(code).toBe(0);
    expect(data).toEqual([
      { ...tickerOf(coins.BTC), _meta: { ...origin, id: 'btc-bitcoin', symbol: 'BTC' } },
      { ...tickerOf(coins.ODD, oddPrices), _meta: { ...origin, id: 'odd-coin', symbol: 'ODD' } },
    ]);
  });

  test('of a coin among others that is not known has an error at the end', async () => {
    const { data, code, stderr } = await json('cprice', 'NOSUCH', 'BTC');
    expect(code).toBe(3);
    expect(data).toMatchObject([
      { id: 'btc-bitcoin' },
      {
        error: {
          reason: 'not-found',
          message: `Coin "NOSUCH" was not found in CoinPaprika's database.`,
          hint: 'Did you mean: cprice ODD  Odd, "quoted" coin\nTry: coinsearch NOSUCH',
        },
      },
    ]);
    expect(stderr).not.toContain('NOSUCH');
  });

  test('of a chart has the request', async () => {
    const { data } = await json('cchart', 'BTC', '--limit', '2');
    expect(data).toMatchObject({
      coinId: 'btc-bitcoin',
      count: 2,
      _meta: { ...meta, request: { limit: 2, interval: '24h', quote: 'usd' } },
    });
  });

  test('names the quality of the candles of each compared coin, and a note on stderr names stale ones', async () => {
    const headersAt = (path: string) => ({
      ...headers,
      'x-data-quality': path.includes('odd-coin') ? 'stale' : 'exact',
    });
    const { stdout, stderr } = await runWith(headersAt, 'cchart', 'BTC', '--compare', 'ODD', '--json');
    expect(JSON.parse(stdout)).toMatchObject([
      { _meta: { id: 'btc-bitcoin', quality: 'exact' } },
      { _meta: { id: 'odd-coin', quality: 'stale' } },
    ]);
    expect(stderr).toMatch(/^Note: Coinbase and Kraken, as of .*, provider unreachable\n$/);
  });

  test('has the age of data past its lifetime', async () => {
    const made = new Date(Date.now() - 1_200_000);
    const late = {
      ...headers,
      'x-data-time': made.toISOString(),
      date: made.toUTCString(),
      age: '1200',
      'cache-control': 'max-age=600',
    };
    const { stdout } = await runWith(late, 'cprice', 'BTC', '--json');
    const { outdatedSeconds } = JSON.parse(stdout)._meta;
    expect(Math.abs(outdatedSeconds - 1205)).toBeLessThan(6);
  });

  test('of a search says where the list comes from', async () => {
    const { data } = await json('coinsearch', 'odd');
    expect(data).toEqual({
      query: 'odd',
      count: 1,
      results: [entry(coins.ODD)],
      _meta: { source: 'coinbase,kraken', dataTime: TIME, simulated: false },
    });
  });

  test.each([
    [['ZZZ'], 3, 'not-found', /^Coin "ZZZ"/, /Try: coinsearch ZZZ$/],
    [['BTC', '--line'], 2, 'usage', /^Unknown option --line; known/, /^Usage: cprice/],
    [
      ['BTC', '--format', 'jsno'],
      2,
      'usage',
      /^Unknown value "jsno" of --format; did you mean json\?$/,
      /^Usage: cprice/,
    ],
    [['BTC', '--url', 'nonsense'], 2, 'usage', /^--url must be/, /help/],
    [
      ['BTC', '--url', 'http://127.0.0.1:2'],
      4,
      'unavailable',
      /^Price fetch failed/,
      /^Is the service running/,
    ],
  ] as const)('of %j is an error, and nothing else', async (args, status, reason, message, hint) => {
    const { code, data, stderr } = await json('cprice', ...args);
    expect({ code, stderr }).toEqual({ code: status, stderr: '' });
    expect(data).toEqual({
      error: { reason, message: expect.stringMatching(message), hint: expect.stringMatching(hint) },
    });
  });
});

describe('--format csv', () => {
  test('has a header, and a row for each coin in machine numbers', async () => {
    const { stdout, stderr, code } = await run('cprice', 'BTC', 'ODD', '--format', 'csv');
    expect(stdout).toBe(
      `symbol,name,id,rank,currency,price,percent_change_1h,percent_change_24h,percent_change_7d,market_cap,volume_24h,data_time,source,quality,outdated_seconds
BTC,Bitcoin,btc-bitcoin,1,USD,67123.456,0.1,2.314,-1,1321456789012,28420000000,${TIME},"coinbase,simulated",stale,
ODD,"Odd, ""quoted"" coin",odd-coin,90,USD,1.25e-8,0.1,2.314,,,28420000000,${TIME},"coinbase,simulated",stale,
`,
    );
    expect(stderr).toContain('simulated');
    expect(code).toBe(0);
  });

  test('has amounts in the currency that it names', async () => {
    const { stdout } = await run('cchart', 'BTC', '--format=csv', '--currency', 'eur');
    expect(stdout.split('\n').slice(0, 2)).toEqual([
      'symbol,id,interval,currency,time_open,time_close,open,high,low,close,volume,market_cap,data_time,source,quality,outdated_seconds',
      `BTC,btc-bitcoin,24h,EUR,2026-01-01T00:00:00.000Z,2026-01-01T23:59:59.000Z,50,55,47.5,52.5,500,,${TIME},"coinbase,kraken",exact,`,
    ]);
  });

  test('of a search has a row for each match, and only the header without any', async () => {
    const { stdout } = await run('coinsearch', 'odd', '--format', 'csv');
    expect(stdout).toBe(
      'symbol,name,id,rank,type,is_active,is_new\nODD,"Odd, ""quoted"" coin",odd-coin,90,coin,true,false\n',
    );
    expect(await run('coinsearch', 'none', '--format', 'csv')).toEqual({
      stdout: 'symbol,name,id,rank,type,is_active,is_new\n',
      stderr: '',
      code: 3,
    });
  });
});

describe('--format ndjson', () => {
  test('is the same records, a line each', async () => {
    const { stdout } = await run('cprice', 'BTC', 'ODD', 'ZZZ', '--format', 'ndjson');
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(lines).toMatchObject([
      { symbol: 'BTC', price: 67_123.456, currency: 'USD', rank: 1, source: 'coinbase,simulated' },
      { symbol: 'ODD', price: 1.25e-8, market_cap: null },
      { error: { reason: 'not-found' } },
    ]);
  });
});

test('--json goes with no other format', async () => {
  expect(await run('cprice', 'BTC', '--format', 'csv', '--json')).toMatchObject({
    code: 2,
    stdout: expect.stringContaining('Leave out one of --json and --format csv'),
  });
});
