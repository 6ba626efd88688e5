import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { version } from '../../shared/platform/version.ts';
import { type Ran, runProgram } from './program.ts';
import { type ClientService, startService } from './service.ts';

const KEY = 'client-key-0123456789';

let service: ClientService;
beforeAll(async () => {
  service = await startService({ env: { TICKER_FRESH_SECONDS: '1' } });
});
beforeEach(() => service.setFault(null));
afterAll(() => service.close());

type Env = Readonly<Record<string, string>>;

const run = (program: string, args: readonly string[], env: Env = {}) =>
  runProgram(program, args, { url: service.url, env });

const PRICE = /^\$[\d,]+\.\d\d$/;
const ESCAPE = '\u001b';

describe('cprice', () => {
  test('prints the report on stdout and nothing on stderr', async () => {
    const { stdout, stderr, code } = await run('cprice', ['BTC']);

    expect(stdout).toMatch(
      new RegExp(
        [
          '^Bitcoin \\(BTC\\)',
          'Price:       \\$[\\d,]+\\.\\d\\d',
          '24h change:  [+-]?[\\d,]+\\.\\d\\d%',
          'Market cap:  \\$\\d\\.\\d\\dT \\(rank #1\\)',
          '24h volume:  \\$[\\d.]+B',
          'Source:      simulated data, not real prices, as of (?:\\S+ )?\\d\\d:\\d\\d UTC\\n$',
        ].join('\\n'),
      ),
    );
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  });

  test('with --json prints only the data on stdout, and on stderr that it is simulated', async () => {
    const { stdout, stderr, code } = await run('cprice', ['btc-bitcoin', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      id: 'btc-bitcoin',
      quotes: { USD: { price: expect.any(Number) } },
    });
    expect(stderr).toMatch(/^Note: simulated data, not real prices, as of (?:\S+ )?\d\d:\d\d UTC\n$/);
    expect(code).toBe(0);
  });

  test.each(['-doggotothemoon', 'toto-totoro-inu-?', '战旗-战旗', 'mobilecoin'])(
    'finds the odd id %s',
    async (id) => {
      const { stdout, code } = await run('cprice', ['--json', '--', id]);
      expect(JSON.parse(stdout)).toMatchObject({ id });
      expect(code).toBe(0);
    },
  );

  test('of an unknown symbol exits with 3 and names the search', async () => {
    expect(await run('cprice', ['NOSUCH'])).toEqual({
      stdout: '',
      stderr: `Coin "NOSUCH" was not found in CoinPaprika's database.\nTry: coinsearch NOSUCH\n`,
      code: 3,
    });
  });

  test('with --json and an unknown symbol prints the error as JSON, and nothing on stderr', async () => {
    const { stdout, stderr, code } = await run('cprice', ['NOSUCH', '--json']);
    expect(JSON.parse(stdout)).toEqual({
      error: {
        reason: 'not-found',
        message: `Coin "NOSUCH" was not found in CoinPaprika's database.`,
        hint: 'Try: coinsearch NOSUCH',
      },
    });
    expect({ stderr, code }).toEqual({ stderr: '', code: 3 });
  });

  test('of a provider that fails after it answered says how old the answer is', async () => {
    await run('cprice', ['SOL']);
    service.setFault('status=503');
    await new Promise((resolve) => setTimeout(resolve, 1100));
    const { stdout, code } = await run('cprice', ['SOL']);
    expect(stdout).toMatch(
      /^Source: {6}simulated data, not real prices, as of .*\d\d:\d\d UTC, provider unreachable$/m,
    );
    expect(code).toBe(0);
  });

  test('of a provider that fails exits with 4 and says why', async () => {
    service.setFault('status=503');
    const { stdout, stderr, code } = await run('cprice', ['XRP']);
    expect(stderr).toMatch(/^Price fetch failed for XRP: .*CoinPaprika.*\n$/);
    expect({ stdout, code }).toEqual({ stdout: '', code: 4 });
  });

  test('of a provider that limits exits with 4 and says when to retry', async () => {
    service.setFault('status=429');
    const { stdout, stderr, code } = await run('cprice', ['DOGE']);
    expect(stderr).toMatch(
      /^Rate limit exceeded\nCoinPaprika's free tier allows 25,000 requests per month\.\nTry again in \d+ seconds? \((?:\S+ )?\d\d:\d\d UTC\)\.\nThe limit is CoinPaprika's own, for all that this service asks it\.\n$/,
    );
    expect({ stdout, code }).toEqual({ stdout: '', code: 4 });
  });
});

