import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { candles, entry, euroRates, resolved, type Stubs, tickerOf } from '../../test/client/stub-api.ts';
import {
  type StubService,
  type StubServiceOptions,
  startStubService,
} from '../../test/client/stub-service.ts';
import { ApiFailure } from '../sdk/index.ts';
import { runProgram } from './main.ts';
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
  ohlcv: ({ id }) => ({ coinId: id, interval: '24h', quote: 'usd', count: data.length, data }),
  search: ({ q }) => ({ query: q, count: 1, results: q === 'none' ? [] : [entry(coins.ODD)] }),
  rates: () => euroRates(),
};

/** A program on pipes, against the stubs. */
async function run(program: Program, ...args: string[]) {
  return await runWith(headers, program, ...args);
}

async function runWith(told: StubServiceOptions['headers'], program: Program, ...args: string[]) {
  return await runAt(inject('runFolder'), await startStubService(stubs, { headers: told }), program, ...args);
}

async function runAt(HOME: string, service: StubService, program: Program, ...args: string[]) {
  onTestFinished(service.close);
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdin.end();
  const terminal = { env: { HOME, MARKETDATA_URL: service.url }, stdin, stdout, stderr };
  const code = await runProgram(program, args, terminal);
  return { code, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') };
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
  test('is the data of a price as it came, with where it comes from beside it', async () => {
    expect(await json('cprice', 'BTC')).toMatchObject({
      code: 0,
      data: { ...tickerOf(), _meta: { ...meta } },
    });
  });

  test('of several prices is an array, each with its own', async () => {
    const { data, code } = await json('cprice', 'BTC', 'ODD');
    const told = { source: 'coinbase,simulated', quality: 'stale', dataTime: TIME, simulated: true };
    expect(code).toBe(0);
    expect(data).toEqual([
      { ...tickerOf(coins.BTC), _meta: { ...told, id: 'btc-bitcoin', symbol: 'BTC' } },
      { ...tickerOf(coins.ODD, oddPrices), _meta: { ...told, id: 'odd-coin', symbol: 'ODD' } },
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

  test('of a chart says what was asked for', async () => {
    const { data } = await json('cchart', 'BTC', '--limit', '2');
    expect(data).toMatchObject({
      coinId: 'btc-bitcoin',
      count: 2,
      _meta: { ...meta, request: { limit: 2, interval: '24h', quote: 'usd' } },
    });
  });

  test('of coins that are compared is an array', async () => {
    const { data } = await json('cchart', 'BTC', '--compare', 'ODD');
    expect(data).toMatchObject([{ _meta: { symbol: 'BTC' } }, { _meta: { symbol: 'ODD' } }]);
  });

  test('tells of each compared coin how good its candles are, and a note tells of those that are stale', async () => {
    const told = (path: string) => ({
      ...headers,
      'x-data-quality': path.includes('odd-coin') ? 'stale' : 'exact',
    });
    const { stdout, stderr } = await runWith(told, 'cchart', 'BTC', '--compare', 'ODD', '--json');
    expect(JSON.parse(stdout)).toMatchObject([
      { _meta: { id: 'btc-bitcoin', quality: 'exact' } },
      { _meta: { id: 'odd-coin', quality: 'stale' } },
    ]);
    expect(stderr).toMatch(/^Note: Coinbase and Kraken, as of .*, provider unreachable\n$/);
  });

  test('tells of an answer past its lifetime how old its data is', async () => {
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
      `BTC,btc-bitcoin,24h,EUR,2026-01-01T00:00:00.000Z,2026-01-01T23:59:59.000Z,80,88,76,84,800,,${TIME},"coinbase,kraken",exact,`,
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

  test('leaves failures to stderr', async () => {
    const { stdout, stderr, code } = await run('cprice', 'ZZZ', 'BTC', '--format', 'csv');
    expect(stdout.split('\n')).toHaveLength(3);
    expect(stderr).toMatch(/^Coin "ZZZ" was not found/);
    expect(code).toBe(3);
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

  test('has a line for each candle', async () => {
    const { stdout } = await run('cchart', 'BTC', '--format', 'ndjson');
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).close),
    ).toEqual([105, 118]);
  });
});

test('--json goes with no other format', async () => {
  expect(await run('cprice', 'BTC', '--format', 'csv', '--json')).toMatchObject({
    code: 2,
    stdout: expect.stringContaining('Leave out one of --json and --format csv'),
  });
});

test('--format table is what people get', async () => {
  expect(await run('cprice', 'BTC', '--format', 'table')).toEqual(await run('cprice', 'BTC'));
});

describe('a cost in another currency than the list', () => {
  const position = {
    index: 0,
    id: 'btc-bitcoin',
    symbol: 'BTC',
    name: 'Bitcoin',
    amount: '1',
    price: '67123.46',
  };
  const found = {
    value: '67123.46',
    sharePercent: 100,
    change24hPercent: 2.3,
    source: 'kraken',
    dataTime: TIME,
  };

  async function listWith(rates: Stubs['rates']) {
    const home = mkdtempSync(join(inject('runFolder'), 'costs-'));
    const service = await startStubService({
      ...stubs,
      rates,
      valuation: ({ holdings: [{ cost = null } = {}] }) => ({
        currency: 'USD',
        total: '67123.46',
        isComplete: true,
        change24hPercent: 2.3,
        changeCoversPercent: 100,
        positions: [
          {
            ...position,
            ...found,
            quality: 'exact',
            cost,
            profit: cost === null ? null : String(67_123.46 - Number(cost)),
            profitPercent: cost === null ? null : 10,
          },
        ],
        missing: [],
        exchangeRate: null,
        rounding: '34 significant digits, half to even',
      }),
    });
    const { code } = await runAt(
      home,
      service,
      'marketdata',
      'hold',
      'BTC',
      '1',
      '@',
      '50000',
      '--currency',
      'eur',
    );
    expect(code).toBe(0);
    return (await runAt(home, service, 'marketdata', 'hold')).stdout;
  }

  test('is converted, and that is told', async () => {
    expect(await listWith(() => euroRates())).toMatch(/Sum .* profit .*Sum: cost in EUR at today's rate\./s);
  });

  test('is not called converted where there is no rate', async () => {
    const text = await listWith(() => {
      throw new Error('no rates');
    });
    expect(text).toContain('Sum $67,123.46');
    expect(text).not.toMatch(/profit of|rate/);
  });
});