describe('coinsearch', () => {
  test('lists what it finds and ends with a hint', async () => {
    const { stdout, stderr, code } = await run('coinsearch', ['wrapped', 'bitcoin']);
    expect(stdout).toMatch(
      /^Coins like "wrapped bitcoin"\nSimulated list: most of these coins do not exist\.\n *1\. WBTC +Wrapped Bitcoin +#\d+ +token/,
    );
    expect(stdout).toMatch(
      /\nFor a price: cprice <symbol>, such as cprice WBTC, or by its number: cprice \d+\n$/,
    );
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  });

  test('that finds nothing exits with 3', async () => {
    const { stdout, code } = await run('coinsearch', ['qqqqqqqqzzzzzzzz']);
    expect({ stdout, code }).toEqual({
      stdout: 'No coin matches "qqqqqqqqzzzzzzzz".\nTry fewer or other words.\n',
      code: 3,
    });
  });
});

describe('cchart', () => {
  test('draws thirty daily candles in 80 columns where there is no terminal', async () => {
    const { stdout, stderr, code } = await run('cchart', ['ETH', '--candles']);
    const lines = stdout.trimEnd().split('\n');

    expect(lines[0]).toBe('Ethereum (ETH), 30 daily candles in USD');
    expect(stdout).toMatch(/[│╷╵]/);
    expect(stdout).toContain('░ up  █ down'); // no colour in a pipe, so falling candles have another shade
    expect(stdout).not.toContain(ESCAPE);
    expect(lines.at(-1)).toMatch(
      /^Source: simulated data, not real prices, as of .* UTC; daily closes where no candles are known$/,
    );
    for (const line of lines.slice(0, -1)) expect([...line].length).toBeLessThanOrEqual(80);
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  });

  test('--line draws with braille dots', async () => {
    const { stdout } = await run('cchart', ['ETH', '--line']);
    expect(stdout).toMatch(/[\u2801-\u28ff]/);
    expect(stdout).not.toContain('░ up  █ down');
  });

  test('--json prints the candles', async () => {
    const { stdout } = await run('cchart', ['BTC', '--json', '--limit', '7']);
    expect(JSON.parse(stdout)).toMatchObject({ coinId: 'btc-bitcoin', interval: '24h', count: 7 });
  });

  test('of a start that the service refuses exits with 2 and says what is allowed', async () => {
    const { stderr, code } = await run('cchart', ['BTC', '--start', 'soon']);
    expect(stderr).toMatch(/^Invalid parameter start: "soon"; allowed: an ISO 8601 date or time/);
    expect(code).toBe(2);
  });
});

describe('colour', () => {
  test.each<[Env, boolean]>([
    [{}, false],
    [{ FORCE_COLOR: '1' }, true],
    [{ FORCE_COLOR: '1', NO_COLOR: '1' }, false],
    [{ FORCE_COLOR: '0' }, false],
  ])('with %j: %s', async (env, isColoured) => {
    const { stdout } = await run('cprice', ['BTC'], env);
    expect(stdout.includes(ESCAPE)).toBe(isColoured);
  });
});

describe('the service', () => {
  test('that is down: exits with 4, and says how to start it', async () => {
    const url = 'http://127.0.0.1:2'; // nobody listens there
    expect(await runProgram('cprice', ['BTC'], { url })).toEqual({
      stdout: '',
      stderr: `Price fetch failed for BTC: connect ECONNREFUSED 127.0.0.1:2\nIs the service running at ${url}? Start it with npx marketdata serve or npm start, or name another with --url or MARKETDATA_URL.\n`,
      code: 4,
    });
  });

  test('is found by --url before MARKETDATA_URL', async () => {
    const { code } = await runProgram('cprice', ['BTC', '--url', `${service.url}/`], {
      url: 'http://127.0.0.1:1',
    });
    expect(code).toBe(0);
  });

  test('whose address is none is a usage error', async () => {
    expect(await runProgram('cprice', ['BTC'], { url: 'localhost:3000' })).toEqual({
      stdout: '',
      stderr: 'MARKETDATA_URL must be an http:// or https:// URL, not "localhost:3000"\nTry: help\n',
      code: 2,
    });
  });

  test('in production wants a key, which comes from the environment alone', async () => {
    const production = await startService({ env: { NODE_ENV: 'production', CLIENT_API_KEY: KEY } });
    const ask = (env: Env) => runProgram('cprice', ['BTC'], { url: production.url, env });
    try {
      expect(await ask({})).toEqual({
        stdout: '',
        stderr:
          'Unauthorized: the service wants an API key. Set it in the environment variable MARKETDATA_API_KEY.\n',
        code: 1,
      });
      expect(await ask({ MARKETDATA_API_KEY: 'wrong' })).toEqual({
        stdout: '',
        stderr:
          'Unauthorized: the service does not accept the API key in the environment variable MARKETDATA_API_KEY.\n',
        code: 1,
      });
      expect(await ask({ MARKETDATA_API_KEY: KEY })).toMatchObject({ stderr: '', code: 0 });
    } finally {
      await production.close();
    }
  });

  test('that limits this client exits with 4', async () => {
    const limited = await startService();
    try {
      const statuses = await Promise.all(
        Array.from({ length: 100 }, async () => {
          const { status } = await fetch(`${limited.url}/api/marketdata/ticker/btc-bitcoin`);
          return status;
        }),
      );
      expect(new Set(statuses)).toEqual(new Set([200]));
      const { stderr, code } = await runProgram('cprice', ['BTC'], { url: limited.url });
      expect(stderr).toMatch(
        /^Rate limit exceeded\n.*25,000 requests per month.*\nTry again in \d+ seconds? .*\nThe limit is this client's: 100 requests per minute\.\n$/,
      );
      expect(code).toBe(4);
    } finally {
      await limited.close();
    }
  });
});

describe('usage', () => {
  test.each([
    ['cchart', [], 'Missing symbol\nUsage: cchart <symbol> [options]\n'],
    ['cchart', ['BTC', '--quote', 'eur'], /^Unknown value "eur" of --quote; allowed: usd, btc\n/],
    [
      'cprice',
      ['BTC', '--key', 'secret'],
      /^Unknown option --key; known: --currency, --protocol, .*--json.*\n/,
    ],
    ['cprice', ['BTC', '--currency', 'euro'], /^Unknown value "euro" of --currency; did you mean eur\?\n/],
    ['cprice', ['BTC', '--jsno'], /^Unknown option --jsno; did you mean --json\?\n/],
    ['marketdata', ['cpirce', 'BTC'], 'Unknown command cpirce\nDid you mean: cprice BTC\n'],
    ['marketdata', ['frobnicate'], /^Unknown command frobnicate; known: cprice, coinsearch, cchart, help\n/],
  ])('%s %j is refused with exit status 2', async (program, args, text) => {
    const { stdout, stderr, code } = await run(program, args);
    expect(stderr).toEqual(typeof text === 'string' ? text : expect.stringMatching(text));
    expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
  });

  test.each(['cprice', 'coinsearch', 'cchart', 'marketdata'])('%s --help exits with 0', async (program) => {
    const { stdout, stderr, code } = await run(program, ['--help']);
    expect(stdout).toContain(program === 'marketdata' ? 'Commands\n' : `Usage: ${program} `);
    expect(stdout).toContain('MARKETDATA_API_KEY');
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  });

  test('--version prints it', async () => {
    expect(await run('cchart', ['--version'])).toEqual({ stdout: `${version}\n`, stderr: '', code: 0 });
  });
});

describe('marketdata', () => {
  test('runs one command from its command line', async () => {
    const { stdout } = await run('marketdata', ['price', 'BTC', '--protocol', 'coinpaprika']);
    expect(stdout).toMatch(/^Bitcoin \(BTC\)\nPrice: /);
  });

  test('reads commands line by line from a pipe, without a prompt; the last one decides the status', async () => {
    const script = '# prices\ncprice btc\n\ncprice NOSUCH\n';
    const { stdout, stderr, code } = await runProgram('marketdata', [], { url: service.url, stdin: script });
    const [, price] = /^Price: +(\S+)$/m.exec(stdout) ?? [];
    expect(price).toMatch(PRICE);
    expect(stdout).toMatch(/^Bitcoin \(BTC\)\n/);
    expect(stderr).toMatch(/^Coin "NOSUCH" was not found/);
    expect(code).toBe(3);
  });

  test('leaves at exit', async () => {
    const ran: Ran = await runProgram('marketdata', [], { url: service.url, stdin: 'exit\ncprice NOSUCH\n' });
    expect(ran).toEqual({ stdout: '', stderr: '', code: 0 });
  });
});
